//===- Simulate.h - Checks of a traced schedule -----------------*- C++ -*-===//
//
// Part of rcclx.
//
// The four steps of a proof over the trace of all ranks. Each costs time
// near-linear in the number of operations and gives a finding where the
// schedule is wrong; the later ones need what the earlier ones established:
//
//   matchMessages   tags rise, every message has one sender and one receiver,
//                   both mean the same extent
//   orderRanks      no deadlock under k slots; the least k
//   evaluate        what every element of every output is; no race, nothing
//                   written twice or read before it is written
//   checkContract   that this is what the contract asks for
//
// A network of ranks that block on receive and on full slots is deterministic:
// whether it ends, and with which values, does not depend on the order in which
// ranks run. So one execution decides.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_ANALYSIS_SIMULATE_H
#define RCCLX_ANALYSIS_SIMULATE_H

#include "rcclx/Analysis/Terms.h"
#include "rcclx/Analysis/Trace.h"
#include <limits>
#include <optional>

namespace rcclx {

/// One end of a message.
struct MessageEnd {
  SourceOp op;
  uint32_t tag;
  IntervalId extent;
  bool isSignal;
};

/// The messages from one rank to one rank, in order at either end.
struct Channel {
  uint32_t source;
  uint32_t destination;
  std::vector<MessageEnd> sent;
  std::vector<MessageEnd> received;
};

/// The ordered pairs of ranks that exchange messages.
class ChannelTable {
public:
  explicit ChannelTable(uint32_t world)
      : world(world), index(size_t(world) * world, none) {}

  uint32_t getOrCreate(uint32_t source, uint32_t destination);
  uint32_t get(uint32_t source, uint32_t destination) const {
    return index[size_t(source) * world + destination];
  }
  /// The channel of a send, receive, signal or wait of `rank`.
  uint32_t getOf(uint32_t rank, const Event &event) const {
    return event.isSend() ? get(rank, event.peer) : get(event.peer, rank);
  }

  Channel &operator[](uint32_t channel) { return channels[channel]; }
  const Channel &operator[](uint32_t channel) const {
    return channels[channel];
  }
  size_t size() const { return channels.size(); }
  std::vector<Channel>::const_iterator begin() const {
    return channels.begin();
  }
  std::vector<Channel>::const_iterator end() const { return channels.end(); }

private:
  static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();

  uint32_t world;
  std::vector<uint32_t> index;
  std::vector<Channel> channels;
};

/// Fills `channels` and checks extents, tags and that every message has both
/// ends.
std::optional<Finding> matchMessages(const ScheduleTrace &trace,
                                     ChannelTable &channels);

/// `rank` runs its events up to, not including, number `end`.
struct Turn {
  uint32_t rank;
  uint32_t end;
};

/// An execution that no rank leaves unfinished.
struct Execution {
  std::vector<Turn> turns;
  /// The fewest slots per ordered pair that cannot deadlock.
  uint32_t leastSlots = 1;
};

/// Runs the matched messages with `slots` slots per ordered pair: a send waits
/// until the message `slots` before it on its pair has been received.
std::optional<Finding> orderRanks(const ScheduleTrace &trace,
                                  const ChannelTable &channels, uint32_t slots,
                                  Execution &execution);

/// Part of a rank's output that holds one term. Pieces are sorted, cover what
/// is written, and neighbours hold different terms.
struct WrittenPiece {
  uint32_t block;
  IntervalId interval;
  TermId term;
  SourceOp op; ///< The store that wrote it.
};

/// Which operation of which rank first made a term.
struct TermOrigin {
  SourceOp op;
  uint32_t rank;
};

/// What an execution leaves behind.
struct Evaluation {
  TermStore terms;
  std::vector<TermOrigin> origins; ///< One per term.
  std::vector<std::vector<WrittenPiece>> outputs;
  /// Per rank, whose entry happens before its exit. For barriers only.
  std::vector<std::vector<bool>> heard;
};

/// Executes `trace` in the given order, with terms as values. Interns further
/// intervals in it.
std::optional<Finding> evaluate(ScheduleTrace &trace,
                                const ChannelTable &channels,
                                const Execution &execution,
                                Evaluation &evaluation);

/// Compares the outputs, all of them complete, with what the goal asks for.
std::optional<Finding> checkContract(const ScheduleTrace &trace,
                                     const Evaluation &evaluation);

} // namespace rcclx

#endif // RCCLX_ANALYSIS_SIMULATE_H
