//===- ProveKernel.cpp - Proof of a kernel against its schedule -----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/ProveKernel.h"
#include "BuildProgram.h"
#include "rcclx/Analysis/KernelMachine.h"
#include "rcclx/Analysis/Proof.h"

using namespace mlir;
using namespace rcclx;

static KernelGoal makeGoal(const Proof &proof, CollectiveOp collective) {
  KernelGoal goal;
  // Operands come before their users, so that numbers are the same.
  SmallVector<TermId> numbers;
  for (const Term &term : proof.terms)
    switch (term.kind) {
    case TermKind::Input:
      numbers.push_back(goal.terms.getInput(term.first, term.second));
      break;
    case TermKind::Identity:
      numbers.push_back(goal.terms.getIdentity());
      break;
    case TermKind::Reduce:
      numbers.push_back(
          goal.terms.getReduce(numbers[term.first], numbers[term.second]));
      break;
    case TermKind::Round:
      numbers.push_back(goal.terms.getRound(numbers[term.first]));
      break;
    case TermKind::Finish:
      numbers.push_back(goal.terms.getFinish(numbers[term.first]));
      break;
    }
  for (const std::vector<OutputPiece> &output : proof.outputs) {
    std::vector<ExpectedPiece> &expected = goal.outputs.emplace_back();
    for (const OutputPiece &piece : output)
      expected.push_back(
          {piece.block, piece.a, piece.l, piece.d, numbers[piece.term]});
  }
  goal.edges = proof.edges;
  goal.readers = proof.readers;
  goal.isBarrier = collective.getContract() == Contract::Barrier;
  return goal;
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
  KernelGoal goal = makeGoal(*proof, collective);
  goal.granules = chooseGranules(built->program);
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
