//===- LeakTest.cpp - Nothing is left of a communicator -------------------===//
//
// Part of rcclx. 10,000 communicators with --full.
//
//===----------------------------------------------------------------------===//
#include "CommunicatorTesting.h"

#include <atomic>
#include <malloc.h>
#include <unistd.h>

using namespace rcclx;
using namespace rcclx::runtime::testing;

namespace {

// A sanitizer keeps what is freed, to find its use.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool countsMemory = false;
#elif defined(__has_feature)
constexpr bool countsMemory =
    !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
constexpr bool countsMemory = true;
#endif

struct Census {
  size_t files, threads, maps, resident, heap;

  static Census take() {
    Census census{countEntries("/proc/self/fd"),
                  countEntries("/proc/self/task"),
                  countLines("/proc/self/maps"), 0, mallinfo2().uordblks};
    std::ifstream("/proc/self/statm") >> census.resident >> census.resident;
    census.resident *= size_t(getpagesize());
    return census;
  }
};

class LeakTest : public CommunicatorFixture {
protected:
  void newId() { ASSERT_EQ(rcclx_unique_id_create(&id), RCCLX_OK); }

  /// One communicator of each kind of life.
  void live(int kind) {
    newId();
    rcclx_comm *comm = nullptr;
    switch (kind) {
    case 0: // created and destroyed
    case 1:
      eachRank(1 + uint32_t(kind), 20000, [](uint32_t, rcclx_comm *mine) {
        EXPECT_EQ(rcclx_comm_destroy(mine), RCCLX_OK);
      });
      return;
    case 2: // with a plan, a stream and calls
    case 3:
      eachRank(uint32_t(kind - 1), 20000, [](uint32_t rank, rcclx_comm *mine) {
        {
          Worker worker(mine, "fixture", 10, rank);
          EXPECT_EQ(worker.launch(), RCCLX_OK);
          EXPECT_EQ(rcclx_stream_synchronize(worker.stream), RCCLX_OK);
        }
        EXPECT_EQ(rcclx_comm_destroy(mine), RCCLX_OK);
      });
      return;
    case 4: // split, the parent destroyed first, plans last
      eachRank(2, 20000, [](uint32_t rank, rcclx_comm *mine) {
        rcclx_comm *all = nullptr, *alone = nullptr;
        EXPECT_EQ(rcclx_comm_split(mine, 0, -int32_t(rank), &all), RCCLX_OK);
        EXPECT_EQ(rcclx_comm_split(mine, int32_t(rank) - 1, 0, &alone),
                  RCCLX_OK);
        EXPECT_EQ(rcclx_comm_destroy(mine), RCCLX_OK);
        {
          Worker worker(all, "fixture", 10, rank);
          EXPECT_EQ(worker.launch(), RCCLX_OK);
          EXPECT_EQ(rcclx_comm_destroy(all), RCCLX_OK);
        }
        EXPECT_EQ(rcclx_comm_destroy(alone), RCCLX_OK);
      });
      return;
    case 5: { // nobody else comes
      rcclx_comm_params p = params(0, 2, 1);
      EXPECT_EQ(rcclx_comm_create(&p, &comm), RCCLX_TIMEOUT);
      return;
    }
    case 6: { // aborted in the middle
      std::atomic<int> prepared{0};
      eachRank(2, 20000, [&prepared](uint32_t rank, rcclx_comm *mine) {
        {
          Worker worker(mine, "fixture", 10, rank);
          for (++prepared; prepared != 2;)
            std::this_thread::yield();
          if (rank == 0)
            EXPECT_EQ(rcclx_comm_abort(mine), RCCLX_OK);
          else
            worker.launch();
        }
        EXPECT_NE(rcclx_comm_destroy(mine), RCCLX_OK);
      });
      return;
    }
    default: // a plan that cannot be prepared
      eachRank(2, 20000, [](uint32_t, rcclx_comm *mine) {
        rcclx_plan *plan = nullptr;
        std::string schedule = "error";
        rcclx_plan_params p = planParams(schedule);
        EXPECT_EQ(rcclx_plan_prepare(mine, &p, &plan), RCCLX_SCHEDULE_ERROR);
        EXPECT_EQ(rcclx_comm_destroy(mine), RCCLX_OK);
      });
    }
  }
};

TEST_F(LeakTest, nothingGrowsWithTheCommunicators) {
  constexpr int kinds = 8;
  for (int i = 0; i != 4 * kinds; ++i)
    live(i % kinds); // what is kept once: the cache, arenas of threads
  Census before = Census::take();
  for (int i = 0; i != fewOrAll(400, 10000) && !HasFailure(); ++i)
    live(i % kinds);
  Census after = Census::take();
  EXPECT_EQ(after.files, before.files);
  EXPECT_EQ(after.threads, before.threads);
  if (!countsMemory)
    return;
  // The heap maps and frees arenas and stacks as it likes.
  EXPECT_LE(after.maps, before.maps + 20);
  EXPECT_LE(after.heap, before.heap + (256u << 10));
  EXPECT_LE(after.resident, before.resident + (32u << 20));
}

} // namespace
