//===- Passes.h - Passes from kernels to C++ --------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_CODEGEN_PASSES_H
#define RCCLX_CODEGEN_PASSES_H

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace rcclx {

#define GEN_PASS_DECL
#include "rcclx/CodeGen/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "rcclx/CodeGen/Passes.h.inc"

/// Patterns for index arithmetic that upstream's arith-to-emitc lacks, and for
/// rcclx.shift on `world` ranks.
void populateIndexToEmitCPatterns(mlir::TypeConverter &converter,
                                  mlir::RewritePatternSet &patterns,
                                  uint32_t world);

} // namespace rcclx

#endif // RCCLX_CODEGEN_PASSES_H
