//===- OrderRanks.cpp - Freedom from deadlock under k slots ---------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Wording.h"
#include "rcclx/Analysis/Simulate.h"
#include <algorithm>

using namespace rcclx;

namespace {

/// The messages of all ranks, without their contents.
class Skeleton {
public:
  Skeleton(const ScheduleTrace &trace, const ChannelTable &channels);

  /// Runs all ranks as far as `slots` slots allow; true where they all end.
  /// Where `turns` is given, records the execution.
  bool run(uint32_t slots, std::vector<Turn> *turns = nullptr);

  /// What the last run left blocked.
  std::optional<Finding> describeDeadlock(uint32_t slots,
                                          std::optional<uint32_t> least) const;

  /// The fewest slots that do not deadlock, searched in `low` to `high`, where
  /// `high` is known to be enough.
  uint32_t findLeastSlots(uint32_t low, uint32_t high);

  /// As many as the messages of the busiest pair: more change nothing.
  uint32_t getMaxSlots() const { return maxSlots; }

private:
  struct Step {
    uint32_t channel;
    uint32_t event;
    bool isSend;
  };
  struct State {
    uint32_t sent = 0;
    uint32_t received = 0;
    bool senderWaits = false;
    bool receiverWaits = false;
  };

  uint32_t getAwaited(uint32_t rank) const {
    const Step &step = steps[rank][next[rank]];
    const Channel &channel = channels[step.channel];
    return step.isSend ? channel.destination : channel.source;
  }

  const ScheduleTrace &trace;
  const ChannelTable &channels;
  uint32_t maxSlots = 1;
  std::vector<std::vector<Step>> steps;
  std::vector<size_t> next;
  std::vector<State> states;
};

} // namespace

Skeleton::Skeleton(const ScheduleTrace &trace, const ChannelTable &channels)
    : trace(trace), channels(channels), steps(trace.getWorld()) {
  for (uint32_t rank = 0; rank < trace.getWorld(); ++rank) {
    const std::vector<Event> &events = trace.ranks[rank].getEvents();
    for (uint32_t number = 0; number < events.size(); ++number)
      if (events[number].isSend() || events[number].isReceive())
        steps[rank].push_back({channels.getOf(rank, events[number]), number,
                               events[number].isSend()});
  }
  for (const Channel &channel : channels)
    maxSlots = std::max<uint32_t>(maxSlots, channel.sent.size());
}

bool Skeleton::run(uint32_t slots, std::vector<Turn> *turns) {
  uint32_t world = trace.getWorld();
  next.assign(world, 0);
  states.assign(channels.size(), State());
  std::vector<uint32_t> runnable(world);
  for (uint32_t rank = 0; rank < world; ++rank)
    runnable[rank] = world - 1 - rank;
  size_t ended = 0;
  while (!runnable.empty()) {
    uint32_t rank = runnable.back();
    runnable.pop_back();
    for (; next[rank] < steps[rank].size(); ++next[rank]) {
      const Step &step = steps[rank][next[rank]];
      State &state = states[step.channel];
      if (step.isSend) {
        if (state.sent - state.received >= slots) {
          state.senderWaits = true;
          break;
        }
        ++state.sent;
        if (state.receiverWaits) {
          state.receiverWaits = false;
          runnable.push_back(channels[step.channel].destination);
        }
      } else {
        if (state.sent == state.received) {
          state.receiverWaits = true;
          break;
        }
        ++state.received;
        if (state.senderWaits) {
          state.senderWaits = false;
          runnable.push_back(channels[step.channel].source);
        }
      }
    }
    bool ends = next[rank] == steps[rank].size();
    ended += ends;
    if (turns)
      turns->push_back(
          {rank, ends ? uint32_t(trace.ranks[rank].getEvents().size())
                      : steps[rank][next[rank]].event});
  }
  return ended == world;
}

uint32_t Skeleton::findLeastSlots(uint32_t low, uint32_t high) {
  // More slots never block what fewer let pass.
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (run(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

std::optional<Finding>
Skeleton::describeDeadlock(uint32_t slots,
                           std::optional<uint32_t> least) const {
  // Every blocked rank waits for one other, blocked too since every message has
  // both its ends: following them ends in a cycle.
  uint32_t world = trace.getWorld();
  uint32_t rank = 0;
  while (next[rank] == steps[rank].size())
    ++rank;
  for (uint32_t i = 0; i < world; ++i)
    rank = getAwaited(rank);
  std::vector<uint32_t> cycle = {rank};
  for (uint32_t other = getAwaited(rank); other != rank;
       other = getAwaited(other))
    cycle.push_back(other);
  std::rotate(cycle.begin(), llvm::min_element(cycle), cycle.end());

  auto describeWait = [&](uint32_t rank) {
    const Step &step = steps[rank][next[rank]];
    const Event &event = trace.ranks[rank].getEvents()[step.event];
    std::string peer = event.peer == rank ? "itself" : rankName(event.peer);
    std::string tag = " with tag " + str(event.tag);
    const State &state = states[step.channel];
    if (step.isSend)
      return "waits for " + peer + " to receive the message with tag " +
             str(channels[step.channel].sent[state.received].tag) +
             " before it can send" + tag;
    return "waits for " + peer + " to send" + tag;
  };
  auto getOp = [&](uint32_t rank) {
    return trace.ranks[rank].getEvents()[steps[rank][next[rank]].event].op;
  };
  Finding finding{getOp(cycle[0]),
                  at(trace, cycle[0]) + "deadlock: " + describeWait(cycle[0])};
  if (least)
    finding.message += "; " + str(slots) +
                       (slots == 1 ? " slot per pair of ranks is too few, "
                                   : " slots per pair of ranks are too few, ") +
                       str(*least) + " are enough";
  else
    finding.message += "; no number of slots is enough";
  constexpr size_t maxNotes = 6;
  for (size_t i = 1; i < cycle.size() && i <= maxNotes; ++i)
    finding.notes.emplace_back(getOp(cycle[i]), rankName(cycle[i]) + " " +
                                                    describeWait(cycle[i]));
  if (cycle.size() > maxNotes + 1)
    finding.notes.emplace_back(getOp(cycle.back()),
                               "and so on, in a cycle of " + str(cycle.size()) +
                                   " ranks");
  return finding;
}

std::optional<Finding> rcclx::orderRanks(const ScheduleTrace &trace,
                                         const ChannelTable &channels,
                                         uint32_t slots, Execution &execution) {
  Skeleton skeleton(trace, channels);
  if (skeleton.run(slots, &execution.turns)) {
    execution.leastSlots =
        skeleton.findLeastSlots(1, std::min(slots, skeleton.getMaxSlots()));
    return std::nullopt;
  }
  execution.turns.clear();
  std::optional<uint32_t> least;
  if (skeleton.getMaxSlots() > slots && skeleton.run(skeleton.getMaxSlots()))
    least = skeleton.findLeastSlots(slots + 1, skeleton.getMaxSlots());
  skeleton.run(slots);
  return skeleton.describeDeadlock(slots, least);
}
