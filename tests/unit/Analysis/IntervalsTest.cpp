//===- IntervalsTest.cpp - Rational intervals of a block ------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/Intervals.h"
#include <gtest/gtest.h>

using namespace rcclx;

namespace {

/// Where position `p` lies in a block of `granules`.
uint64_t boundary(Position p, uint64_t granules) {
  return p.numerator * granules / p.denominator;
}

TEST(Intervals, TheWholeBlockIsNumberZero) {
  IntervalTable table;
  EXPECT_EQ(table[IntervalTable::whole], (Interval{0, 1, 1}));
  EXPECT_EQ(table.getPart(IntervalTable::whole, 0, 3, 3), IntervalTable::whole);
}

TEST(Intervals, EqualRationalsAreOneInterval) {
  IntervalTable table;
  std::optional<IntervalId> quarter = table.getPart(0, 1, 1, 4);
  ASSERT_TRUE(quarter);
  EXPECT_EQ(table[*quarter], (Interval{1, 1, 4}));
  EXPECT_EQ(table.getPart(0, 2, 2, 8), quarter);
  EXPECT_EQ(table.getPart(*table.getPart(0, 0, 1, 2), 1, 1, 2), quarter);
  EXPECT_EQ(table.getBetween({2, 8}, {3, 6}), quarter);
  EXPECT_NE(table.getPart(0, 1, 2, 4), quarter);
}

TEST(Intervals, PartsOfPartsMultiply) {
  IntervalTable table;
  for (uint64_t n = 1; n <= 5; ++n)
    for (uint64_t i = 0; i < n; ++i)
      for (uint64_t m = 1; m <= 5; ++m)
        for (uint64_t j = 0; j < m; ++j)
          EXPECT_EQ(table.getPart(*table.getPart(0, i, 1, n), j, 1, m),
                    table.getPart(0, i * m + j, 1, n * m));
}

TEST(Intervals, PartsOfSeveralPartsTileThem) {
  IntervalTable table;
  IntervalId middle = *table.getPart(0, 1, 3, 5);
  Position position = table[middle].start();
  for (uint64_t i = 0; i < 4; ++i) {
    const Interval part = table[*table.getPart(middle, i, 1, 4)];
    EXPECT_EQ(part.start(), position);
    position = part.end();
  }
  EXPECT_EQ(position, table[middle].end());
}

TEST(Intervals, EqualIntervalsHaveEqualBoundariesForEveryCount) {
  IntervalTable table;
  IntervalId a = *table.getPart(0, 2, 4, 12);
  IntervalId b = *table.getPart(*table.getPart(0, 0, 1, 2), 1, 2, 3);
  ASSERT_EQ(a, b);
  for (uint64_t granules = 0; granules < 100; ++granules) {
    EXPECT_EQ(boundary({2, 12}, granules), boundary({1, 6}, granules));
    EXPECT_EQ(boundary(table[a].end(), granules), granules / 2);
  }
}

TEST(Intervals, PositionsCompareByValue) {
  EXPECT_EQ((Position{2, 6}), (Position{1, 3}));
  EXPECT_LT((Position{1, 3}), (Position{2, 5}));
  EXPECT_GT((Position{1, 1}), (Position{2147483646, 2147483647}));
  EXPECT_LT((Position{2147483645, 2147483646}),
            (Position{2147483646, 2147483647}));
}

TEST(Intervals, RefusesDenominatorsBeyondTheLimit) {
  IntervalTable table;
  constexpr uint64_t limit = IntervalTable::maxDenominator;
  std::optional<IntervalId> last = table.getPart(0, limit - 1, 1, limit);
  ASSERT_TRUE(last);
  EXPECT_EQ(table[*last].end(), (Position{1, 1}));
  EXPECT_FALSE(table.getPart(*last, 0, 1, 2));
  EXPECT_EQ(table.getPart(*last, 0, limit, limit), last);
  // Two primes close to the limit.
  EXPECT_FALSE(table.getBetween({1, 2147483629}, {1, 2}));
  EXPECT_FALSE(table.getBetween({1, 2147483647}, {2, 2147483629}));
}

TEST(Intervals, DescribesItselfAsTheAuthorWouldWriteIt) {
  IntervalTable table;
  EXPECT_EQ(describe(table[0]), "");
  EXPECT_EQ(describe(table[*table.getPart(0, 1, 1, 4)]), "part 1 of 4");
  EXPECT_EQ(describe(table[*table.getPart(0, 1, 2, 4)]), "parts 1 to 2 of 4");
}

} // namespace
