//===- ProveKernel.h - Proof of a kernel against its schedule ---*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_ANALYSIS_PROVEKERNEL_H
#define RCCLX_ANALYSIS_PROVEKERNEL_H

#include "rcclx/Dialect/Kernel/Kernel.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "llvm/Support/LogicalResult.h"

namespace rcclx {

/// What is known of a kernel that is right.
struct KernelProof {
  uint32_t calls = 0;
  uint64_t steps = 0; ///< Instructions of all ranks and calls.
};

/// Proves that `func` gives, on every rank and in successive calls, the very
/// terms that the staged schedule `collective` does, without race or deadlock
/// (docs/Verification.md). Emits one error where it does not.
llvm::FailureOr<KernelProof> proveKernel(kernel::FuncOp func,
                                         CollectiveOp collective);

} // namespace rcclx

#endif // RCCLX_ANALYSIS_PROVEKERNEL_H
