//===- SimulateTest.cpp - The four steps of a proof -----------------------===//
//
// Part of rcclx. tests/lit/Verify has the mistakes that an author makes; here
// are the properties that no single schedule shows.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/Simulate.h"
#include <gtest/gtest.h>
#include <random>

using namespace rcclx;

namespace {

Place input(IntervalId interval = IntervalTable::whole) {
  return {Memory::Input, 0, interval};
}
Place output(uint32_t block, IntervalId interval = IntervalTable::whole) {
  return {Memory::Output, block, interval};
}

/// All four steps. Says what is wrong, or nothing.
std::optional<Finding> prove(ScheduleTrace &trace, uint32_t slots,
                             Evaluation &evaluation,
                             uint32_t *least = nullptr) {
  ChannelTable channels(trace.getWorld());
  Execution execution;
  std::optional<Finding> finding = matchMessages(trace, channels);
  if (!finding)
    finding = orderRanks(trace, channels, slots, execution);
  if (!finding)
    finding = evaluate(trace, channels, execution, evaluation);
  if (!finding)
    finding = checkContract(trace, evaluation);
  if (least)
    *least = execution.leastSlots;
  return finding;
}

/// Rank 0 sends `count` messages, rank 1 takes them in order, `window` sends
/// before the first receipt on either side.
ScheduleTrace pingPong(uint32_t count, uint32_t window) {
  ScheduleTrace trace(Goal::Barrier, 2);
  for (uint32_t rank = 0; rank < 2; ++rank)
    for (uint32_t i = 0; i < count + window; ++i) {
      if (i < count)
        trace.ranks[rank].signal(1, 1 - rank, i);
      if (i >= window)
        trace.ranks[rank].wait(2, 1 - rank, i - window);
    }
  return trace;
}

TEST(OrderRanks, FindsTheLeastSlots) {
  for (uint32_t window = 1; window <= 20; ++window) {
    ScheduleTrace trace = pingPong(20, window - 1);
    for (uint32_t slots = 1; slots <= 25; ++slots) {
      Evaluation evaluation;
      uint32_t least = 0;
      std::optional<Finding> finding = prove(trace, slots, evaluation, &least);
      ASSERT_EQ(finding.has_value(), slots < window) << slots << " " << window;
      if (!finding) {
        EXPECT_EQ(least, window);
      } else {
        EXPECT_NE(finding->message.find(std::to_string(window) + " are enough"),
                  std::string::npos)
            << finding->message;
      }
    }
  }
}

TEST(OrderRanks, TurnsCoverEveryEventOnce) {
  ScheduleTrace trace = pingPong(10, 1);
  ChannelTable channels(2);
  Execution execution;
  ASSERT_FALSE(matchMessages(trace, channels));
  ASSERT_FALSE(orderRanks(trace, channels, 2, execution));
  std::vector<uint32_t> done(2, 0);
  for (const Turn &turn : execution.turns) {
    EXPECT_GE(turn.end, done[turn.rank]);
    done[turn.rank] = turn.end;
  }
  EXPECT_EQ(done[0], trace.ranks[0].getEvents().size());
  EXPECT_EQ(done[1], trace.ranks[1].getEvents().size());
}

TEST(Evaluate, MergesNeighboursThatHoldOneTerm) {
  // Copied in uneven parts, the block is one piece in the end.
  ScheduleTrace trace(Goal::AllGather, 1);
  RankTrace &rank = trace.ranks[0];
  for (Interval part :
       {Interval{0, 1, 3}, Interval{1, 1, 3}, Interval{4, 2, 6}}) {
    IntervalId id =
        *trace.intervals.getPart(0, part.begin, part.length, part.denominator);
    rank.store(1, rank.load(2, input(id), 0), output(0, id), 0);
  }
  Evaluation evaluation;
  ASSERT_FALSE(prove(trace, 1, evaluation));
  ASSERT_EQ(evaluation.outputs[0].size(), 1u);
  EXPECT_EQ(evaluation.outputs[0][0].interval, IntervalTable::whole);
}

TEST(Evaluate, NamesTheGap) {
  ScheduleTrace trace(Goal::AllGather, 1);
  RankTrace &rank = trace.ranks[0];
  IntervalId last = *trace.intervals.getPart(0, 1, 4, 5);
  rank.store(1, rank.load(2, input(last), 0), output(0, last), 0);
  Evaluation evaluation;
  std::optional<Finding> finding = prove(trace, 1, evaluation);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->op, 0u);
  EXPECT_EQ(finding->message,
            "at rank 0 of 1: part 0 of 5 of the output is never written");
}

TEST(Evaluate, CutsThatFitNoDenominatorAreRefused) {
  ScheduleTrace trace(Goal::AllGather, 1);
  RankTrace &rank = trace.ranks[0];
  IntervalId first = *trace.intervals.getPart(0, 0, 1, 2147483647);
  IntervalId rest = *trace.intervals.getBetween({1, 2147483647}, {1, 1});
  Place other = {Memory::Input, 1, rest};
  rank.store(1, rank.load(2, input(first), 0), output(0, first), 0);
  rank.store(1, rank.load(2, other, 0), output(0, rest), 0);
  // Both numbers are prime: what begins at one and ends at the other.
  rank.load(3, output(0, *trace.intervals.getPart(0, 0, 2, 2147483629)), 0);
  Evaluation evaluation;
  std::optional<Finding> finding = prove(trace, 1, evaluation);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->op, 3u);
  EXPECT_EQ(finding->message,
            "at rank 0 of 1: cuts a buffer into more parts than 2147483648");
}

/// Random stores of random sums, loads across their boundaries, sums of what
/// was loaded: pieces agree with an execution for each point by itself.
TEST(Evaluate, PiecesAgreeWithPoints) {
  constexpr uint32_t points = 60;
  std::mt19937 random(1);
  auto pick = [&](uint32_t n) { return uint32_t(random() % n); };
  for (int round = 0; round < 200; ++round) {
    ScheduleTrace trace(Goal::AllGather, 4);
    TermStore reference;
    RankTrace &rank = trace.ranks[0];
    std::vector<std::vector<TermId>> memory(4, std::vector<TermId>(points));
    // Blocks 1 to 3: cut at random, each part from another rank's input.
    for (uint32_t block = 1; block < 4; ++block)
      for (uint32_t start = 0; start < points;) {
        uint32_t length = 1 + pick(points - start);
        IntervalId id = *trace.intervals.getPart(0, start, length, points);
        uint32_t owner = pick(4);
        rank.store(1, rank.load(2, input(id), owner), output(block, id), 0);
        for (uint32_t i = 0; i < length; ++i)
          memory[block][start + i] = reference.getInput(owner, 0);
        start += length;
      }
    // Block 0: random parts of the others, summed.
    for (uint32_t start = 0; start < points;) {
      uint32_t length = 1 + pick(points - start);
      IntervalId id = *trace.intervals.getPart(0, start, length, points);
      ValueId acc = rank.identity(3);
      std::vector<TermId> sums(length, reference.getIdentity());
      for (uint32_t i = 0, n = pick(3); i <= n; ++i) {
        uint32_t block = 1 + pick(3);
        acc = rank.reduce(4, acc, rank.load(5, output(block, id), 0));
        for (uint32_t j = 0; j < length; ++j)
          sums[j] = reference.getReduce(sums[j], memory[block][start + j]);
      }
      bool finishes = pick(2);
      rank.store(6, finishes ? rank.finish(7, acc) : rank.round(7, acc),
                 output(0, id), 0);
      for (uint32_t j = 0; j < length; ++j)
        memory[0][start + j] = finishes ? reference.getFinish(sums[j])
                                        : reference.getRound(sums[j]);
      start += length;
    }
    for (uint32_t other = 1; other < 4; ++other)
      for (uint32_t block = 0; block < 4; ++block)
        trace.ranks[other].store(8, trace.ranks[other].load(9, input(), 0),
                                 output(block), other);

    ChannelTable channels(4);
    Execution execution;
    Evaluation evaluation;
    ASSERT_FALSE(matchMessages(trace, channels));
    ASSERT_FALSE(orderRanks(trace, channels, 1, execution));
    std::optional<Finding> finding =
        evaluate(trace, channels, execution, evaluation);
    ASSERT_FALSE(finding) << finding->message;
    uint32_t block = 0, point = 0;
    for (const WrittenPiece &piece : evaluation.outputs[0]) {
      ASSERT_EQ(piece.block, block);
      const Interval &interval = trace.intervals[piece.interval];
      Position here = {point, points};
      ASSERT_EQ(interval.start(), here);
      for (; Position{point, points} < interval.end(); ++point)
        ASSERT_EQ(evaluation.terms.describe(piece.term),
                  reference.describe(memory[block][point]));
      if (point == points) {
        ++block;
        point = 0;
      }
    }
    EXPECT_EQ(block, 4u);
  }
}

/// Order by messages is transitive, and only by messages that went out after
/// the store.
TEST(Evaluate, OrderIsTransitive) {
  for (bool isLate : {false, true}) {
    ScheduleTrace trace(Goal::AllGather, 3);
    for (uint32_t rank = 0; rank < 3; ++rank)
      for (uint32_t block = 0; block < 3; ++block)
        if (rank != 2 || block != 0)
          if (rank != 0 || block != 0)
            trace.ranks[rank].store(1,
                                    trace.ranks[rank].load(2, input(), block),
                                    output(block), rank);
    ValueId x = trace.ranks[0].load(3, input(), 0);
    if (isLate)
      trace.ranks[0].signal(4, 1, 0);
    trace.ranks[0].store(5, x, output(0), 0);
    if (!isLate)
      trace.ranks[0].signal(4, 1, 0);
    trace.ranks[1].wait(6, 0, 0);
    trace.ranks[1].signal(7, 2, 0);
    trace.ranks[2].wait(8, 1, 0);
    ValueId y = trace.ranks[2].load(9, output(0), 0);
    trace.ranks[2].store(10, y, output(0), 2);
    Evaluation evaluation;
    std::optional<Finding> finding = prove(trace, 2, evaluation);
    ASSERT_EQ(finding.has_value(), isLate);
    if (finding) {
      EXPECT_EQ(finding->op, 9u);
      EXPECT_EQ(finding->notes.front().first, 5u);
    }
  }
}

/// Rank r stores block `blocks[r]` of the input of rank `sources[r]`.
static ScheduleTrace copies(Goal goal, Roles roles,
                            const std::vector<uint32_t> &sources,
                            const std::vector<uint32_t> &blocks) {
  ScheduleTrace trace(goal, sources.size(), std::move(roles));
  for (uint32_t rank = 0; rank < sources.size(); ++rank) {
    RankTrace &mine = trace.ranks[rank];
    ValueId x = mine.load(1 + rank, {Memory::Input, blocks[rank]},
                          sources[rank], /*isRemote=*/true);
    mine.store(1 + rank, x, {Memory::Output}, rank);
  }
  return trace;
}

TEST(Simulate, RolesDecideWhatACopyMustBe) {
  auto expect = [](const ScheduleTrace &made, const char *message) {
    ScheduleTrace trace = made;
    Evaluation evaluation;
    std::optional<Finding> finding = prove(trace, 1, evaluation);
    EXPECT_EQ(finding ? finding->message : "", message);
  };
  auto broadcast = [](uint32_t root, uint32_t source) {
    return copies(Goal::Broadcast, Roles(3, root), {source, source, source},
                  {0, 0, 0});
  };
  expect(broadcast(2, 2), "");
  expect(broadcast(2, 1),
         "at rank 0 of 3, root 2: the output holds the input of rank 1, "
         "expected the input of rank 2");
  auto scatter = [](uint32_t root, const std::vector<uint32_t> &blocks) {
    return copies(Goal::Scatter, Roles(3, root), {root, root, root}, blocks);
  };
  expect(scatter(1, {0, 1, 2}), "");
  expect(scatter(1, {0, 2, 1}),
         "at rank 1 of 3, root 1: the output holds block 2 of the input of "
         "rank 1, expected block 1 of the input of rank 1");
  auto permute = [](const std::vector<uint32_t> &permutation,
                    const std::vector<uint32_t> &sources) {
    return copies(Goal::Permute, Roles(3, 0, permutation), sources, {0, 0, 0});
  };
  expect(permute({}, {2, 0, 1}), "");
  expect(permute({1, 2, 0}, {2, 0, 1}), "");
  expect(permute({2, 0, 1}, {1, 2, 0}), "");
  expect(permute({1, 0, 2}, {1, 0, 2}), "");
  expect(permute({1, 0, 2}, {1, 0, 0}),
         "at rank 2 of 3: the output holds the input of rank 0, expected the "
         "input of rank 2");
}

/// Whatever ranks do, a proof ends with an answer.
TEST(Simulate, NonsenseIsRefused) {
  std::mt19937 random(2);
  auto pick = [&](uint32_t n) { return uint32_t(random() % n); };
  constexpr uint32_t world = 3;
  uint32_t accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint32_t> permutation = {0, 1, 2};
    std::shuffle(permutation.begin(), permutation.end(), random);
    ScheduleTrace trace(static_cast<Goal>(pick(uint32_t(Goal::Barrier) + 1)),
                        world, Roles(world, pick(world), permutation));
    for (RankTrace &rank : trace.ranks) {
      std::vector<ValueId> chunks, accs;
      std::vector<uint32_t> sent(world), received(world);
      auto place = [&](Memory memory) {
        IntervalId interval = IntervalTable::whole;
        if (uint32_t parts = 1 + pick(3); parts > 1)
          interval = *trace.intervals.getPart(0, pick(parts), 1, parts);
        uint32_t blocks = trace.hasBlockPerRank(memory) ? world : 1;
        return Place{memory, pick(blocks), interval};
      };
      for (uint32_t i = 0, n = pick(8); i < n; ++i) {
        SourceOp op = 1 + i;
        uint32_t peer = pick(world);
        switch (pick(10)) {
        case 0:
          chunks.push_back(rank.load(
              op, place(pick(2) ? Memory::Output : Memory::Input), peer));
          break;
        case 1:
          if (!chunks.empty())
            rank.store(op, chunks[pick(chunks.size())], place(Memory::Output),
                       peer);
          break;
        case 2:
          if (!chunks.empty())
            rank.send(op, chunks[pick(chunks.size())], peer, sent[peer]++);
          break;
        case 3:
          chunks.push_back(rank.recv(op, place(Memory::Input).interval, peer,
                                     received[peer]++));
          break;
        case 4:
          rank.signal(op, peer, sent[peer]++);
          break;
        case 5:
          rank.wait(op, peer, received[peer]++);
          break;
        case 6:
          accs.push_back(rank.identity(op));
          break;
        case 7:
          if (!accs.empty() && !chunks.empty())
            accs.push_back(rank.reduce(op, accs[pick(accs.size())],
                                       chunks[pick(chunks.size())]));
          break;
        case 8:
          if (!accs.empty())
            chunks.push_back(rank.round(op, accs[pick(accs.size())]));
          break;
        case 9:
          if (!accs.empty())
            chunks.push_back(rank.finish(op, accs[pick(accs.size())]));
          break;
        }
      }
    }
    Evaluation evaluation;
    std::optional<Finding> finding = prove(trace, 1 + pick(2), evaluation);
    accepted += !finding;
    if (finding)
      EXPECT_FALSE(finding->message.empty());
  }
  // A barrier of three ranks needs four messages that random events do not make
  // more than a few times.
  EXPECT_LT(accepted, 20u);
}

} // namespace
