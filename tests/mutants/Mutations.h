//===- Mutations.h - Every small change of a program ------------*- C++ -*-===//
//
// Part of rcclx. Enumerates the mutants of a schedule or of a kernel: per
// operation, in a stable order. It knows operations by their names, types and
// effects only, so that new ones take part by themselves.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_MUTANTS_MUTATIONS_H
#define RCCLX_TESTS_MUTANTS_MUTATIONS_H

#include "mlir/IR/Operation.h"
#include <functional>
#include <string>
#include <vector>

namespace rcclx::mutants {

/// One change, to be applied to a clone of the program it was found in.
struct Mutation {
  unsigned op;       ///< The operation's number, see numberOps.
  unsigned line;     ///< In the schedule's file; 0: unknown.
  std::string where; ///< "send", "scf.for": the operation.
  std::string what;  ///< "drop", "tag + 1".
  /// Changes the operation of that number in a clone.
  std::function<void(mlir::Operation *)> apply;

  /// What is equal for all mutants of one kind: "send: tag + 1".
  std::string getKind() const { return where + ": " + what; }
};

/// The operations below `root` (a collective or a kernel), in pre-order.
std::vector<mlir::Operation *> numberOps(mlir::Operation *root);

/// All mutations of `root`: drop, duplicate and swap with the next effect;
/// index operands off by one, rank operands set to the own rank; operands
/// exchanged with each other or replaced by another value of their type;
/// enumerations set to their other values; conditions made constant.
std::vector<Mutation> findMutations(mlir::Operation *root);

/// Applies `mutation` to a clone of the program. False where that leaves
/// invalid IR; its diagnostics go to the context's handler.
bool applyMutation(mlir::Operation *clone, const Mutation &mutation);

} // namespace rcclx::mutants

#endif // RCCLX_TESTS_MUTANTS_MUTATIONS_H
