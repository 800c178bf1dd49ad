//===- Buffers.cpp - User buffers of a kernel's proof ---------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "../Wording.h"
#include "Machine.h"

using namespace rcclx;

const AccessMap::value_type *rcclx::findOverlap(const AccessMap &accesses,
                                                uint32_t block, uint64_t lo,
                                                uint64_t hi) {
  auto it = accesses.upper_bound({block, lo});
  if (it != accesses.begin()) {
    const auto &before = *std::prev(it);
    if (before.first.first == block && before.second.hi > lo)
      return &before;
  }
  if (it != accesses.end() && it->first.first == block && it->first.second < hi)
    return &*it;
  return nullptr;
}

Step KernelMachine::load(Agent &agent, Instruction in) {
  BufferRef buffer = agent.registers[in.a].buffer;
  const TileRange &granules = agent.registers[in.c].range;
  if (!checkRange(agent, in, agent.registers[in.b].range, granules))
    return Step::Fail;
  Datum &result = agent.registers[in.result].datum;
  if (buffer.block == ~uint32_t(0) ||
      (buffer.memory == Memory::Input &&
       (!goal.hasInput[agent.rank] || buffer.block >= goal.inputBlocks))) {
    fail(agent, in.op, "reads a block that is not there");
    return Step::Fail;
  }
  if (buffer.memory == Memory::Input) {
    if (!readInPlace(agent, in, buffer.block, granules))
      return Step::Fail;
    result = {granules.lo,
              granules.hi,
              goal.terms.getInput(agent.rank, buffer.block),
              agent.call,
              program.isPrescaled,
              false};
    return Step::Next;
  }
  const AccessMap &accesses = buffer.memory == Memory::Output
                                  ? memories[agent.rank].output
                                  : memories[agent.rank].scratch;
  auto it = accesses.find({buffer.block, granules.lo});
  // What the same thread wrote: another one may not have written it yet.
  if (it == accesses.end() || it->second.hi != granules.hi ||
      it->second.each != granules.each || it->second.agent != agent.id) {
    fail(agent, in.op,
         "reads " + granuleNames(granules.lo, granules.hi) + " of block " +
             str(buffer.block) +
             ", which the same threads have not written before");
    return Step::Fail;
  }
  result = {granules.lo, granules.hi, it->second.term,
            agent.call,  false,       false};
  return Step::Next;
}

/// In place, input is gone where output was written; and only the threads that
/// read it may write there later.
bool KernelMachine::readInPlace(Agent &agent, Instruction in, uint32_t block,
                                const TileRange &granules) {
  std::optional<uint32_t> output;
  if (goal.aliasedBlock)
    output = goal.aliasedBlock(agent.rank, block);
  if (!output)
    return true;
  UserMemory &memory = memories[agent.rank];
  if (const auto *written =
          findOverlap(memory.output, *output, granules.lo, granules.hi)) {
    fail(agent, in.op,
         "reads " + granuleNames(granules.lo, granules.hi) + " of block " +
             str(block) +
             " of the input, which a call in place has overwritten");
    note(written->second.op, "overwritten here");
    return false;
  }
  Access access = {granules.hi, granules.each, 0, agent.id, in.op};
  uint64_t lo = granules.lo;
  while (const auto *other =
             findOverlap(memory.input, *output, lo, access.hi)) {
    const Access &before = other->second;
    if (other->first.second == lo && before.hi == access.hi &&
        before.each == access.each && before.agent == access.agent)
      return true;
    // Nobody may write what was read in two ways.
    lo = std::min(lo, other->first.second);
    access.hi = std::max(access.hi, before.hi);
    access.agent = nobody;
    memory.input.erase(other->first);
  }
  memory.input.try_emplace({*output, lo}, access);
  return true;
}

bool KernelMachine::writeInPlace(Agent &agent, Instruction in, uint32_t block,
                                 const TileRange &granules) {
  const AccessMap &input = memories[agent.rank].input;
  const auto *read = findOverlap(input, block, granules.lo, granules.hi);
  if (!read ||
      (read->first.second == granules.lo && read->second.hi == granules.hi &&
       read->second.each == granules.each && read->second.agent == agent.id))
    return true;
  fail(agent, in.op,
       "overwrites, in place, input that other threads may still read");
  note(read->second.op, "read here");
  return false;
}

Step KernelMachine::store(Agent &agent, Instruction in) {
  const Datum &datum = agent.registers[in.a].datum;
  BufferRef buffer = agent.registers[in.b].buffer;
  const TileRange &granules = agent.registers[in.d].range;
  if (!checkRange(agent, in, agent.registers[in.c].range, granules) ||
      !checkDatum(agent, in, datum, granules, "writes"))
    return Step::Fail;
  if (buffer.block == ~uint32_t(0) || buffer.memory == Memory::Input) {
    fail(agent, in.op, "writes to a block that is not there, or to the input");
    return Step::Fail;
  }
  if (buffer.memory == Memory::Output &&
      !writeInPlace(agent, in, buffer.block, granules))
    return Step::Fail;
  AccessMap &accesses = buffer.memory == Memory::Output
                            ? memories[agent.rank].output
                            : memories[agent.rank].scratch;
  if (const auto *other =
          findOverlap(accesses, buffer.block, granules.lo, granules.hi)) {
    fail(agent, in.op,
         "writes " + granuleNames(granules.lo, granules.hi) + " of block " +
             str(buffer.block) + " again");
    note(other->second.op, "written here");
    return Step::Fail;
  }
  accesses.try_emplace(
      {buffer.block, granules.lo},
      Access{granules.hi, granules.each, datum.term, agent.id, in.op});
  return Step::Next;
}
