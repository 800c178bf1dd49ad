//===- KernelFailureTest.cpp - What a kernel reports, in words ------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "RuntimeTesting.h"

#include "../../../runtime/lib/exec/KernelFailure.h"

using namespace rcclx::runtime;

namespace {

/// Rank 0 of 4 after a failed call, with `started` words as a test sets them.
class KernelFailureTest : public ::testing::Test {
protected:
  KernelFailureTest() : in(4), out(4), peers(4) {
    manifest.name = "two_shot";
    manifest.contract = Contract::AllReduce;
    manifest.world = 4;
    manifest.element = Element::BF16;
    params.world = 4;
    params.count = 100;
    params.control = &control;
    params.edges[0] = 0xf;
    for (uint32_t r = 0; r != 4; ++r) {
      in[r].resize(RCCLX_SIGNAL);
      out[r].resize(RCCLX_SIGNAL);
      peers[r] = {in[r].data(), out[r].data(), nullptr, nullptr};
      setStarted(r, 7, 0xabc, 7, 0xabc);
    }
  }
  void setStarted(uint32_t peer, uint64_t theirs, uint64_t theirHash,
                  uint64_t mine, uint64_t myHash) {
    auto set = [](std::vector<char> &region, uint64_t call, uint64_t hash) {
      auto *words = reinterpret_cast<uint64_t *>(region.data());
      words[RCCLX_STARTED / 8] = call;
      words[RCCLX_STARTED / 8 + 1] = hash;
    };
    set(in[peer], theirs, theirHash);
    set(out[peer], mine, myHash);
  }
  KernelFailure describe(uint64_t code, uint64_t kind, uint64_t peer) {
    control.failure = code | kind << 8 | (peer + 1) << 16;
    control.failure_call = 7;
    return describeKernelFailure(params, peers, manifest, 500);
  }

  Manifest manifest;
  rcclx_control control = {};
  rcclx_kernel_params params = {};
  std::vector<std::vector<char>> in, out;
  std::vector<rcclx_peer> peers;
};

TEST_F(KernelFailureTest, saysWhatWasWaitedForAndHowMuch) {
  KernelFailure failure =
      describe(RCCLX_FAILURE_DEADLINE, RCCLX_WAIT_MESSAGE, 2);
  EXPECT_EQ(failure.culprit, 2u);
  EXPECT_ERROR(failure.status, Code::Timeout,
               "rank 0: two_shot of 200 bytes waited 500 ms for rank 2 (a "
               "message, call 7 of the two)");
}

TEST_F(KernelFailureTest, blamesTheRankThatLagsNotTheOneThatWaits) {
  setStarted(3, 6, 0xabc, 7, 0xabc);
  KernelFailure failure =
      describe(RCCLX_FAILURE_DEADLINE, RCCLX_WAIT_MESSAGE, 2);
  EXPECT_EQ(failure.culprit, 3u);
  EXPECT_ERROR(failure.status, Code::Timeout,
               "not started: rank 3 (at call 6, here 7)");
}

TEST_F(KernelFailureTest, namesTheRankInAnotherPlan) {
  setStarted(1, 7, 0xdef, 7, 0xabc);
  KernelFailure failure =
      describe(RCCLX_FAILURE_DEADLINE, RCCLX_WAIT_CREDIT, 2);
  EXPECT_EQ(failure.culprit, 1u);
  EXPECT_ERROR(failure.status, Code::Timeout,
               "in another plan: rank 1 (plan 0000000000000def, here "
               "0000000000000abc)");
}

TEST_F(KernelFailureTest, ranksWithoutAnEdgeAreNoSuspects) {
  params.edges[0] = 0x5; // 0 and 2
  setStarted(3, 0, 0, 7, 0xabc);
  EXPECT_EQ(describe(RCCLX_FAILURE_DEADLINE, RCCLX_WAIT_STARTED, 2).culprit,
            2u);
}

TEST_F(KernelFailureTest, aMalformedReportIsNoCrash) {
  EXPECT_ERROR(describe(RCCLX_FAILURE_DEADLINE, 0, 4).status, Code::Internal,
               "malformed");
  EXPECT_ERROR(describe(RCCLX_FAILURE_DEADLINE, 0, ~uint64_t(0)).status,
               Code::Internal, "malformed");
  EXPECT_ERROR(describe(RCCLX_FAILURE_DEADLINE, 99, 1).status, Code::Timeout,
               "an unknown event");
}

} // namespace
