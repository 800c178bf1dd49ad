//===- Evaluate.cpp - Execution of all ranks with terms as values ---------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Wording.h"
#include "rcclx/Analysis/Simulate.h"
#include <algorithm>
#include <map>
#include <memory>

using namespace rcclx;

namespace {

/// A part of a value that holds one term.
struct Piece {
  IntervalId interval;
  TermId term;
};

/// The pieces of a value, in order and without gaps: a range of
/// Evaluator::pieces. A value of the extent IntervalTable::everywhere has one.
struct PieceRange {
  uint32_t first = 0;
  uint32_t count = 0;
};

/// What one thread, a block group of a rank, knows of the progress of all: a
/// vector clock. The messages of a thread share `others` with it until it
/// learns something new.
struct Clock {
  std::shared_ptr<std::vector<uint32_t>> others;
  uint32_t own = 1;
};

/// One store, in the memory that it wrote to.
struct Written {
  Place place;
  PieceRange pieces;
  SourceOp op;
  uint32_t writer;
  uint32_t thread; ///< Of the writer.
  uint32_t time;   ///< That thread's own clock.
};

/// Orders what is written by buffer, block and position: the output first.
struct WrittenKey {
  Memory memory;
  uint32_t block;
  Position start;
  bool operator<(const WrittenKey &other) const {
    return std::tie(memory, block) != std::tie(other.memory, other.block)
               ? std::tie(memory, block) < std::tie(other.memory, other.block)
               : start < other.start;
  }
};

struct Message {
  PieceRange pieces;
  uint32_t thread = 0; ///< Of the sender.
  Clock clock;
};

struct Queue {
  std::vector<Message> messages;
  size_t received = 0;
};

class Evaluator {
public:
  Evaluator(ScheduleTrace &trace, const ChannelTable &channels,
            Evaluation &result);

  std::optional<Finding> run(const Execution &execution);

private:
  // Each executes one event of `rank`.
  std::optional<Finding> execute(uint32_t rank, const Event &event);
  std::optional<Finding> loadWritten(uint32_t rank, const Event &event);
  std::optional<Finding> store(uint32_t rank, const Event &event);
  std::optional<Finding> reduce(uint32_t rank, const Event &event);
  void convert(uint32_t rank, const Event &event);
  void send(uint32_t rank, const Event &event);
  void receive(uint32_t rank, const Event &event);

  std::optional<Finding> collectOutput(uint32_t rank);
  Finding describeUnwritten(uint32_t rank, const Event &event, Position start,
                            Position end) const;
  Finding describeRace(uint32_t rank, const Event &event,
                       const Written &written) const;

  Position getStart(IntervalId id) const { return trace.intervals[id].start(); }
  Position getEnd(IntervalId id) const { return trace.intervals[id].end(); }
  /// From `start` to `end`; sets `overflows` where that is no interval.
  IntervalId getBetween(Position start, Position end);
  /// Where both lie. They overlap.
  IntervalId intersect(IntervalId a, IntervalId b);

  /// Remembers where `term` came from if it is new.
  TermId note(TermId term, uint32_t rank, SourceOp op);
  PieceRange hold(Piece piece);
  /// Appends to `range`, which is the last one of `pieces`.
  void append(PieceRange &range, Piece piece);

  uint32_t getThread(uint32_t rank, uint32_t group) const {
    return rank * groups + group;
  }
  bool happenedBefore(const Written &written, uint32_t thread) const {
    const Clock &clock = clocks[thread];
    return written.thread == thread ||
           (clock.others && (*clock.others)[written.thread] >= written.time);
  }

  ScheduleTrace &trace;
  const ChannelTable &channels;
  Evaluation &result;
  uint32_t world;
  uint32_t groups; ///< The most block groups that a rank has.
  bool keepsClocks;
  bool overflows = false;

  std::vector<Piece> pieces;
  std::vector<std::vector<PieceRange>> values;         ///< Per rank.
  std::vector<std::map<WrittenKey, Written>> memories; ///< Per rank.
  std::vector<Clock> clocks;                           ///< Per thread.
  std::vector<Queue> queues;                           ///< Per channel.
};

/// A schedule whose values have more pieces together is refused.
constexpr size_t maxPieces = size_t(1) << 26;

} // namespace

static bool inSameBlock(const Place &a, const Place &b) {
  return a.memory == b.memory && a.block == b.block;
}

static uint32_t countGroups(const ScheduleTrace &trace) {
  uint32_t groups = 1;
  for (const RankTrace &rank : trace.ranks)
    groups = std::max(groups, rank.getNumGroups());
  return groups;
}

/// Only messages order threads, which matters where they share memory. The
/// input never changes during a call.
static bool needsClocks(const ScheduleTrace &trace, uint32_t groups) {
  bool isShared = groups > 1, isRead = false;
  for (uint32_t rank = 0; rank < trace.getWorld(); ++rank)
    for (const Event &event : trace.ranks[rank].getEvents())
      if ((event.kind == EventKind::Load || event.kind == EventKind::Store) &&
          event.place.memory != Memory::Input) {
        isShared |= event.peer != rank;
        isRead |= event.kind == EventKind::Load;
      }
  return trace.goal == Goal::Barrier || (isShared && isRead);
}

Evaluator::Evaluator(ScheduleTrace &trace, const ChannelTable &channels,
                     Evaluation &result)
    : trace(trace), channels(channels), result(result), world(trace.getWorld()),
      groups(countGroups(trace)), keepsClocks(needsClocks(trace, groups)),
      values(world), memories(world), clocks(world * groups),
      queues(channels.size()) {
  for (uint32_t rank = 0; rank < world; ++rank)
    values[rank].resize(trace.ranks[rank].getNumValues());
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

IntervalId Evaluator::getBetween(Position start, Position end) {
  std::optional<IntervalId> id = trace.intervals.getBetween(start, end);
  overflows |= !id;
  return id.value_or(IntervalTable::whole);
}

IntervalId Evaluator::intersect(IntervalId a, IntervalId b) {
  if (a == b || b == IntervalTable::everywhere)
    return a;
  if (a == IntervalTable::everywhere)
    return b;
  return getBetween(std::max(getStart(a), getStart(b)),
                    std::min(getEnd(a), getEnd(b)));
}

TermId Evaluator::note(TermId term, uint32_t rank, SourceOp op) {
  if (term == result.origins.size())
    result.origins.push_back({op, rank});
  return term;
}

PieceRange Evaluator::hold(Piece piece) {
  pieces.push_back(piece);
  return {uint32_t(pieces.size() - 1), 1};
}

void Evaluator::append(PieceRange &range, Piece piece) {
  if (range.count > 0 && pieces.back().term == piece.term) {
    pieces.back().interval =
        getBetween(getStart(pieces.back().interval), getEnd(piece.interval));
    return;
  }
  if (range.count == 0)
    range.first = pieces.size();
  pieces.push_back(piece);
  ++range.count;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Finding Evaluator::describeUnwritten(uint32_t rank, const Event &event,
                                     Position start, Position end) const {
  std::string message =
      at(trace, rank) + "reads " + placeName(trace, event.place) +
      (event.peer == rank ? "" : " of " + rankName(event.peer));
  // Is it written at all?
  for (uint32_t writer = 0; writer < world; ++writer)
    for (const Event &other : trace.ranks[writer].getEvents())
      if (other.kind == EventKind::Store && other.peer == event.peer &&
          inSameBlock(other.place, event.place) &&
          getStart(other.place.interval) < end &&
          start < getEnd(other.place.interval)) {
        if (writer == rank)
          return {event.op,
                  message + " before it is written",
                  {{other.op, "written here"}}};
        return {event.op,
                message + " in no order with the write of " + rankName(writer),
                {{other.op, rankName(writer) + " writes it here"}}};
      }
  return {event.op, message + ", of which a part is never written"};
}

Finding Evaluator::describeRace(uint32_t rank, const Event &event,
                                const Written &written) const {
  std::string owner = event.peer == rank ? "" : " of " + rankName(event.peer);
  std::string writer = rankName(written.writer);
  if (written.writer == rank)
    writer += "'s block group " + str(written.thread % groups);
  return {event.op,
          at(trace, rank) + "reads " + placeName(trace, event.place) + owner +
              " in no order with the write of " + writer,
          {{written.op, writer + " writes it here"}}};
}

std::optional<Finding> Evaluator::loadWritten(uint32_t rank,
                                              const Event &event) {
  const auto &memory = memories[event.peer];
  WrittenKey first = {event.place.memory, event.place.block, {0, 1}};
  Position position = getStart(event.place.interval);
  Position end = getEnd(event.place.interval);
  auto it =
      memory.upper_bound({event.place.memory, event.place.block, position});
  if (it != memory.begin())
    --it;
  PieceRange range;
  for (; it != memory.end() && position < end; ++it) {
    const Written &written = it->second;
    if (!inSameBlock(written.place, event.place)) {
      if (it->first < first) // the one before
        continue;
      break;
    }
    if (getEnd(written.place.interval) <= position)
      continue;
    Position start = getStart(written.place.interval);
    if (position < start)
      return describeUnwritten(rank, event, position, std::min(start, end));
    if (!happenedBefore(written, getThread(rank, event.group)))
      return describeRace(rank, event, written);
    for (uint32_t i = 0; i < written.pieces.count && position < end; ++i) {
      Piece piece = pieces[written.pieces.first + i];
      if (piece.interval == IntervalTable::everywhere)
        piece.interval = written.place.interval;
      if (getEnd(piece.interval) <= position)
        continue;
      position = std::min(end, getEnd(piece.interval));
      append(range,
             {intersect(piece.interval, event.place.interval), piece.term});
    }
  }
  if (position < end)
    return describeUnwritten(rank, event, position, end);
  values[rank][event.value] = range;
  return std::nullopt;
}

std::optional<Finding> Evaluator::store(uint32_t rank, const Event &event) {
  auto &memory = memories[event.peer];
  WrittenKey key = {event.place.memory, event.place.block,
                    getStart(event.place.interval)};
  auto it = memory.lower_bound(key);
  const Written *overlap = nullptr;
  if (it != memory.end() && inSameBlock(it->second.place, event.place) &&
      it->first.start < getEnd(event.place.interval)) {
    overlap = &it->second;
  } else if (it != memory.begin()) {
    const Written &before = std::prev(it)->second;
    if (inSameBlock(before.place, event.place) &&
        key.start < getEnd(before.place.interval))
      overlap = &before;
  }
  if (overlap) {
    std::string owner = event.peer == rank ? "" : " of " + rankName(event.peer);
    return Finding{
        event.op,
        at(trace, rank) + "writes " + placeName(trace, event.place) + owner +
            ", which is written already",
        {{overlap->op, rankName(overlap->writer) + " writes " +
                           placeName(trace, overlap->place) + " here"}}};
  }
  uint32_t thread = getThread(rank, event.group);
  memory.emplace_hint(it, key,
                      Written{event.place, values[rank][event.value], event.op,
                              rank, thread, clocks[thread].own});
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void Evaluator::send(uint32_t rank, const Event &event) {
  Message &message =
      queues[channels.getOf(rank, event)].messages.emplace_back();
  if (event.kind == EventKind::Send)
    message.pieces = values[rank][event.value];
  if (!keepsClocks)
    return;
  message.thread = getThread(rank, event.group);
  message.clock = clocks[message.thread];
  ++clocks[message.thread].own;
}

void Evaluator::receive(uint32_t rank, const Event &event) {
  Queue &queue = queues[channels.getOf(rank, event)];
  Message &message = queue.messages[queue.received++];
  if (event.kind == EventKind::Recv)
    values[rank][event.value] = message.pieces;
  if (!keepsClocks)
    return;
  Clock &mine = clocks[getThread(rank, event.group)];
  if (!mine.others)
    mine.others = std::make_shared<std::vector<uint32_t>>(clocks.size(), 0);
  else if (mine.others.use_count() > 1)
    mine.others = std::make_shared<std::vector<uint32_t>>(*mine.others);
  std::vector<uint32_t> &known = *mine.others;
  if (message.clock.others)
    for (size_t i = 0; i < known.size(); ++i)
      known[i] = std::max(known[i], (*message.clock.others)[i]);
  known[message.thread] = std::max(known[message.thread], message.clock.own);
  message.clock.others.reset();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

std::optional<Finding> Evaluator::reduce(uint32_t rank, const Event &event) {
  PieceRange acc = values[rank][event.acc], chunk = values[rank][event.chunk];
  PieceRange range;
  for (uint32_t i = 0, j = 0; i < acc.count && j < chunk.count;) {
    Piece left = pieces[acc.first + i], right = pieces[chunk.first + j];
    if (result.terms[right.term].kind == TermKind::Finish) {
      TermOrigin origin = result.origins[right.term];
      return Finding{
          event.op,
          at(trace, rank) + "reduces a result that is finished already",
          {{origin.op, rankName(origin.rank) + " finishes it here"}}};
    }
    append(range, {intersect(left.interval, right.interval),
                   note(result.terms.getReduce(left.term, right.term), rank,
                        event.op)});
    // Goes on from where the shorter one ends.
    bool leftLasts = left.interval == IntervalTable::everywhere;
    bool rightLasts = right.interval == IntervalTable::everywhere;
    if (!leftLasts && !rightLasts && left.interval != right.interval) {
      Position leftEnd = getEnd(left.interval);
      Position rightEnd = getEnd(right.interval);
      leftLasts = leftEnd > rightEnd;
      rightLasts = rightEnd > leftEnd;
    }
    if (leftLasts && rightLasts)
      break;
    i += !leftLasts;
    j += !rightLasts;
  }
  values[rank][event.value] = range;
  return std::nullopt;
}

void Evaluator::convert(uint32_t rank, const Event &event) {
  PieceRange acc = values[rank][event.acc];
  PieceRange range;
  for (uint32_t i = 0; i < acc.count; ++i) {
    Piece piece = pieces[acc.first + i];
    TermId term = event.kind == EventKind::Round
                      ? result.terms.getRound(piece.term)
                      : result.terms.getFinish(piece.term);
    append(range, {piece.interval, note(term, rank, event.op)});
  }
  values[rank][event.value] = range;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

std::optional<Finding> Evaluator::execute(uint32_t rank, const Event &event) {
  switch (event.kind) {
  case EventKind::Load: {
    if (event.place.memory != Memory::Input)
      return loadWritten(rank, event);
    TermId term = result.terms.getInput(event.peer, event.place.block);
    values[rank][event.value] =
        hold({event.place.interval, note(term, rank, event.op)});
    return std::nullopt;
  }
  case EventKind::Identity: {
    TermId term = result.terms.getIdentity();
    values[rank][event.value] =
        hold({IntervalTable::everywhere, note(term, rank, event.op)});
    return std::nullopt;
  }
  case EventKind::Store:
    return store(rank, event);
  case EventKind::Send:
  case EventKind::Signal:
    send(rank, event);
    return std::nullopt;
  case EventKind::Recv:
  case EventKind::Wait:
    receive(rank, event);
    return std::nullopt;
  case EventKind::Reduce:
    return reduce(rank, event);
  case EventKind::Round:
  case EventKind::Finish:
    convert(rank, event);
    return std::nullopt;
  }
  return std::nullopt;
}

/// Gathers what `rank`'s output holds at the end. Nothing may be missing.
std::optional<Finding> Evaluator::collectOutput(uint32_t rank) {
  std::vector<WrittenPiece> &output = result.outputs[rank];
  auto it = memories[rank].begin();
  for (uint32_t block = 0; block < trace.getOutputBlocks(rank); ++block) {
    Position position = {0, 1}, end = {1, 1};
    while (position < end) {
      bool isWritten = it != memories[rank].end() &&
                       it->first.memory == Memory::Output &&
                       it->first.block == block;
      Position start = isWritten ? it->first.start : end;
      if (position < start)
        return Finding{0, at(trace, rank) +
                              placeName(trace, {Memory::Output, block,
                                                getBetween(position, start)}) +
                              " is never written"};
      const Written &written = it->second;
      for (uint32_t i = 0; i < written.pieces.count; ++i) {
        Piece piece = pieces[written.pieces.first + i];
        if (piece.interval == IntervalTable::everywhere)
          piece.interval = written.place.interval;
        if (!output.empty() && output.back().block == block &&
            output.back().term == piece.term)
          output.back().interval = getBetween(getStart(output.back().interval),
                                              getEnd(piece.interval));
        else
          output.push_back({block, piece.interval, piece.term, written.op});
      }
      position = getEnd(written.place.interval);
      ++it;
    }
  }
  return std::nullopt;
}

std::optional<Finding> Evaluator::run(const Execution &execution) {
  std::vector<uint32_t> next(world, 0);
  for (const Turn &turn : execution.turns)
    for (uint32_t &number = next[turn.rank]; number < turn.end; ++number) {
      const Event &event = trace.ranks[turn.rank].getEvents()[number];
      if (std::optional<Finding> finding = execute(turn.rank, event))
        return finding;
      if (overflows)
        return Finding{event.op, at(trace, turn.rank) +
                                     "cuts a buffer into more parts than " +
                                     str(IntervalTable::maxDenominator)};
      if (pieces.size() > maxPieces)
        return Finding{event.op, at(trace, turn.rank) +
                                     "cuts values into too many pieces"};
    }
  result.outputs.resize(world);
  for (uint32_t rank = 0; rank < world; ++rank) {
    std::optional<Finding> finding = collectOutput(rank);
    if (overflows)
      return Finding{0, at(trace, rank) +
                            "cuts a buffer into more parts than " +
                            str(IntervalTable::maxDenominator)};
    if (finding)
      return finding;
  }
  if (trace.goal == Goal::Barrier) {
    result.heard.assign(world, std::vector<bool>(world, false));
    for (uint32_t thread = 0; thread < clocks.size(); ++thread) {
      std::vector<bool> &heard = result.heard[thread / groups];
      heard[thread / groups] = true;
      for (uint32_t other = 0; clocks[thread].others && other < clocks.size();
           ++other)
        if ((*clocks[thread].others)[other] > 0)
          heard[other / groups] = true;
    }
  }
  return std::nullopt;
}

std::optional<Finding> rcclx::evaluate(ScheduleTrace &trace,
                                       const ChannelTable &channels,
                                       const Execution &execution,
                                       Evaluation &evaluation) {
  return Evaluator(trace, channels, evaluation).run(execution);
}
