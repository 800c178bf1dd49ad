//===- StatisticsTest.cpp - What many times of one call say ---------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Statistics.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace rcclx::tool;
using rcclx::runtime::Contract;

TEST(Statistics, quantilesLieBetweenElements) {
  EXPECT_EQ(quantile({7}, 0), 7);
  EXPECT_EQ(quantile({7}, 0.5), 7);
  EXPECT_EQ(quantile({7}, 1), 7);
  EXPECT_EQ(quantile({10, 20}, 0.5), 15);
  EXPECT_EQ(quantile({10, 20, 60}, 0.5), 20);
  EXPECT_EQ(quantile({10, 20, 60}, 0.75), 40);
  EXPECT_EQ(quantile({10, 20, 60}, 1), 60);
}

TEST(Statistics, summariesIgnoreTheOrder) {
  std::vector<uint64_t> times;
  for (uint64_t i = 0; i <= 100; ++i)
    times.push_back(1000 + i);
  std::shuffle(times.begin(), times.end(), std::mt19937(1));
  Summary summary = summarize(times);
  EXPECT_EQ(summary.least, 1000);
  EXPECT_DOUBLE_EQ(summary.p10, 1010);
  EXPECT_DOUBLE_EQ(summary.median, 1050);
  EXPECT_DOUBLE_EQ(summary.p90, 1090);
}

TEST(Statistics, oneOutlierMovesOnlyTheTail) {
  std::vector<uint64_t> times(20, 500);
  times.push_back(1'000'000'000);
  Summary summary = summarize(times);
  EXPECT_EQ(summary.median, 500);
  EXPECT_EQ(summary.p90, 500);
}

TEST(Statistics, busFactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(busFactor(Contract::AllReduce, 2), 1);
  EXPECT_DOUBLE_EQ(busFactor(Contract::AllReduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(busFactor(Contract::AllGather, 8), 0.875);
  EXPECT_DOUBLE_EQ(busFactor(Contract::ReduceScatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(busFactor(Contract::AllToAll, 2), 0.5);
  EXPECT_DOUBLE_EQ(busFactor(Contract::Broadcast, 4), 1);
}
