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

/// Null for anything but the element types of docs/Numerics.md.
static Type parseElement(StringRef name, MLIRContext *context) {
  Builder builder(context);
  return llvm::StringSwitch<Type>(name)
      .Case("f32", builder.getF32Type())
      .Case("f16", builder.getF16Type())
      .Case("bf16", builder.getBF16Type())
      .Case("i32", builder.getI32Type())
      .Default(Type());
}

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
                     << (type ? "sum, max or avg" : "f32, f16, bf16 or i32");
      return signalPassFailure();
    }
    if (failed(SpecializationAttr::verify([&] { return emitError(loc); }, world,
                                          type, *op)))
      return signalPassFailure();
    auto spec =
        SpecializationAttr::get(&getContext(), uint32_t(world), type, *op);

    for (auto collective : getOperation().getOps<CollectiveOp>()) {
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
    }
  }
};
} // namespace
