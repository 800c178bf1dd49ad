//===- VerifyKernel.cpp - Proof of all kernels of a module ----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/ProveKernel.h"
#include "rcclx/Passes/Passes.h"
#include <chrono>

namespace rcclx {
#define GEN_PASS_DEF_VERIFYKERNEL
#include "rcclx/Passes/Passes.h.inc"
} // namespace rcclx

using namespace mlir;
using namespace rcclx;

namespace {

struct VerifyKernelPass
    : public rcclx::impl::VerifyKernelBase<VerifyKernelPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<kernel::FuncOp>())
      if (failed(verify(func)))
        signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  LogicalResult verify(kernel::FuncOp func);
};

} // namespace

LogicalResult VerifyKernelPass::verify(kernel::FuncOp func) {
  FlatSymbolRefAttr name = func.getScheduleAttr();
  auto collective =
      name ? SymbolTable::lookupNearestSymbolFrom<CollectiveOp>(func, name)
           : CollectiveOp();
  if (!collective)
    return func.emitOpError(
        "cannot be proved without its schedule; expected "
        "the rcclx.collective that it implements beside it");
  auto start = std::chrono::steady_clock::now();
  FailureOr<KernelProof> proof = proveKernel(func, collective);
  if (failed(proof))
    return failure();
  if (report) {
    auto time = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - start);
    emitRemark(func.getLoc())
        << "@" << func.getSymName() << " proved in " << proof->calls
        << " calls: " << proof->steps << " steps; " << time.count() << " us";
  }
  return success();
}
