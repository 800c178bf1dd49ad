//===- ProveLowered.h - Proof of what a schedule is lowered to --*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_LIB_PLAN_PROVELOWERED_H
#define RCCLX_LIB_PLAN_PROVELOWERED_H

#include "mlir/IR/BuiltinOps.h"
#include "rcclx_compiler.h"

namespace rcclx {

/// Lowers copies of `module`, one collective that is proved, by every protocol
/// and proves the kernels; `result` counts them. What is not lowered is no
/// failure: the lowering's error says why.
llvm::LogicalResult proveLowered(mlir::ModuleOp module,
                                 const rcclx_verify_request &request,
                                 rcclx_proof &result);

} // namespace rcclx

#endif // RCCLX_LIB_PLAN_PROVELOWERED_H
