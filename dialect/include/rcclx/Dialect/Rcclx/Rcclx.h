//===- Rcclx.h - The schedule dialect ---------------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_DIALECT_RCCLX_RCCLX_H
#define RCCLX_DIALECT_RCCLX_RCCLX_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "rcclx/Dialect/Rcclx/RcclxDialect.h.inc"
#include "rcclx/Dialect/Rcclx/RcclxEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "rcclx/Dialect/Rcclx/RcclxTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "rcclx/Dialect/Rcclx/RcclxAttrs.h.inc"

namespace rcclx {

/// The messages between ranks: one resource, so that no pass merges two sends
/// or drops a receive.
struct MessagesResource
    : public mlir::SideEffects::Resource::Base<MessagesResource> {
  llvm::StringRef getName() final { return "rcclx.messages"; }
};

/// The caller's input: read only, its contents at entry.
struct InputResource : public mlir::SideEffects::Resource::Base<InputResource> {
  llvm::StringRef getName() final { return "rcclx.input"; }
};

/// The caller's output, on any rank.
struct OutputResource
    : public mlir::SideEffects::Resource::Base<OutputResource> {
  llvm::StringRef getName() final { return "rcclx.output"; }
};

/// The memory of a call that no caller sees, on any rank.
struct ScratchResource
    : public mlir::SideEffects::Resource::Base<ScratchResource> {
  llvm::StringRef getName() final { return "rcclx.scratch"; }
};

/// The buffer of a collective of `contract` has one block per rank
/// (docs/PlanFormat.md).
bool hasBlockPerRank(Contract contract, BufferKind buffer);

/// Whether one rank of `contract`, the root, differs from all others.
bool hasRoot(Contract contract);

/// The element types of docs/Numerics.md, by the spelling of command lines and
/// plans: MLIR's, but for uN. A null type and an empty name for any other.
bool isElementName(llvm::StringRef name);
mlir::Type parseElement(llvm::StringRef name, mlir::MLIRContext *context);
std::string getElementName(mlir::Type element);

/// All spellings, for diagnostics: "a, b or c".
std::string listElements();
std::string listReductions();

/// Why no call of `world` ranks can have this root and permutation (empty: none
/// is given); empty where one can.
std::string checkRoles(uint32_t world, uint32_t root,
                       llvm::ArrayRef<int32_t> permutation);
/// The same of calls of `contract`: only some have a root or a permutation.
std::string checkRoles(Contract contract, uint32_t root, bool hasPermutation);

/// The buffer that `slice`, made by rcclx.buffer and rcclx.part, belongs to.
/// Null where a slice comes from anything else, which the collective's verifier
/// refuses.
class BufferOp;
BufferOp getBufferOf(mlir::Value slice);

} // namespace rcclx

#define GET_OP_CLASSES
#include "rcclx/Dialect/Rcclx/RcclxOps.h.inc"

#endif // RCCLX_DIALECT_RCCLX_RCCLX_H
