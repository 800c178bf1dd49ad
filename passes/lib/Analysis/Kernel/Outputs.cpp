//===- Outputs.cpp - Results of a kernel against its schedule's -----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "../Wording.h"
#include "Machine.h"

using namespace rcclx;

/// Every granule of the output holds the term that the schedule's proof gave.
bool KernelMachine::checkOutput(Agent &agent) {
  const AccessMap &output = memories[agent.rank].output;
  uint64_t granules = getGranules(agent);
  auto placeName = [&](uint32_t block, uint64_t lo, uint64_t hi) {
    return granuleNames(lo, hi) + " of block " + str(block) + " of the output";
  };
  auto it = output.begin();
  for (const ExpectedPiece &piece : goal.outputs[agent.rank]) {
    // As ranges of the kernel are cut.
    uint64_t position = piece.a * granules / piece.d;
    uint64_t end = (piece.a + piece.l) * granules / piece.d;
    while (position < end) {
      bool isBefore = it != output.end() && it->first.first == piece.block &&
                      it->first.second <= position;
      if (!isBefore) {
        uint64_t next = it != output.end() && it->first.first == piece.block
                            ? std::min(end, it->first.second)
                            : end;
        return fail(agent, 0,
                    placeName(piece.block, position, next) +
                        " are never written");
      }
      const Access &access = it->second;
      uint64_t until = std::min(end, access.hi);
      if (access.term != piece.term)
        return fail(agent, access.op,
                    placeName(piece.block, position, until) + " become " +
                        goal.terms.describe(access.term) +
                        "; expected, as in the schedule, " +
                        goal.terms.describe(piece.term));
      position = until;
      if (until == access.hi)
        ++it;
    }
  }
  if (it != output.end())
    return fail(
        agent, it->second.op,
        "writes " +
            placeName(it->first.first, it->first.second, it->second.hi) +
            ", which is none of the schedule's");
  return true;
}

/// No rank leaves a barrier before all have entered it.
bool KernelMachine::checkEntries(Agent &agent) {
  for (const Agent &other : agents) {
    if (other.rank == agent.rank)
      continue;
    bool hasEntered = entries[other.id].size() >= agent.call;
    bool isKnown = false;
    for (uint32_t group = 0; group < program.groups; ++group)
      isKnown |=
          hasEntered && agents[getAgent(agent.rank, group)].clock.knows(
                            {other.id, entries[other.id][agent.call - 1]});
    if (!isKnown)
      return fail(agent, 0,
                  "may leave the barrier before rank " + str(other.rank) +
                      " has entered it");
  }
  return true;
}
