//===- Trace.cpp - What each rank does, in order --------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/Trace.h"

using namespace rcclx;

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

uint32_t ScheduleTrace::getOutputBlocks() const {
  switch (goal) {
  case Goal::AllReduce:
  case Goal::ReduceScatter:
    return 1;
  case Goal::AllGather:
  case Goal::AllToAll:
    return getWorld();
  case Goal::Barrier:
    return 0;
  }
  return 0;
}
