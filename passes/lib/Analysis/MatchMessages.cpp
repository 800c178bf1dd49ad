//===- MatchMessages.cpp - Extents, tags and both ends of every message ---===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Wording.h"
#include "rcclx/Analysis/Simulate.h"

using namespace rcclx;

uint32_t ChannelTable::getOrCreate(uint32_t source, uint32_t destination) {
  uint32_t &channel = index[size_t(source) * world + destination];
  if (channel == none) {
    channel = channels.size();
    channels.push_back({source, destination, {}, {}});
  }
  return channel;
}

/// "message with tag 2" or "signal with tag 2".
static std::string messageName(const MessageEnd &end) {
  return std::string(end.isSignal ? "signal" : "message") + " with tag " +
         str(end.tag);
}

/// Appends one end of a message to `ends`; tags rise.
static std::optional<Finding> addEnd(std::vector<MessageEnd> &ends,
                                     const MessageEnd &end,
                                     const std::string &where,
                                     const std::string &peer) {
  if (!ends.empty() && ends.back().tag >= end.tag) {
    const MessageEnd &last = ends.back();
    if (last.tag == end.tag)
      return Finding{end.op,
                     where + "tag " + str(end.tag) + " " + peer +
                         " is used twice in the call",
                     {{last.op, "first used here"}}};
    return Finding{end.op,
                   where + "tag " + str(end.tag) + " " + peer +
                       " follows tag " + str(last.tag) +
                       "; expected tags to rise",
                   {{last.op, "tag " + str(last.tag) + " is used here"}}};
  }
  ends.push_back(end);
  return std::nullopt;
}

/// Gives every value of `rank` its extent and every message its end.
static std::optional<Finding>
collectEnds(const ScheduleTrace &trace, uint32_t rank, ChannelTable &channels) {
  const IntervalTable &intervals = trace.intervals;
  const RankTrace &mine = trace.ranks[rank];
  std::string where = at(trace, rank);
  std::vector<IntervalId> extents(mine.getNumValues());
  for (const Event &event : mine.getEvents()) {
    switch (event.kind) {
    case EventKind::Load:
      extents[event.value] = event.place.interval;
      break;
    case EventKind::Identity:
      extents[event.value] = IntervalTable::everywhere;
      break;
    case EventKind::Round:
    case EventKind::Finish:
      extents[event.value] = extents[event.acc];
      break;
    case EventKind::Reduce: {
      IntervalId acc = extents[event.acc], chunk = extents[event.chunk];
      if (acc != chunk && acc != IntervalTable::everywhere &&
          chunk != IntervalTable::everywhere)
        return Finding{event.op, where + "adds " +
                                     extentName(intervals, chunk) + " to " +
                                     extentName(intervals, acc)};
      extents[event.value] = acc == IntervalTable::everywhere ? chunk : acc;
      break;
    }
    case EventKind::Store: {
      IntervalId extent = extents[event.value];
      if (extent != event.place.interval && extent != IntervalTable::everywhere)
        return Finding{event.op, where + "stores " +
                                     extentName(intervals, extent) + " in " +
                                     placeName(trace, event.place)};
      break;
    }
    case EventKind::Send:
    case EventKind::Signal: {
      bool isSignal = event.kind == EventKind::Signal;
      IntervalId extent =
          isSignal ? IntervalTable::whole : extents[event.value];
      if (extent == IntervalTable::everywhere)
        return Finding{event.op, where +
                                     "sends the neutral element, which has no "
                                     "extent"};
      Channel &channel = channels[channels.getOrCreate(rank, event.peer)];
      if (std::optional<Finding> finding =
              addEnd(channel.sent, {event.op, event.tag, extent, isSignal},
                     where, "to " + rankName(event.peer)))
        return finding;
      break;
    }
    case EventKind::Recv:
    case EventKind::Wait: {
      bool isSignal = event.kind == EventKind::Wait;
      if (!isSignal)
        extents[event.value] = event.place.interval;
      Channel &channel = channels[channels.getOrCreate(event.peer, rank)];
      if (std::optional<Finding> finding =
              addEnd(channel.received,
                     {event.op, event.tag, event.place.interval, isSignal},
                     where, "from " + rankName(event.peer)))
        return finding;
      break;
    }
    }
  }
  return std::nullopt;
}

/// `number` is the first message of which only the sender's end exists.
static Finding neverReceived(const ScheduleTrace &trace, const Channel &channel,
                             size_t number) {
  const MessageEnd &sent = channel.sent[number];
  std::string destination = rankName(channel.destination);
  Finding finding{sent.op, at(trace, channel.source) + "the " +
                               messageName(sent) + " to " + destination +
                               " is never received"};
  if (number < channel.received.size()) {
    const MessageEnd &next = channel.received[number];
    finding.notes.emplace_back(next.op, destination + " expects tag " +
                                            str(next.tag) + " next");
  } else if (number > 0) {
    finding.notes.emplace_back(channel.received.back().op,
                               destination + " receives its last message of " +
                                   rankName(channel.source) + " here");
  }
  return finding;
}

/// `number` is the first message of which only the receiver's end exists.
static Finding neverSent(const ScheduleTrace &trace, const Channel &channel,
                         size_t number) {
  const MessageEnd &received = channel.received[number];
  std::string source = rankName(channel.source);
  Finding finding{received.op, at(trace, channel.destination) + "the " +
                                   messageName(received) + " from " + source +
                                   " is never sent"};
  if (number < channel.sent.size()) {
    const MessageEnd &next = channel.sent[number];
    finding.notes.emplace_back(next.op, source + " sends tag " + str(next.tag) +
                                            " next");
  } else if (number > 0) {
    finding.notes.emplace_back(channel.sent.back().op,
                               source + " sends its last message to " +
                                   rankName(channel.destination) + " here");
  }
  return finding;
}

static std::optional<Finding> matchEnds(const ScheduleTrace &trace,
                                        const Channel &channel) {
  size_t number = 0;
  for (; number < channel.sent.size() && number < channel.received.size();
       ++number) {
    const MessageEnd &sent = channel.sent[number];
    const MessageEnd &received = channel.received[number];
    // Tags rise at either end: the lower one has no partner.
    if (sent.tag < received.tag)
      return neverReceived(trace, channel, number);
    if (sent.tag > received.tag)
      return neverSent(trace, channel, number);
    std::string source = rankName(channel.source);
    if (sent.isSignal != received.isSignal)
      return Finding{received.op,
                     at(trace, channel.destination) +
                         (received.isSignal ? "waits for a signal from "
                                            : "receives a message from ") +
                         source + " with tag " + str(received.tag) +
                         ", which sends " +
                         (sent.isSignal ? "a signal" : "a message"),
                     {{sent.op, "sent here"}}};
    if (sent.extent != received.extent)
      return Finding{received.op,
                     at(trace, channel.destination) + "expects " +
                         extentName(trace.intervals, received.extent) +
                         " from " + source + " with tag " + str(received.tag) +
                         ", which sends " +
                         extentName(trace.intervals, sent.extent),
                     {{sent.op, "sent here"}}};
  }
  if (number < channel.sent.size())
    return neverReceived(trace, channel, number);
  if (number < channel.received.size())
    return neverSent(trace, channel, number);
  return std::nullopt;
}

std::optional<Finding> rcclx::matchMessages(const ScheduleTrace &trace,
                                            ChannelTable &channels) {
  for (uint32_t rank = 0; rank < trace.getWorld(); ++rank)
    if (std::optional<Finding> finding = collectEnds(trace, rank, channels))
      return finding;
  for (const Channel &channel : channels)
    if (std::optional<Finding> finding = matchEnds(trace, channel))
      return finding;
  return std::nullopt;
}
