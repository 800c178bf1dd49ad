//===- WaitTest.cpp - counters, bounded waits and failures ----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "DeviceTesting.h"

namespace rcclx::device {
namespace {

using rx::passed, rx::position;

constexpr uint64_t callBits = uint64_t(1) << 40;
constexpr uint64_t lastIndex = (uint64_t(1) << 24) - 3; // PlanCompiler's limit

/// What `passed` means, in unbounded numbers: the counter is at or past what is
/// wanted, and is at most one call ahead.
bool reference(uint64_t call, uint64_t index, uint64_t wantedCall,
               uint64_t wantedIndex) {
  return call == wantedCall + 1 || (call == wantedCall && index >= wantedIndex);
}

TEST(Counters, PositionsRiseWithinACallAndFromCallToCall) {
  for (uint64_t call :
       {uint64_t(1), uint64_t(2), uint64_t(1) << 32, callBits - 2}) {
    EXPECT_LT(position(call, 0), position(call, 1));
    EXPECT_LT(position(call, 0), position(call, lastIndex));
    EXPECT_LT(position(call, lastIndex), position(call + 1, 0));
    // Never what the word holds before any message of the call.
    EXPECT_GT(position(call, 0), call << 24);
  }
}

TEST(Counters, PassedAgreesWithUnboundedNumbers) {
  std::mt19937_64 random = makeRandom();
  const uint64_t bases[] = {2, uint64_t(1) << 32, callBits - 2, callBits,
                            3 * callBits - 1};
  for (int i = 0; i < 200'000; ++i) {
    uint64_t wantedCall = bases[random() % std::size(bases)] + random() % 4;
    // Calls that have been, the one that runs, and one ahead.
    uint64_t call = wantedCall + 1 - std::min(random() % 5, wantedCall + 1);
    uint64_t index = random() % 3 ? random() % 4 : random() % lastIndex;
    uint64_t wantedIndex = random() % 3 ? random() % 4 : random() % lastIndex;
    ASSERT_EQ(passed(position(call, index), position(wantedCall, wantedIndex)),
              reference(call, index, wantedCall, wantedIndex))
        << call << '.' << index << " for " << wantedCall << '.' << wantedIndex;
  }
}

TEST(Counters, WrapAfterTwoToTheFortyCalls) {
  EXPECT_TRUE(passed(position(callBits, 0), position(callBits - 1, lastIndex)));
  EXPECT_FALSE(
      passed(position(callBits - 1, lastIndex), position(callBits, 0)));
  EXPECT_TRUE(passed(position(callBits, 3), position(callBits, 3)));
  EXPECT_TRUE(passed(position(callBits, 4), position(callBits, 3)));
  EXPECT_FALSE(passed(position(callBits, 2), position(callBits, 3)));
  // Two ahead cannot be: the word is an old one.
  EXPECT_FALSE(passed(position(callBits + 1, 0), position(callBits - 1, 0)));
  EXPECT_FALSE(passed(position(7, 0), position(5, 0)));
}

TEST(Counters, AWordThatWasNeverWrittenHasNotPassed) {
  for (uint64_t call = 1; call < 1000; ++call)
    EXPECT_FALSE(passed(0, position(call, 0))) << call;
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

class Waits : public testing::Test {
protected:
  Waits()
      : fabric(3), params(fabric.params(0)), context(rx::begin(params, 0)) {}

  uint64_t waitFor(rx::Context &c, rcclx_u64 wanted, uint32_t kind,
                   uint32_t rank) {
    auto start = readClock();
    rx::waitFor(&c, &word, wanted, kind, rank);
    return readClock() - start;
  }

  Fabric fabric;
  rcclx_kernel_params params;
  rx::Context context;
  rcclx_u64 word = 0;
};

TEST_F(Waits, ReturnWhenTheWordHasPassed) {
  std::thread peer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    rx::storeRelaxed(&word, position(1, 4));
  });
  waitFor(context, position(1, 3), RCCLX_WAIT_MESSAGE, 1);
  peer.join();
  EXPECT_EQ(context.dead, 0u);
  EXPECT_EQ(fabric.control(0).failure, 0u);
}

TEST_F(Waits, DeadlineLeavesCodeKindRankAndCall) {
  fabric.setCalls(41);
  fabric.control(0).timeout_ticks = 20'000'000;
  uint64_t took = waitFor(context, position(42, 0), RCCLX_WAIT_CREDIT, 2);
  EXPECT_EQ(context.dead, 1u);
  EXPECT_GE(took + 5'000'000, 20'000'000u); // the clock runs from the begin
  EXPECT_EQ(fabric.control(0).failure,
            RCCLX_FAILURE_DEADLINE | RCCLX_WAIT_CREDIT << 8 | 3u << 16);
  EXPECT_EQ(fabric.control(0).failure_call, 42u);
}

TEST_F(Waits, OfATileAreBoundedNotTheCallAroundThem) {
  // A call that takes longer than the deadline, in tiles that do not.
  fabric.control(0).timeout_ticks = 200'000'000;
  auto start = readClock();
  for (uint64_t index = 0; readClock() - start < 600'000'000; ++index) {
    std::thread peer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      rx::storeRelaxed(&word, position(1, index));
    });
    ASSERT_TRUE(rx::alive(&context));
    waitFor(context, position(1, index), RCCLX_WAIT_MESSAGE, 1);
    peer.join();
    ASSERT_EQ(context.dead, 0u);
  }
}

TEST_F(Waits, AbortEndsAWaitLongBeforeItsDeadline) {
  std::thread watchdog([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    rx::storeRelaxed(&fabric.control(0).abort, 1);
  });
  uint64_t took = waitFor(context, position(1, 0), RCCLX_WAIT_PULL, 0);
  watchdog.join();
  EXPECT_LT(took, 10'000'000'000u);
  EXPECT_EQ(context.dead, 1u);
  EXPECT_EQ(fabric.control(0).failure,
            RCCLX_FAILURE_ABORT | RCCLX_WAIT_PULL << 8 | 1u << 16);
}

TEST_F(Waits, OfADeadThreadReturnAtOnceAndAnnounceNothing) {
  context.dead = 1;
  uint64_t yieldsBefore = yields, readsBefore = clockReads;
  for (int i = 0; i < 1000; ++i) {
    rx::waitFor(&context, &word, position(1, 0), RCCLX_WAIT_MESSAGE, 1);
    rx::waitMessage<4>(&context, 1, 0, 0);
    rx::waitPull<4>(&context, 1, 0, 0);
    rx::waitCredit<4, 2>(&context, 1, 0, 5);
    rx::waitWindow<4, 2>(&context, 0, 5);
    rx::drainWindow<4>(&context, 0, 5);
    rx::recv<rx::F32, rx::LL>(&context, fabric.region(1, 0) + RCCLX_LL,
                              rx::Range{0, 0, 1}, 0, 1);
    rx::recv<rx::F32, rx::Sentinel>(&context,
                                    fabric.region(1, 0) + RCCLX_SENTINEL,
                                    rx::Range{0, 0, 1}, 0, 1);
  }
  EXPECT_EQ(yields, yieldsBefore);
  EXPECT_EQ(clockReads, readsBefore);
  EXPECT_FALSE(rx::alive(&context));

  rx::postMessage<4>(&context, 1, 0, 0);
  rx::postCredit<4, 1>(&context, 1, 0, 0, 9);
  rx::postPull<4>(&context, 1, 0, 0);
  rx::postWindow<4>(&context, 0, 0);
  for (uint32_t to = 0; to < 3; ++to)
    for (uint32_t at :
         {RCCLX_SIGNAL, RCCLX_CREDIT, RCCLX_PULL_SIGNAL, RCCLX_PULL_CREDIT})
      EXPECT_EQ(*reinterpret_cast<rcclx_u64 *>(fabric.region(0, to) + at), 0u);
  rx::close<1>(&context);
  EXPECT_EQ(fabric.calls(0, 1)[0], 0u) << "a dead call is not counted";
}

TEST_F(Waits, ManyThatFailTakeOneDeadline) {
  fabric.control(0).timeout_ticks = 20'000'000;
  auto start = readClock();
  for (int i = 0; i < 100; ++i)
    rx::waitMessage<1>(&context, 1, 0, i);
  EXPECT_LT(readClock() - start, 1'000'000'000u);
  EXPECT_EQ(context.dead, 1u);
}

TEST_F(Waits, TheFirstFailureStaysWhole) {
  // Two blocks of a kernel fail, on peers with different call numbers.
  fabric.control(0).abort = 1;
  for (uint32_t b = 0; b < RCCLX_MAX_BLOCKS; ++b) {
    params.peers[1].call[b] = 10;
    params.peers[2].call[b] = 20;
  }
  rx::Context other = rx::begin(params, 1);
  waitFor(context, position(11, 0), RCCLX_WAIT_MESSAGE, 1);
  uint64_t first = fabric.control(0).failure;
  waitFor(other, position(21, 0), RCCLX_WAIT_CREDIT, 2);
  EXPECT_EQ(other.dead, 1u);
  EXPECT_EQ(first, RCCLX_FAILURE_ABORT | RCCLX_WAIT_MESSAGE << 8 | 2u << 16);
  EXPECT_EQ(fabric.control(0).failure, first);
  EXPECT_EQ(fabric.control(0).failure_call, 11u)
      << "the call of another failure than the one recorded";
}

TEST_F(Waits, SpinBrieflyThenYield) {
  std::thread watchdog([&] {
    while (yields == 0)
      std::this_thread::yield();
    rx::storeRelaxed(&fabric.control(0).abort, 1);
  });
  yields = 0;
  waitFor(context, position(1, 0), RCCLX_WAIT_MESSAGE, 1);
  watchdog.join();
  EXPECT_GT(yields, 0u);

  // A word that has passed costs neither.
  fabric.control(0).abort = 0;
  rx::Context fresh = rx::begin(params, 0);
  uint64_t yieldsBefore = yields, readsBefore = clockReads;
  rx::waitFor(&fresh, &word, position(0, 0) - 1, RCCLX_WAIT_MESSAGE, 1);
  EXPECT_EQ(yields, yieldsBefore);
  EXPECT_EQ(clockReads, readsBefore);
}

//===----------------------------------------------------------------------===//
// Signals of both ends
//===----------------------------------------------------------------------===//

/// What `from` posts is what `to` waits for, in each block's own word.
class Signals : public testing::Test {
protected:
  Signals() : fabric(2), params{fabric.params(0, 4), fabric.params(1, 4)} {
    for (uint32_t r = 0; r < 2; ++r)
      fabric.control(r).timeout_ticks = 1'000'000;
  }
  rx::Context at(uint32_t rank, uint32_t block) {
    return rx::begin(params[rank], block);
  }
  bool waits(rx::Context c, auto wait) {
    wait(&c);
    return c.dead == 0;
  }

  Fabric fabric;
  rcclx_kernel_params params[2];
};

TEST_F(Signals, MessagesAreToldApartByTagTileAndBlock) {
  auto wait = [](uint64_t tag, uint64_t tile) {
    return [=](rx::Context *c) { rx::waitMessage<3>(c, 0, tag, tile); };
  };
  rx::Context sender = at(0, 2);
  rx::postMessage<3>(&sender, 1, 1, 4);
  EXPECT_TRUE(waits(at(1, 2), wait(1, 4)));
  EXPECT_TRUE(waits(at(1, 2), wait(0, 4))); // came before
  EXPECT_TRUE(waits(at(1, 2), wait(2, 3))); // came before
  EXPECT_FALSE(waits(at(1, 2), wait(2, 4)));
  EXPECT_FALSE(waits(at(1, 2), wait(0, 5)));
  EXPECT_FALSE(waits(at(1, 1), wait(1, 4))) << "another block's";
  EXPECT_FALSE(waits(at(1, 3), wait(1, 4))) << "another block's";
}

TEST_F(Signals, CreditsAreForTheTileThatUsedTheSlotBefore) {
  auto wait = [](uint64_t tag, uint64_t tile) {
    return [=](rx::Context *c) { rx::waitCredit<2, 4>(c, 1, tag, tile); };
  };
  for (uint64_t tile = 0; tile < 4; ++tile)
    EXPECT_TRUE(waits(at(0, 0), wait(1, tile))) << "the slot is fresh";
  EXPECT_FALSE(waits(at(0, 0), wait(1, 4)));
  rx::Context reader = at(1, 0);
  rx::postCredit<2, 4>(&reader, 0, 1, 0, 6);
  EXPECT_TRUE(waits(at(0, 0), wait(1, 4)));
  EXPECT_FALSE(waits(at(0, 0), wait(1, 5)));
  // Tile 2 of 6 has no successor in its slot: nobody is told.
  rx::postCredit<2, 4>(&reader, 0, 1, 2, 6);
  EXPECT_FALSE(waits(at(0, 0), wait(1, 6)));
  rx::postCredit<2, 4>(&reader, 0, 1, 2, 7);
  EXPECT_TRUE(waits(at(0, 0), wait(1, 6)));
}

TEST_F(Signals, WindowsGoToReadersAndBack) {
  auto pull = [](rx::Context *c) { rx::waitPull<1>(c, 0, 0, 2); };
  auto reuse = [](rx::Context *c) { rx::waitWindow<1, 2>(c, 0, 3); };
  auto drain = [](rx::Context *c) { rx::drainWindow<1>(c, 0, 2); };
  EXPECT_FALSE(waits(at(1, 0), pull));
  rx::Context owner = at(0, 0);
  rx::postWindow<1>(&owner, 0, 2);
  EXPECT_TRUE(waits(at(1, 0), pull));

  // Tile 3 follows tile 1 in its part; both readers must have read that.
  EXPECT_FALSE(waits(at(0, 0), reuse));
  EXPECT_FALSE(waits(at(0, 0), drain));
  rx::Context reader = at(1, 0);
  rx::postPull<1>(&reader, 0, 0, 1);
  EXPECT_FALSE(waits(at(0, 0), reuse)) << "rank 0 reads its own window, too";
  rx::postPull<1>(&owner, 0, 0, 1);
  EXPECT_TRUE(waits(at(0, 0), reuse));
  EXPECT_TRUE(waits(at(0, 0), drain));
}

TEST_F(Signals, OneThreadSpeaksForItsBlock) {
  rx::Context second = at(0, 0);
  second.thread = 1;
  rx::postMessage<1>(&second, 1, 0, 0);
  EXPECT_FALSE(
      waits(at(1, 0), [](rx::Context *c) { rx::waitMessage<1>(c, 0, 0, 0); }));
}

} // namespace
} // namespace rcclx::device
