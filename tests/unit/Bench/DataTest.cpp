//===- DataTest.cpp - Inputs and expected outputs of a bench --------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Data.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace rcclx::tool;
using rcclx::runtime::Contract;

static std::vector<std::vector<float>> inputsOf(const CallShape &shape,
                                                uint64_t seed) {
  std::vector<std::vector<float>> inputs(shape.world);
  for (uint32_t rank = 0; rank != shape.world; ++rank) {
    inputs[rank].resize(shape.inputElements());
    fillInput(seed, rank, inputs[rank].data(), inputs[rank].size());
  }
  return inputs;
}

/// What the contract says, from the inputs, in f64 and in a random order.
static std::vector<double> outputOf(const CallShape &shape, uint32_t rank,
                                    const std::vector<std::vector<float>> &in,
                                    std::mt19937 &random) {
  std::vector<double> out;
  const uint64_t n = shape.count;
  if (shape.contract == Contract::AllGather ||
      shape.contract == Contract::AllToAll) {
    uint64_t first = shape.contract == Contract::AllToAll ? rank * n : 0;
    for (const std::vector<float> &from : in)
      out.insert(out.end(), from.begin() + int64_t(first),
                 from.begin() + int64_t(first + n));
    return out;
  }
  uint64_t first = shape.contract == Contract::ReduceScatter ? rank * n : 0;
  std::vector<uint32_t> order(shape.world);
  for (uint32_t r = 0; r != shape.world; ++r)
    order[r] = r;
  std::shuffle(order.begin(), order.end(), random);
  for (uint64_t i = 0; i != n; ++i) {
    double sum = 0;
    for (uint32_t r : order)
      sum += in[r][first + i];
    out.push_back(sum);
  }
  return out;
}

TEST(Data, expectedOutputsAreWhatTheContractsSay) {
  std::mt19937 random(1);
  for (Contract contract : {Contract::AllReduce, Contract::AllGather,
                            Contract::ReduceScatter, Contract::AllToAll})
    for (uint32_t world : {2u, 3u, 8u, maxBenchWorld})
      for (uint64_t count : {1u, 7u, 4099u}) {
        CallShape shape = {contract, world, count};
        uint64_t seed = random();
        auto inputs = inputsOf(shape, seed);
        for (uint32_t rank : {0u, world / 2, world - 1}) {
          std::vector<float> expected(shape.outputElements(), -7);
          fillExpected(shape, seed, rank, expected.data());
          std::vector<double> wanted = outputOf(shape, rank, inputs, random);
          ASSERT_EQ(expected.size(), wanted.size());
          for (size_t i = 0; i != wanted.size(); ++i)
            ASSERT_EQ(double(expected[i]), wanted[i])
                << name(contract) << " " << world << " ranks, element " << i;
        }
      }
}

TEST(Data, f32SumsOfMostRanksAreExactInAnyOrder) {
  CallShape shape = {Contract::AllReduce, maxBenchWorld, 10'000};
  auto inputs = inputsOf(shape, 5);
  std::mt19937 random(2);
  for (uint64_t i = 0; i != shape.count; ++i) {
    std::vector<float> column;
    double exact = 0;
    for (const std::vector<float> &input : inputs) {
      column.push_back(input[i]);
      exact += input[i];
    }
    std::shuffle(column.begin(), column.end(), random);
    float sum = 0;
    for (float x : column)
      sum += x;
    ASSERT_EQ(double(sum), exact);
  }
  // The largest elements there can be: sums stay within 24 bits.
  float sum = 0;
  for (uint32_t rank = 0; rank != maxBenchWorld; ++rank)
    sum += 1.0f - 0x1p-18f;
  EXPECT_EQ(double(sum), maxBenchWorld * (1.0 - 0x1p-18));
}

TEST(Data, ranksRoundsAndElementsDiffer) {
  std::set<float> seen;
  size_t total = 0;
  for (uint64_t seed : {1, 2})
    for (uint32_t rank : {0, 1, 2}) {
      std::vector<float> data(500);
      fillInput(seed, rank, data.data(), data.size());
      seen.insert(data.begin(), data.end());
      total += data.size();
      EXPECT_GE(*std::min_element(data.begin(), data.end()), -1);
      EXPECT_LT(*std::max_element(data.begin(), data.end()), 1);
      EXPECT_LT(*std::min_element(data.begin(), data.end()), -0.9);
      EXPECT_GT(*std::max_element(data.begin(), data.end()), 0.9);
    }
  // 3000 of 2^19 values: some 9 pairs are equal by chance.
  EXPECT_GT(seen.size(), total - 40);
}

TEST(Data, sizesAreBytesOfTheLargerSide) {
  EXPECT_EQ(shapeOf(Contract::AllReduce, 8, 4096).count, 1024u);
  EXPECT_EQ(shapeOf(Contract::AllGather, 8, 4096).count, 128u);
  EXPECT_EQ(shapeOf(Contract::ReduceScatter, 8, 4096).count, 128u);
  EXPECT_EQ(shapeOf(Contract::AllToAll, 8, 4096).count, 128u);
  for (Contract contract : {Contract::AllReduce, Contract::AllGather,
                            Contract::ReduceScatter, Contract::AllToAll})
    EXPECT_EQ(shapeOf(contract, 8, 4096).bytes(), 4096u);
  EXPECT_TRUE(sizeFits(Contract::AllReduce, 3, 4));
  EXPECT_FALSE(sizeFits(Contract::AllReduce, 3, 6));
  EXPECT_TRUE(sizeFits(Contract::AllGather, 3, 12));
  EXPECT_FALSE(sizeFits(Contract::AllGather, 3, 16));
  EXPECT_FALSE(sizeFits(Contract::AllReduce, 3, 0));
}
