//===- AliasingTest.cpp - Calls in place ----------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "exec/Aliasing.h"
#include "RuntimeTesting.h"

using namespace rcclx::runtime;

namespace {

constexpr uint64_t count = 7, bytes = 4 * count;
constexpr uint32_t world = 4, rank = 2;

Expected<bool> inPlace(Contract contract, const char *input, const char *output,
                       uint32_t root = rank) {
  Manifest manifest;
  manifest.name = "plan";
  manifest.contract = contract;
  manifest.world = world;
  manifest.root = root;
  manifest.element = Element::F32;
  return isInPlace(manifest, rank, input, output, count);
}

char memory[3 * world * bytes];

TEST(Aliasing, apartIsNotInPlace) {
  for (Contract contract :
       {Contract::AllReduce, Contract::AllGather, Contract::ReduceScatter,
        Contract::AllToAll, Contract::Broadcast, Contract::Reduce,
        Contract::Gather, Contract::Scatter, Contract::Permute}) {
    auto result = inPlace(contract, memory, memory + 2 * world * bytes);
    ASSERT_TRUE(bool(result));
    EXPECT_FALSE(*result);
  }
  // Neighbours that touch do not overlap.
  auto touching = inPlace(Contract::AllReduce, memory, memory + bytes);
  ASSERT_TRUE(bool(touching));
  EXPECT_FALSE(*touching);
}

TEST(Aliasing, theOwnBlockIsInPlace) {
  auto expectInPlace = [](Contract contract, uint64_t input, uint64_t output) {
    auto result = inPlace(contract, memory + input, memory + output);
    ASSERT_TRUE(bool(result)) << result.status().message();
    EXPECT_TRUE(*result);
  };
  expectInPlace(Contract::AllReduce, 0, 0);
  expectInPlace(Contract::AllToAll, 0, 0);
  expectInPlace(Contract::AllGather, rank * bytes, 0);
  expectInPlace(Contract::ReduceScatter, 0, rank * bytes);
  expectInPlace(Contract::Broadcast, 0, 0);
  expectInPlace(Contract::Reduce, 0, 0);
  expectInPlace(Contract::Gather, rank * bytes, 0);
  expectInPlace(Contract::Scatter, 0, rank * bytes);
  expectInPlace(Contract::Permute, 0, 0);
}

TEST(Aliasing, anyOtherOverlapIsRefused) {
  auto expectRefused = [](Contract contract, uint64_t input, uint64_t output) {
    auto result = inPlace(contract, memory + input, memory + output);
    ASSERT_FALSE(bool(result)) << input << " " << output;
    EXPECT_EQ(result.status().code(), Code::InvalidArgument);
    EXPECT_NE(std::string(result.status().message()).find("rank 2"),
              std::string::npos);
  };
  expectRefused(Contract::AllReduce, 0, 4);
  expectRefused(Contract::AllReduce, 4, 0);
  expectRefused(Contract::AllToAll, bytes, 0);
  expectRefused(Contract::AllGather, 0, 0); // the block of rank 0
  expectRefused(Contract::AllGather, rank * bytes + 4, 0);
  expectRefused(Contract::ReduceScatter, 0, 0);
  expectRefused(Contract::ReduceScatter, 0, rank * bytes + 4);
  expectRefused(Contract::Broadcast, 0, 4);
  expectRefused(Contract::Gather, 0, 0);
  expectRefused(Contract::Scatter, 0, 0);
}

TEST(Aliasing, aBufferThatTheRankDoesNotHaveIsNotLookedAt) {
  for (Contract contract : {Contract::Broadcast, Contract::Reduce,
                            Contract::Gather, Contract::Scatter})
    for (uint64_t offset : {uint64_t(0), uint64_t(4), rank * bytes}) {
      auto result = inPlace(contract, memory, memory + offset, rank + 1);
      ASSERT_TRUE(bool(result)) << result.status().message();
      EXPECT_FALSE(*result);
      EXPECT_TRUE(bool(inPlace(contract, nullptr, nullptr, rank + 1)));
    }
}

} // namespace
