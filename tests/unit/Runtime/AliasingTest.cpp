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

Expected<bool> inPlace(Contract contract, const char *input,
                       const char *output) {
  Manifest manifest;
  manifest.name = "plan";
  manifest.contract = contract;
  manifest.world = world;
  manifest.element = Element::F32;
  return isInPlace(manifest, rank, input, output, count);
}

char memory[3 * world * bytes];

TEST(Aliasing, apartIsNotInPlace) {
  for (Contract contract : {Contract::AllReduce, Contract::AllGather,
                            Contract::ReduceScatter, Contract::AllToAll}) {
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
}

} // namespace
