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
    // The collective stays, for the proof of the kernel.
    for (auto collective : getOperation().getOps<CollectiveOp>()) {
      OpBuilder builder(collective);
      if (failed(Lowering(collective).run(builder)))
        return signalPassFailure();
    }
  }
};
} // namespace
