//===- BuildProgram.h - Kernels as code for the proof -----------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_LIB_ANALYSIS_KERNEL_BUILDPROGRAM_H
#define RCCLX_LIB_ANALYSIS_KERNEL_BUILDPROGRAM_H

#include "rcclx/Analysis/KernelProgram.h"
#include "rcclx/Dialect/Kernel/Kernel.h"
#include "llvm/Support/LogicalResult.h"

namespace rcclx {

/// A program and the operations that its SourceOp numbers stand for.
struct BuiltKernel {
  KernelProgram program;
  std::vector<mlir::Operation *> sources;
};

/// Emits an error where `func` is not what the proof can follow: loops over
/// elements that are not over one range, granules that are computed with.
llvm::FailureOr<BuiltKernel> buildKernelProgram(kernel::FuncOp func);

} // namespace rcclx

#endif // RCCLX_LIB_ANALYSIS_KERNEL_BUILDPROGRAM_H
