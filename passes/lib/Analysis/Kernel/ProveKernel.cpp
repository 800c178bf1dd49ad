//===- ProveKernel.cpp - Proof of a kernel against its schedule -----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/ProveKernel.h"
#include "BuildProgram.h"
#include "rcclx/Analysis/KernelMachine.h"
#include "rcclx/Analysis/Proof.h"
#include "rcclx/Analysis/Stages.h"
#include "rcclx/Analysis/TraceSchedule.h"

using namespace mlir;
using namespace rcclx;

static KernelGoal makeGoal(const Proof &proof) {
  KernelGoal goal;
  std::vector<TermId> ids = internTerms(proof.terms, goal.terms);
  for (const std::vector<OutputPiece> &output : proof.outputs) {
    std::vector<ExpectedPiece> &expected = goal.outputs.emplace_back();
    for (const OutputPiece &piece : output)
      expected.push_back(
          {piece.block, piece.a, piece.l, piece.d, ids[piece.term]});
  }
  goal.edges = proof.edges;
  goal.readers = proof.readers;
  return goal;
}

/// Buffers that ranks have, and which of them are one in a call in place.
static LogicalResult describeBuffers(CollectiveOp collective, uint32_t world,
                                     KernelGoal &goal) {
  Goal kind = getGoal(collective.getContract());
  goal.isBarrier = kind == Goal::Barrier;
  ScheduleTrace buffers(kind, world, getRoles(collective, world));
  for (uint32_t rank = 0; rank < world; ++rank)
    goal.hasInput.push_back(buffers.hasBuffer(Memory::Input, rank));
  goal.inputBlocks = buffers.hasBlockPerRank(Memory::Input) ? world : 1;
  FailureOr<bool> inPlace = isSafeInPlace(collective, world);
  if (failed(inPlace))
    return failure();
  if (*inPlace)
    goal.aliasedBlock = [kind](uint32_t rank, uint32_t block) {
      return getAliasedBlock(kind, rank, block);
    };
  return success();
}

FailureOr<KernelProof> rcclx::proveKernel(kernel::FuncOp func,
                                          CollectiveOp collective) {
  if (func.getSpec() != collective.getSpecAttr())
    return func.emitOpError("is bound to other values than the schedule that "
                            "it implements");
  uint32_t world = func.getSpec().getWorld();
  FailureOr<Proof> proof =
      proveSchedule(collective, world, /*slots=*/UINT32_MAX);
  FailureOr<BuiltKernel> built = buildKernelProgram(func);
  if (failed(proof) || failed(built))
    return failure();
  KernelGoal goal = makeGoal(*proof);
  if (failed(describeBuffers(collective, world, goal)))
    return failure();
  for (uint32_t group = 0; group < built->program.groups; ++group)
    goal.longest.push_back(findLongestSlice(collective, group));
  goal.granules = chooseGranules(built->program, goal.longest);
  // Some ten instructions make an operation of the schedule on a tile.
  constexpr uint64_t enough = 256, least = uint64_t(1) << 22;
  goal.maxSteps = least + enough * proof->operations * goal.granules.size() *
                              (built->program.depth + 2);
  KernelProof result;
  result.calls = goal.granules.size();
  KernelRun run;
  std::optional<Finding> finding =
      runKernel(built->program, std::move(goal), run);
  result.steps = run.steps;
  if (!finding)
    return result;
  InFlightDiagnostic diagnostic =
      built->sources[finding->op]->emitOpError(finding->message);
  for (const auto &[op, text] : finding->notes)
    diagnostic.attachNote(built->sources[op]->getLoc()) << text;
  diagnostic.attachNote(func.getLoc())
      << "the schedule is proved, its lowered form is wrong: a defect of the "
         "lowering, not of the schedule";
  return failure();
}
