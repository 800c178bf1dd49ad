//===- Trace.h - What each rank does, in order ------------------*- C++ -*-===//
//
// Part of rcclx.
//
// Control flow in a schedule never depends on data, so that one execution of
// the index code gives each rank's operations as a flat list. Everything behind
// it, from matching messages to the contract, works on these lists and knows no
// MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_ANALYSIS_TRACE_H
#define RCCLX_ANALYSIS_TRACE_H

#include "rcclx/Analysis/Intervals.h"
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rcclx {

/// What a schedule shall compute.
enum class Goal : uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Reduce,
  Gather,
  Scatter,
  Permute,
  Barrier
};

/// What is bound with the world: the rank that differs from the others, and
/// where the input of each rank goes in a permute.
struct Roles {
  uint32_t root = 0;
  std::vector<uint32_t> destinations; ///< Per rank.
  std::vector<uint32_t> sources;      ///< Per rank: the inverse.

  /// `permutation` is one of the ranks; empty: each sends to the next.
  explicit Roles(uint32_t world, uint32_t root = 0,
                 const std::vector<uint32_t> &permutation = {});
};

enum class Memory : uint8_t { Input, Output, Scratch };

/// An interval of one block of a buffer.
struct Place {
  Memory memory = Memory::Input;
  uint32_t block = 0;
  IntervalId interval = IntervalTable::whole;
};

/// An operation of the source, as an index into the tracer's list. The
/// collective itself is number 0.
using SourceOp = uint32_t;

/// A chunk or an accumulator of one rank.
using ValueId = uint32_t;

enum class EventKind : uint8_t {
  Load,     ///< `value` = the place `place` of rank `peer`.
  Store,    ///< The place `place` of rank `peer` = `value`.
  Send,     ///< `value` to `peer`.
  Recv,     ///< `value` from `peer`, of the extent `place.interval`.
  Signal,   ///< To `peer`.
  Wait,     ///< From `peer`.
  Identity, ///< `value` = the neutral element.
  Reduce,   ///< `value` = `acc` and then `chunk`.
  Round,    ///< `value` = `acc` in the element type.
  Finish,   ///< `value` = `acc`, scaled, in the element type.
};

struct Event {
  EventKind kind;
  bool isRemote = false; ///< `peer` was named, even if it is the rank itself.
  Place place;
  SourceOp op = 0;
  ValueId value = 0;
  ValueId acc = 0;
  ValueId chunk = 0;
  uint32_t peer = 0;
  uint32_t tag = 0;
  uint32_t group = 0; ///< The block group that runs it.

  bool isSend() const {
    return kind == EventKind::Send || kind == EventKind::Signal;
  }
  bool isReceive() const {
    return kind == EventKind::Recv || kind == EventKind::Wait;
  }
};

/// One rank's operations. Each method appends one and gives the value that it
/// defines.
class RankTrace {
public:
  /// What follows is run by `number`. Block groups of a rank run side by side.
  void setGroup(uint32_t number) {
    group = number;
    numGroups = std::max(numGroups, number + 1);
  }
  ValueId load(SourceOp op, Place place, uint32_t owner, bool isRemote = false);
  void store(SourceOp op, ValueId value, Place place, uint32_t owner,
             bool isRemote = false);
  void send(SourceOp op, ValueId value, uint32_t peer, uint32_t tag);
  ValueId recv(SourceOp op, IntervalId like, uint32_t peer, uint32_t tag);
  void signal(SourceOp op, uint32_t peer, uint32_t tag);
  void wait(SourceOp op, uint32_t peer, uint32_t tag);
  ValueId identity(SourceOp op);
  ValueId reduce(SourceOp op, ValueId acc, ValueId chunk);
  ValueId round(SourceOp op, ValueId acc);
  ValueId finish(SourceOp op, ValueId acc);

  const std::vector<Event> &getEvents() const { return events; }
  uint32_t getNumValues() const { return numValues; }
  uint32_t getNumGroups() const { return numGroups; }

private:
  Event &append(EventKind kind, SourceOp op);
  ValueId define(Event &event) { return event.value = numValues++; }

  std::vector<Event> events;
  uint32_t numValues = 0;
  uint32_t group = 0;
  uint32_t numGroups = 1;
};

struct ScheduleTrace {
  Goal goal;
  Roles roles;
  IntervalTable intervals;
  std::vector<RankTrace> ranks;

  ScheduleTrace(Goal goal, uint32_t world)
      : ScheduleTrace(goal, world, Roles(world)) {}
  ScheduleTrace(Goal goal, uint32_t world, Roles roles)
      : goal(goal), roles(std::move(roles)), ranks(world) {}
  uint32_t getWorld() const { return ranks.size(); }
  /// Whether one rank, the root, differs from the others.
  bool hasRoot() const {
    return goal == Goal::Broadcast || goal == Goal::Reduce ||
           goal == Goal::Gather || goal == Goal::Scatter;
  }
  /// Whether `rank` has an input, or an output, at all: in some goals, only the
  /// root has.
  bool hasBuffer(Memory memory, uint32_t rank) const;
  /// Whether inputs, or outputs, have one block per rank.
  bool hasBlockPerRank(Memory memory) const;
  /// How many blocks the output of `rank` has.
  uint32_t getOutputBlocks(uint32_t rank) const;
};

/// Why a schedule is refused: one counter-example, at an operation.
struct Finding {
  SourceOp op;
  std::string message;
  std::vector<std::pair<SourceOp, std::string>> notes = {};
};

} // namespace rcclx

#endif // RCCLX_ANALYSIS_TRACE_H
