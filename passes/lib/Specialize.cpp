//===- Specialize.cpp - Bind world size, element type and reduction -------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "rcclx/Passes/Passes.h"

namespace rcclx {
#define GEN_PASS_DEF_SPECIALIZE
#include "rcclx/Passes/Passes.h.inc"
} // namespace rcclx

using namespace mlir;
using namespace rcclx;

namespace {
struct SpecializePass : public rcclx::impl::SpecializeBase<SpecializePass> {
  using Base::Base;

  void runOnOperation() override {
    Location loc = getOperation().getLoc();
    Type type = parseElement(element, &getContext());
    std::optional<Reduction> op = symbolizeReduction(reduction);
    if (!type || !op) {
      emitError(loc) << (type ? "unknown reduction '"
                              : "unknown element type '")
                     << (type ? reduction : element) << "'; expected "
                     << (type ? listReductions() : listElements());
      return signalPassFailure();
    }
    DenseI32ArrayAttr entries;
    if (!permutation.empty())
      entries = DenseI32ArrayAttr::get(
          &getContext(),
          SmallVector<int32_t>(permutation.begin(), permutation.end()));
    auto spec = SpecializationAttr::getChecked(
        [&] { return emitError(loc); }, &getContext(), uint32_t(world), type,
        *op, uint32_t(root), entries);
    if (!spec)
      return signalPassFailure();

    for (auto collective : getOperation().getOps<CollectiveOp>()) {
      if (std::string wrong =
              checkRoles(collective.getContract(), root, bool(entries));
          !wrong.empty()) {
        collective.emitOpError(wrong);
        return signalPassFailure();
      }
      if (collective.getSpec() && collective.getSpecAttr() != spec) {
        collective.emitOpError("is bound to ")
            << collective.getSpecAttr() << "; expected it unbound or bound to "
            << spec;
        return signalPassFailure();
      }
      collective.setSpecAttr(spec);
      OpBuilder builder =
          OpBuilder::atBlockBegin(&collective.getBody().front());
      collective.getWorld().replaceAllUsesWith(
          arith::ConstantIndexOp::create(builder, collective.getLoc(), world));
      collective.walk([&](RootOp op) {
        OpBuilder here(op);
        op.replaceAllUsesWith(
            arith::ConstantIndexOp::create(here, op.getLoc(), root)
                .getResult());
        op.erase();
      });
    }
  }
};
} // namespace
