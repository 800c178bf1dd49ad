//===- OperandNames.h - What operands are called in .td files ---*- C++ -*-===//
//
// Part of rcclx. MLIR does not keep these names.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_MUTANTS_OPERANDNAMES_H
#define RCCLX_TESTS_MUTANTS_OPERANDNAMES_H

#include "mlir/IR/Operation.h"
#include <string>

namespace rcclx::mutants {

/// One name per operand, unique in `op`; "operand 2" where none is known.
llvm::SmallVector<std::string> getOperandNames(mlir::Operation *op);

/// Whether the schedule dialect lets `op` be without its operand `name`.
bool isOptional(mlir::Operation *op, llvm::StringRef name);

} // namespace rcclx::mutants

#endif // RCCLX_TESTS_MUTANTS_OPERANDNAMES_H
