//===- Proof.cpp - Proof of a schedule for one world size -----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/Proof.h"
#include "rcclx/Analysis/Simulate.h"
#include "rcclx/Analysis/TraceSchedule.h"

using namespace mlir;
using namespace rcclx;

static void emitFinding(const TracedSchedule &traced, const Finding &finding) {
  InFlightDiagnostic diagnostic =
      traced.sources[finding.op]->emitOpError(finding.message);
  for (const auto &[op, text] : finding.notes)
    diagnostic.attachNote(traced.sources[op]->getLoc()) << text;
}

/// Copies the terms that outputs are made of, in their order, and the outputs.
static void copyOutputs(const ScheduleTrace &trace,
                        const Evaluation &evaluation, Proof &proof) {
  const TermStore &terms = evaluation.terms;
  std::vector<bool> isUsed(terms.size(), false);
  for (const std::vector<WrittenPiece> &output : evaluation.outputs)
    for (const WrittenPiece &piece : output)
      isUsed[piece.term] = true;
  // Operands have smaller numbers than their users.
  for (TermId id = terms.size(); id-- > 0;) {
    if (!isUsed[id])
      continue;
    const Term &term = terms[id];
    if (term.kind == TermKind::Reduce)
      isUsed[term.second] = true;
    if (term.kind != TermKind::Input && term.kind != TermKind::Identity)
      isUsed[term.first] = true;
  }
  std::vector<TermId> renumbered(terms.size());
  for (TermId id = 0; id < terms.size(); ++id) {
    if (!isUsed[id])
      continue;
    Term term = terms[id];
    if (term.kind == TermKind::Reduce)
      term.second = renumbered[term.second];
    if (term.kind != TermKind::Input && term.kind != TermKind::Identity)
      term.first = renumbered[term.first];
    renumbered[id] = proof.terms.size();
    proof.terms.push_back(term);
  }
  proof.outputs.resize(trace.getWorld());
  for (uint32_t rank = 0; rank < trace.getWorld(); ++rank)
    for (const WrittenPiece &piece : evaluation.outputs[rank]) {
      const Interval &interval = trace.intervals[piece.interval];
      proof.outputs[rank].push_back({piece.block, interval.begin,
                                     interval.length, interval.denominator,
                                     renumbered[piece.term]});
    }
}

/// Counts operations and messages and collects who deals with whom.
static void copyTraffic(const ScheduleTrace &trace,
                        const ChannelTable &channels, Proof &proof) {
  uint32_t world = trace.getWorld();
  proof.edges.resize(world);
  proof.readers.resize(world);
  auto connect = [&](uint32_t a, uint32_t b) {
    proof.edges[a].push_back(b);
    proof.edges[b].push_back(a);
  };
  for (const Channel &channel : channels) {
    connect(channel.source, channel.destination);
    if (channel.source != channel.destination)
      proof.messages += channel.sent.size();
    // Tags rise.
    proof.maxTag =
        std::max<uint64_t>(proof.maxTag, uint64_t(channel.sent.back().tag) + 1);
  }
  for (uint32_t rank = 0; rank < world; ++rank) {
    proof.operations += trace.ranks[rank].getEvents().size();
    for (const Event &event : trace.ranks[rank].getEvents()) {
      if (!event.isRemote)
        continue;
      connect(rank, event.peer);
      if (event.kind == EventKind::Load)
        proof.readers[event.peer].push_back(rank);
    }
  }
  for (std::vector<uint32_t> &list : proof.readers) {
    llvm::sort(list);
    for (size_t i = 0, first = 0; i < list.size(); ++i) {
      first = list[i] == list[first] ? first : i;
      proof.mostReads = std::max<uint64_t>(proof.mostReads, i - first + 1);
    }
  }
  for (auto *lists : {&proof.edges, &proof.readers})
    for (std::vector<uint32_t> &list : *lists) {
      llvm::sort(list);
      list.erase(llvm::unique(list), list.end());
    }
}

FailureOr<Proof> rcclx::proveSchedule(CollectiveOp collective, uint32_t world,
                                      uint32_t slots) {
  return proveSchedule(collective, world, slots, getRoles(collective, world));
}

FailureOr<Proof> rcclx::proveSchedule(CollectiveOp collective, uint32_t world,
                                      uint32_t slots, const Roles &roles) {
  if (world == 0 || world > maxProofWorld)
    return collective.emitOpError("cannot be proved for ")
           << world << " ranks; expected 1 to " << maxProofWorld;
  if (slots == 0)
    return collective.emitOpError("cannot be proved without message slots");
  FailureOr<TracedSchedule> traced = traceSchedule(collective, world, roles);
  if (failed(traced))
    return failure();
  ScheduleTrace &trace = traced->trace;
  ChannelTable channels(world);
  Execution execution;
  Evaluation evaluation;
  std::optional<Finding> finding = matchMessages(trace, channels);
  if (!finding)
    finding = orderRanks(trace, channels, slots, execution);
  if (!finding)
    finding = evaluate(trace, channels, execution, evaluation);
  if (!finding)
    finding = checkContract(trace, evaluation);
  if (finding) {
    emitFinding(*traced, *finding);
    return failure();
  }
  Proof proof;
  proof.leastSlots = execution.leastSlots;
  copyTraffic(trace, channels, proof);
  copyOutputs(trace, evaluation, proof);
  return proof;
}

std::vector<TermId> rcclx::internTerms(const std::vector<Term> &terms,
                                       TermStore &store) {
  std::vector<TermId> ids;
  for (const Term &term : terms)
    switch (term.kind) {
    case TermKind::Input:
      ids.push_back(store.getInput(term.first, term.second));
      break;
    case TermKind::Identity:
      ids.push_back(store.getIdentity());
      break;
    case TermKind::Reduce:
      ids.push_back(store.getReduce(ids[term.first], ids[term.second]));
      break;
    case TermKind::Round:
      ids.push_back(store.getRound(ids[term.first]));
      break;
    case TermKind::Finish:
      ids.push_back(store.getFinish(ids[term.first]));
      break;
    }
  return ids;
}

bool rcclx::haveSameResults(const Proof &a, const Proof &b) {
  TermStore store;
  std::vector<TermId> idsOfA = internTerms(a.terms, store);
  std::vector<TermId> idsOfB = internTerms(b.terms, store);
  // Neighbours hold different terms and intervals are in lowest terms, so that
  // equal outputs have equal pieces.
  return llvm::equal(
      a.outputs, b.outputs, [&](const auto &left, const auto &right) {
        return llvm::equal(left, right, [&](OutputPiece x, OutputPiece y) {
          x.term = idsOfA[x.term];
          y.term = idsOfB[y.term];
          return x == y;
        });
      });
}
