//===- KernelMachine.h - Runs a kernel for all ranks ------------*- C++ -*-===//
//
// Part of rcclx.
//
// The machine runs one agent per rank and block group through several calls, on
// terms instead of numbers. It refuses what a run could get wrong: data of
// another call, tile or place; a slot or window that is written or read in no
// order with its other end; a wait that never ends; a result that is not the
// schedule's. A kernel without such faults is deterministic, so that one
// interleaving decides (docs/Verification.md).
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_ANALYSIS_KERNELMACHINE_H
#define RCCLX_ANALYSIS_KERNELMACHINE_H

#include "rcclx/Analysis/KernelProgram.h"
#include "rcclx/Analysis/Terms.h"
#include <functional>
#include <optional>
#include <vector>

namespace rcclx {

/// Part a/d to (a+l)/d of an output block, and the term that it shall hold.
struct ExpectedPiece {
  uint32_t block;
  uint64_t a;
  uint64_t l;
  uint64_t d;
  TermId term;
};

/// What a kernel shall do, from the proof of its schedule.
struct KernelGoal {
  TermStore terms;
  /// Per rank, in order of block and position.
  std::vector<std::vector<ExpectedPiece>> outputs;
  /// Per rank, sorted: the plan's edges, and who reads the rank's window.
  std::vector<std::vector<uint32_t>> edges;
  std::vector<std::vector<uint32_t>> readers;
  /// Per rank: whether it has an input, and the blocks of each.
  std::vector<bool> hasInput;
  uint32_t inputBlocks = 1;
  /// Where calls may be in place: the output block that lies in the memory of
  /// an input block of a rank.
  std::function<std::optional<uint32_t>(uint32_t, uint32_t)> aliasedBlock;
  /// Per block group: its longest slice, as a fraction of a block.
  std::vector<std::pair<uint64_t, uint64_t>> longest;
  /// Whether a rank may leave only after all have entered.
  bool isBarrier = false;
  /// Instructions that all ranks and calls together may execute.
  uint64_t maxSteps = 0;
  /// Granules of a block in each of the successive calls.
  std::vector<uint64_t> granules;
};

/// Granule counts of the calls to prove, for the longest slices of each block
/// group as fractions of a block: none, one tile, `depth` tiles, and one and
/// two more with a tail, in an order in which both halves of the slots are used
/// again.
std::vector<uint64_t>
chooseGranules(const KernelProgram &program,
               std::vector<std::pair<uint64_t, uint64_t>> longest);

struct KernelRun {
  uint64_t steps = 0; ///< Instructions, of all ranks and calls.
};

/// Runs `program` on all ranks. A finding where it fails its goal.
std::optional<Finding> runKernel(const KernelProgram &program, KernelGoal goal,
                                 KernelRun &run);

} // namespace rcclx

#endif // RCCLX_ANALYSIS_KERNELMACHINE_H
