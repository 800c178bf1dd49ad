//===- Trace.cpp - What each rank does, in order --------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/Trace.h"

using namespace rcclx;

Roles::Roles(uint32_t world, uint32_t root,
             const std::vector<uint32_t> &permutation)
    : root(root), destinations(permutation), sources(world) {
  for (uint32_t rank = destinations.size(); rank < world; ++rank)
    destinations.push_back((rank + 1) % world);
  for (uint32_t rank = 0; rank < world; ++rank)
    sources[destinations[rank]] = rank;
}

Event &RankTrace::append(EventKind kind, SourceOp op) {
  Event &event = events.emplace_back();
  event.kind = kind;
  event.op = op;
  event.group = group;
  return event;
}

ValueId RankTrace::load(SourceOp op, Place place, uint32_t owner,
                        bool isRemote) {
  Event &event = append(EventKind::Load, op);
  event.place = place;
  event.peer = owner;
  event.isRemote = isRemote;
  return define(event);
}

void RankTrace::store(SourceOp op, ValueId value, Place place, uint32_t owner,
                      bool isRemote) {
  Event &event = append(EventKind::Store, op);
  event.value = value;
  event.place = place;
  event.peer = owner;
  event.isRemote = isRemote;
}

void RankTrace::send(SourceOp op, ValueId value, uint32_t peer, uint32_t tag) {
  Event &event = append(EventKind::Send, op);
  event.value = value;
  event.peer = peer;
  event.tag = tag;
}

ValueId RankTrace::recv(SourceOp op, IntervalId like, uint32_t peer,
                        uint32_t tag) {
  Event &event = append(EventKind::Recv, op);
  event.place.interval = like;
  event.peer = peer;
  event.tag = tag;
  return define(event);
}

void RankTrace::signal(SourceOp op, uint32_t peer, uint32_t tag) {
  Event &event = append(EventKind::Signal, op);
  event.peer = peer;
  event.tag = tag;
}

void RankTrace::wait(SourceOp op, uint32_t peer, uint32_t tag) {
  Event &event = append(EventKind::Wait, op);
  event.peer = peer;
  event.tag = tag;
}

ValueId RankTrace::identity(SourceOp op) {
  return define(append(EventKind::Identity, op));
}

ValueId RankTrace::reduce(SourceOp op, ValueId acc, ValueId chunk) {
  Event &event = append(EventKind::Reduce, op);
  event.acc = acc;
  event.chunk = chunk;
  return define(event);
}

ValueId RankTrace::round(SourceOp op, ValueId acc) {
  Event &event = append(EventKind::Round, op);
  event.acc = acc;
  return define(event);
}

ValueId RankTrace::finish(SourceOp op, ValueId acc) {
  Event &event = append(EventKind::Finish, op);
  event.acc = acc;
  return define(event);
}

bool ScheduleTrace::hasBuffer(Memory memory, uint32_t rank) const {
  switch (memory) {
  case Memory::Input:
    return rank == roles.root ||
           (goal != Goal::Broadcast && goal != Goal::Scatter);
  case Memory::Output:
    return rank == roles.root || (goal != Goal::Reduce && goal != Goal::Gather);
  case Memory::Scratch:
    return true;
  }
  return true;
}

bool ScheduleTrace::hasBlockPerRank(Memory memory) const {
  switch (memory) {
  case Memory::Input:
    return goal == Goal::ReduceScatter || goal == Goal::Scatter ||
           goal == Goal::AllToAll;
  case Memory::Output:
    return goal == Goal::AllGather || goal == Goal::Gather ||
           goal == Goal::AllToAll;
  case Memory::Scratch:
    return true;
  }
  return true;
}

uint32_t ScheduleTrace::getOutputBlocks(uint32_t rank) const {
  if (goal == Goal::Barrier || !hasBuffer(Memory::Output, rank))
    return 0;
  return hasBlockPerRank(Memory::Output) ? getWorld() : 1;
}
