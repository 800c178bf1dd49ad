//===- ConvertRcclxToKernel.cpp - Staged collectives to kernels -----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "rcclx/Passes/Passes.h"

namespace rcclx {
#define GEN_PASS_DEF_CONVERTRCCLXTOKERNEL
#include "rcclx/Passes/Passes.h.inc"
} // namespace rcclx

using namespace mlir;
using namespace rcclx;

namespace {
struct ConvertRcclxToKernelPass
    : public rcclx::impl::ConvertRcclxToKernelBase<ConvertRcclxToKernelPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto collective :
         llvm::make_early_inc_range(getOperation().getOps<CollectiveOp>())) {
      OpBuilder builder(collective);
      if (failed(Lowering(collective).run(builder)))
        return signalPassFailure();
      collective.erase();
    }
  }
};
} // namespace
