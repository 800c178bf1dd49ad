//===- Elements.cpp - Slots and arithmetic of a kernel's proof ------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "../Wording.h"
#include "Machine.h"
#include "rcclx_params.h"

using namespace rcclx;

static const char *kindName(SlotKind kind) {
  switch (kind) {
  case SlotKind::LL:
    return "ll";
  case SlotKind::Sentinel:
    return "sentinel";
  case SlotKind::Flag:
    return "flag";
  case SlotKind::Direct:
    return "direct";
  }
  return "";
}

/// Whether the data tells that it has arrived, and is reset when it is read.
static bool isPacket(SlotKind kind) {
  return kind == SlotKind::LL || kind == SlotKind::Sentinel;
}

static std::string slotName(const SlotRef &ref) {
  return ref.kind == SlotKind::Direct
             ? "window part " + str(ref.number)
             : "slot of tag " + str(ref.tag) + ", tile " + str(ref.tile);
}

//===----------------------------------------------------------------------===//
// Granules
//===----------------------------------------------------------------------===//

/// The last groups of a range are cut off at the end of the range that the
/// operation names.
bool KernelMachine::checkRange(Agent &agent, Instruction in,
                               const TileRange &range,
                               const TileRange &granules) {
  if (range.origin == granules.origin && range.lo == granules.lo &&
      range.hi == granules.hi && range.each == granules.each)
    return true;
  return fail(agent, in.op, "works on another range than its loop");
}

bool KernelMachine::checkDatum(Agent &agent, Instruction in, const Datum &datum,
                               const TileRange &granules, const char *verb) {
  if (datum.isRaw)
    return fail(agent, in.op,
                std::string(verb) + " input that was not multiplied by the "
                                    "call's scale");
  if (datum.isChanged)
    return fail(agent, in.op,
                std::string(verb) + " a copy that went through a sentinel "
                                    "slot, where NaNs lose their payload");
  if (datum.hi != everyGranule &&
      (datum.lo != granules.lo || datum.hi != granules.hi))
    return fail(agent, in.op,
                std::string(verb) + " " + granuleNames(datum.lo, datum.hi) +
                    " where " + granuleNames(granules.lo, granules.hi) +
                    " are expected");
  return true;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// How many there is room for in a half, or in a window.
uint64_t KernelMachine::countSlots(SlotKind kind) const {
  static_assert(RCCLX_WINDOW_BYTES == RCCLX_HALF_BYTES);
  return RCCLX_HALF_BYTES / (program.tile * (kind == SlotKind::LL ? 32 : 16));
}

/// Whether `granules`, in a slot of `range`, lie in the slot that `ref` names.
bool KernelMachine::checkSlot(Agent &agent, Instruction in, const SlotRef &ref,
                              const TileRange &range,
                              const TileRange &granules) {
  constexpr uint32_t none = ~uint32_t(0);
  if (!agent.isOpen || agent.isClosed)
    return fail(agent, in.op,
                "uses a slot before rcclx_kernel.open or after "
                "rcclx_kernel.close");
  if (ref.peer == none || ref.tag == none || ref.tile == none)
    return fail(agent, in.op,
                "uses a slot of a rank, tag or tile that is not there");
  if (ref.kind != static_cast<SlotKind>(in.kind))
    return fail(agent, in.op,
                std::string("goes by ") +
                    kindName(static_cast<SlotKind>(in.kind)) +
                    " in a slot of " + kindName(ref.kind));
  bool isOutgoing = in.code == KernelCode::Send;
  if (ref.isOutgoing != isOutgoing)
    return fail(agent, in.op,
                isOutgoing ? "sends into a slot that is received from"
                           : "receives from a slot that is sent to");
  if (!checkRange(agent, in, range, granules))
    return false;
  if (ref.number >= countSlots(ref.kind))
    return fail(agent, in.op, slotName(ref) + " lies outside of its half");
  if (!hasEdge(agent.rank, ref.peer) &&
      !(ref.kind == SlotKind::Direct && ref.isOutgoing))
    return fail(agent, in.op, "the plan has no edge to rank " + str(ref.peer));
  return true;
}

/// The slot that `ref`, which checkSlot has checked, names: in the region of
/// the pair, or in a window.
Slot &KernelMachine::findSlot(const Agent &agent, const SlotRef &ref) {
  std::vector<Slot> *slots = nullptr;
  if (ref.kind == SlotKind::Direct) {
    slots = &windows[ref.isOutgoing ? agent.rank : ref.peer];
  } else {
    Region &region = ref.isOutgoing ? getRegion(agent.rank, ref.peer)
                                    : getRegion(ref.peer, agent.rank);
    slots = &region.slots[2 * size_t(ref.kind) + agent.call % 2];
  }
  if (slots->empty())
    slots->resize(std::min(program.tags * program.depth, countSlots(ref.kind)));
  return (*slots)[ref.number];
}

Step KernelMachine::send(Agent &agent, Instruction in) {
  const Datum &datum = agent.registers[in.a].datum;
  const SlotRef &ref = agent.registers[in.b].slot;
  const TileRange &range = agent.registers[in.c].range;
  const TileRange &granules = agent.registers[in.d].range;
  if (!checkDatum(agent, in, datum, granules, "sends") ||
      !checkSlot(agent, in, ref, range, granules))
    return Step::Fail;
  if (ref.kind == SlotKind::Sentinel && !program.takesSentinel) {
    fail(agent, in.op, "sends integers by sentinel, which needs a spare NaN");
    return Step::Fail;
  }
  Slot &slot = findSlot(agent, ref);
  if (slot.isFull) {
    fail(agent, in.op,
         "overwrites the " + slotName(ref) + ", before rank " + str(ref.peer) +
             " has read what lies there");
    note(slot.writer, "written here");
    return Step::Fail;
  }
  for (Moment read : slot.read)
    if (!agent.clock.knows(read)) {
      fail(agent, in.op,
           "overwrites the " + slotName(ref) + ", in no order with rank " +
               str(agents[read.agent].rank) +
               (isPacket(ref.kind) ? " resetting it" : " reading it"));
      note(slot.reader, "read here");
      return Step::Fail;
    }
  if (!agent.clock.knows(slot.written)) {
    fail(agent, in.op,
         "overwrites the " + slotName(ref) + ", in no order with rank " +
             str(agents[slot.written.agent].rank) + " writing it");
    note(slot.writer, "written here");
    return Step::Fail;
  }
  // Credits go from block to block.
  if (slot.datum.call == agent.call && slot.each != granules.each) {
    fail(agent, in.op,
         "cuts the " + slotName(ref) + " into other blocks than before");
    note(slot.writer, "written here");
    return Step::Fail;
  }
  slot.isFull = isPacket(ref.kind);
  slot.datum = datum;
  slot.datum.lo = granules.lo;
  slot.datum.hi = granules.hi;
  slot.datum.call = agent.call;
  // What `round` and `finish` give is canonical already.
  TermKind term = goal.terms[datum.term].kind;
  slot.datum.isChanged = ref.kind == SlotKind::Sentinel &&
                         term != TermKind::Round && term != TermKind::Finish;
  slot.origin = range.origin;
  slot.each = granules.each;
  slot.level = agent.level;
  slot.loop = agent.loop;
  slot.writer = in.op;
  slot.written = agent.clock.now();
  slot.read.clear();
  if (isPacket(ref.kind)) {
    Region &region = getRegion(agent.rank, ref.peer);
    for (AgentId &waiter : region.waiters)
      wake(waiter);
    region.waiters.clear();
  }
  return Step::Next;
}

Step KernelMachine::recv(Agent &agent, Instruction in) {
  const SlotRef &ref = agent.registers[in.a].slot;
  const TileRange &range = agent.registers[in.b].range;
  const TileRange &granules = agent.registers[in.c].range;
  if (!checkSlot(agent, in, ref, range, granules))
    return Step::Fail;
  if (index(agent, in.d) != ref.peer) {
    fail(agent, in.op,
         "names rank " + std::to_string(index(agent, in.d)) +
             " in its errors, but receives from rank " + str(ref.peer));
    return Step::Fail;
  }
  Slot &slot = findSlot(agent, ref);
  if (isPacket(ref.kind)) {
    // A reset that another agent has still to do would be taken for data.
    for (Moment reset : slot.read)
      if (!slot.isFull && !agent.clock.knows(reset)) {
        fail(agent, in.op,
             "reads the " + slotName(ref) + " in no order with its reset");
        note(slot.reader, "reset here");
        return Step::Fail;
      }
    if (!slot.isFull) {
      getRegion(ref.peer, agent.rank).waiters.push_back(agent.id);
      agent.wait = {in.op, ref.peer, "a packet", ref.tag, ref.tile};
      return Step::Wait;
    }
    if (!checkLoop(agent, in, slot))
      return Step::Fail;
  } else if (slot.written.time == 0 || !agent.clock.knows(slot.written)) {
    fail(agent, in.op,
         "reads the " + slotName(ref) + ", in no order with rank " +
             str(ref.peer) + " writing it");
    if (slot.written.time != 0)
      note(slot.writer, "written here");
    return Step::Fail;
  }
  const Datum &datum = slot.datum;
  if (datum.call != agent.call || datum.lo != granules.lo ||
      datum.hi != granules.hi || slot.origin != range.origin ||
      slot.each != granules.each) {
    fail(agent, in.op,
         "expects " + granuleNames(granules.lo, granules.hi) + " from rank " +
             str(ref.peer) + ", but finds " + granuleNames(datum.lo, datum.hi) +
             (datum.call == agent.call ? "" : " of call " + str(datum.call)));
    note(slot.writer, "written here");
    return Step::Fail;
  }
  slot.isFull = false;
  slot.reader = in.op;
  slot.read.push_back(agent.clock.now());
  agent.registers[in.result].datum = datum;
  return Step::Next;
}

/// A loop that waits after it has sent gets what depends on lower levels, or
/// what comes from the same loop.
bool KernelMachine::checkLoop(Agent &agent, Instruction in, const Slot &slot) {
  if (agent.loop != 0 && slot.loop != agent.loop && slot.level >= agent.loop) {
    fail(agent, in.op,
         "waits, after its loop has sent, for a message that may wait for the "
         "loop");
    note(slot.writer, "sent here");
    return false;
  }
  agent.level = std::max(agent.level, slot.level);
  return true;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Step KernelMachine::compute(Agent &agent, Instruction in) {
  Datum &result = agent.registers[in.result].datum;
  if (in.code == KernelCode::Identity) {
    result = {0, everyGranule, goal.terms.getIdentity(), 0, false, false};
    return Step::Next;
  }
  Datum value = agent.registers[in.a].datum;
  switch (in.code) {
  case KernelCode::Prescale:
    if (!value.isRaw) {
      fail(agent, in.op,
           "multiplies by the call's scale what is no input of a reduction by "
           "premul_sum");
      return Step::Fail;
    }
    value.isRaw = false;
    break;
  case KernelCode::Reduce: {
    const Datum &other = agent.registers[in.b].datum;
    if (other.isRaw) {
      fail(agent, in.op,
           "reduces input that was not multiplied by the call's scale");
      return Step::Fail;
    }
    if (value.hi != everyGranule &&
        (value.lo != other.lo || value.hi != other.hi)) {
      fail(agent, in.op,
           "reduces " + granuleNames(value.lo, value.hi) + " with " +
               granuleNames(other.lo, other.hi));
      return Step::Fail;
    }
    TermId term = goal.terms.getReduce(value.term, other.term);
    value = other;
    value.term = term;
    value.isChanged = false;
    break;
  }
  case KernelCode::Round:
    value.term = goal.terms.getRound(value.term);
    break;
  default:
    value.term = goal.terms.getFinish(value.term);
    break;
  }
  result = value;
  return Step::Next;
}
