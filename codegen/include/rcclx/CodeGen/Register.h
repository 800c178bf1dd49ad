//===- Register.h - All dialects of a schedule's way to C++ -----*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_CODEGEN_REGISTER_H
#define RCCLX_CODEGEN_REGISTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "rcclx/Dialect/Kernel/Kernel.h"

namespace rcclx {

inline void registerAllDialects(mlir::DialectRegistry &registry) {
  registry
      .insert<RcclxDialect, kernel::KernelDialect, mlir::arith::ArithDialect,
              mlir::scf::SCFDialect, mlir::emitc::EmitCDialect>();
}

} // namespace rcclx

#endif // RCCLX_CODEGEN_REGISTER_H
