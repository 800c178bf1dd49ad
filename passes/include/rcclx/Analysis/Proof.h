//===- Proof.h - Proof of a schedule for one world size ---------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_ANALYSIS_PROOF_H
#define RCCLX_ANALYSIS_PROOF_H

#include "rcclx/Analysis/Terms.h"
#include "rcclx/Analysis/Trace.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "llvm/Support/LogicalResult.h"
#include <cstdint>
#include <vector>

namespace rcclx {

/// The largest world that is proved, as that of #rcclx.spec.
constexpr uint32_t maxProofWorld = 256;

/// Part of an output, from a/d to (a+l)/d of `block`, and what it holds.
struct OutputPiece {
  uint32_t block;
  uint32_t a;
  uint32_t l;
  uint32_t d;
  TermId term; ///< An index into Proof::terms.
  bool operator==(const OutputPiece &) const = default;
};

/// What is known of a schedule that is right.
struct Proof {
  /// Loads, stores, messages (each end counts) and arithmetic of all ranks.
  uint64_t operations = 0;
  /// Messages and signals between different ranks.
  uint64_t messages = 0;
  /// The fewest slots per ordered pair of ranks that cannot deadlock.
  uint32_t leastSlots = 1;
  /// One more than the largest tag of a message or signal; 0 without any.
  uint64_t maxTag = 0;

  /// The reduction trees of all outputs: operands come before their users, and
  /// nothing else is in here.
  std::vector<Term> terms;
  /// Per rank, its output in order of block and position, without gaps.
  std::vector<std::vector<OutputPiece>> outputs;

  /// Per rank, sorted: the ranks that it exchanges messages with, or one of the
  /// two accesses the other's memory. Symmetric. A rank is its own neighbour
  /// where it sends to itself or names itself in `at`.
  std::vector<std::vector<uint32_t>> edges;
  /// Per rank, sorted: the ranks that read its memory by `load ... at`.
  std::vector<std::vector<uint32_t>> readers;
  /// How often a rank reads another's memory, at most.
  uint64_t mostReads = 0;
};

/// Proves that `collective` keeps its contract on `world` ranks with `slots`
/// message slots per ordered pair, for `roles` or those that it is bound to.
/// Emits one error, with a counter-example, where it does not.
llvm::FailureOr<Proof> proveSchedule(CollectiveOp collective, uint32_t world,
                                     uint32_t slots, const Roles &roles);
llvm::FailureOr<Proof> proveSchedule(CollectiveOp collective, uint32_t world,
                                     uint32_t slots);

/// Whether the outputs of all ranks are equal, element by element, as trees.
bool haveSameResults(const Proof &a, const Proof &b);

/// `terms`, where operands come before their users, in `store`: the identity of
/// each.
std::vector<TermId> internTerms(const std::vector<Term> &terms,
                                TermStore &store);

} // namespace rcclx

#endif // RCCLX_ANALYSIS_PROOF_H
