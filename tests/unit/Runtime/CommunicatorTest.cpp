//===- CommunicatorTest.cpp - Ranks as threads, through the C ABI ---------===//
//
// Part of rcclx. The plans are those of Fixture/FakeCompiler.cpp.
//
//===----------------------------------------------------------------------===//
#include "CommunicatorTesting.h"

#include "../../../runtime/lib/capi/Handles.h"

#include <atomic>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace rcclx::runtime::testing;

namespace {

class CommunicatorTest : public CommunicatorFixture {};

TEST_F(CommunicatorTest, runsManyCallsOnSeveralRanks) {
  for (uint32_t world : {1u, 2u, 3u, 8u, 17u}) {
    ASSERT_EQ(rcclx_unique_id_create(&id), RCCLX_OK);
    eachRank(world, 20000, [&](uint32_t rank, rcclx_comm *comm) {
      {
        Worker worker(comm, "fixture", 1000, rank);
        for (int i = 0; i != 20; ++i)
          EXPECT_EQ(worker.launch(), RCCLX_OK) << rcclx_last_error();
        EXPECT_EQ(rcclx_stream_synchronize(worker.stream), RCCLX_OK)
            << rcclx_last_error();
        worker.expectSum(world);
      }
      EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_OK) << rcclx_last_error();
    });
  }
}

TEST_F(CommunicatorTest, callsWithoutAStreamEndBeforeTheyReturn) {
  for (uint32_t world : {1u, 2u, 5u}) {
    ASSERT_EQ(rcclx_unique_id_create(&id), RCCLX_OK);
    eachRank(world, 20000, [&](uint32_t rank, rcclx_comm *comm) {
      {
        Worker worker(comm, "fixture", 1000, rank);
        rcclx_launch_params inThisThread = worker.launchParams();
        inThisThread.stream = nullptr;
        for (int i = 0; i != 20; ++i) {
          std::fill(worker.output.begin(), worker.output.end(), -1.0f);
          // Some after calls of a stream, which end first.
          if (i % 3 == 1)
            EXPECT_EQ(worker.launch(), RCCLX_OK) << rcclx_last_error();
          EXPECT_EQ(rcclx_launch(comm, &inThisThread), RCCLX_OK)
              << rcclx_last_error();
          worker.expectSum(world);
        }
        // In a group it would wait for launches that the group holds back.
        EXPECT_EQ(rcclx_group_begin(), RCCLX_OK);
        EXPECT_EQ(rcclx_launch(comm, &inThisThread), RCCLX_INVALID_USAGE);
        EXPECT_NE(std::string(rcclx_last_error()).find("needs a stream"),
                  std::string::npos);
        EXPECT_EQ(rcclx_group_end(), RCCLX_OK);
      }
      EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_OK) << rcclx_last_error();
    });
  }
}

TEST_F(CommunicatorTest, aCallWithoutAStreamReportsAMissingRank) {
  ASSERT_EQ(rcclx_unique_id_create(&id), RCCLX_OK);
  eachRank(2, 300, [&](uint32_t rank, rcclx_comm *comm) {
    Worker worker(comm, "fixture", 1000, rank);
    rcclx_launch_params p = worker.launchParams();
    p.stream = nullptr;
    if (rank == 0) {
      EXPECT_EQ(rcclx_launch(comm, &p), RCCLX_TIMEOUT);
      EXPECT_NE(std::string(rcclx_last_error()).find("rank 1"),
                std::string::npos);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(600));
    }
    rcclx_comm_destroy(comm);
  });
}

TEST_F(CommunicatorTest, leavesNoFileNoThreadNoMapping) {
  auto once = [&] {
    ASSERT_EQ(rcclx_unique_id_create(&id), RCCLX_OK);
    eachRank(4, 20000, [&](uint32_t rank, rcclx_comm *comm) {
      {
        Worker worker(comm, "fixture", 10, rank);
        EXPECT_EQ(worker.launch(), RCCLX_OK);
      }
      EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_OK);
    });
  };
  auto sharedMaps = [] {
    std::ifstream maps("/proc/self/maps");
    size_t found = 0;
    for (std::string line; std::getline(maps, line);)
      found += line.find("memfd:rcclx") != std::string::npos;
    return found;
  };
  once(); // what the first use keeps: the compiler's library
  size_t files = countEntries("/proc/self/fd");
  once();
  EXPECT_EQ(countEntries("/proc/self/fd"), files);
#if __has_feature(thread_sanitizer)
  size_t threads = 2; // one is the sanitizer's own
#else
  size_t threads = 1;
#endif
  EXPECT_EQ(countEntries("/proc/self/task"), threads);
  EXPECT_EQ(sharedMaps(), 0u);
}

TEST_F(CommunicatorTest, oneRankCompilesOnce) {
  for (int round = 0; round != 2; ++round) {
    ASSERT_EQ(rcclx_unique_id_create(&id), RCCLX_OK);
    eachRank(4, 20000, [&](uint32_t rank, rcclx_comm *comm) {
      {
        Worker worker(comm, "fixture", 10, rank);
        rcclx_plan_info info = {};
        info.struct_size = sizeof(info);
        EXPECT_EQ(rcclx_plan_get_info(worker.plan, &info), RCCLX_OK);
        EXPECT_EQ(info.cached, round);
        EXPECT_GT(info.manifest_bytes, 0u);
      }
      EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_OK);
    });
  }
  EXPECT_EQ(countLines(scratch / "compiled"), 1u);
}

TEST_F(CommunicatorTest, groupLetsOneThreadDriveAllRanks) {
  constexpr uint32_t world = 3;
  rcclx_comm *comms[world] = {};
  rcclx_plan *plans[world] = {};
  rcclx_stream *streams[world] = {};
  ASSERT_EQ(rcclx_group_begin(), RCCLX_OK);
  for (uint32_t r = 0; r != world; ++r) {
    rcclx_comm_params p = params(r, world);
    ASSERT_EQ(rcclx_comm_create(&p, &comms[r]), RCCLX_OK);
    EXPECT_EQ(comms[r], nullptr);
  }
  ASSERT_EQ(rcclx_group_end(), RCCLX_OK) << rcclx_last_error();
  std::string schedule = "fixture";
  ASSERT_EQ(rcclx_group_begin(), RCCLX_OK);
  for (uint32_t r = 0; r != world; ++r) {
    rcclx_plan_params p = planParams(schedule);
    ASSERT_EQ(rcclx_plan_prepare(comms[r], &p, &plans[r]), RCCLX_OK);
  }
  ASSERT_EQ(rcclx_group_end(), RCCLX_OK) << rcclx_last_error();
  float input[world], output[world];
  ASSERT_EQ(rcclx_group_begin(), RCCLX_OK);
  for (uint32_t r = 0; r != world; ++r) {
    ASSERT_EQ(rcclx_stream_create(comms[r], &streams[r]), RCCLX_OK);
    input[r] = float(r + 1);
    rcclx_launch_params p = {sizeof(p), plans[r],   &input[r], &output[r],
                             1,         streams[r], nullptr};
    ASSERT_EQ(rcclx_launch(comms[r], &p), RCCLX_OK);
  }
  ASSERT_EQ(rcclx_group_end(), RCCLX_OK) << rcclx_last_error();
  for (uint32_t r = 0; r != world; ++r) {
    EXPECT_EQ(rcclx_stream_synchronize(streams[r]), RCCLX_OK);
    EXPECT_EQ(output[r], 6.0f);
    rcclx_plan_destroy(plans[r]);
    rcclx_stream_destroy(streams[r]);
  }
  for (rcclx_comm *comm : comms)
    EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_OK);
  EXPECT_EQ(rcclx_group_end(), RCCLX_INVALID_USAGE);
}

TEST_F(CommunicatorTest, refusesBadLaunches) {
  eachRank(1, 20000, [&](uint32_t rank, rcclx_comm *comm) {
    {
      Worker worker(comm, "fixture", 8, rank);
      auto expect = [&](auto change, const char *text) {
        rcclx_launch_params p = worker.launchParams();
        change(p);
        EXPECT_EQ(rcclx_launch(comm, &p), RCCLX_INVALID_ARGUMENT);
        EXPECT_NE(std::string(rcclx_last_error()).find(text), std::string::npos)
            << rcclx_last_error();
      };
      expect([](auto &p) { p.struct_size = 4; }, "struct_size");
      expect([](auto &p) { p.plan = nullptr; }, "plan is null");
      expect([](auto &p) { p.input = nullptr; }, "input buffer is null");
      expect([](auto &p) { p.output = nullptr; }, "output buffer is null");
      expect([](auto &p) { p.input = static_cast<const char *>(p.input) + 2; },
             "not aligned");
      expect([](auto &p) { p.count = uint64_t(1) << 62; }, "exceed 2^63");
      expect([](auto &p) { p.count = 1000000; }, "at most 262144");
      // Null pointers are fine where nothing is accessed.
      rcclx_launch_params empty = worker.launchParams();
      empty.input = empty.output = nullptr;
      empty.count = 0;
      EXPECT_EQ(rcclx_launch(comm, &empty), RCCLX_OK);
      EXPECT_EQ(rcclx_stream_synchronize(worker.stream), RCCLX_OK);
    }
    rcclx_comm_destroy(comm);
  });
}

TEST_F(CommunicatorTest, differentPlansAreRefusedOnAllRanks) {
  eachRank(3, 20000, [&](uint32_t rank, rcclx_comm *comm) {
    std::string schedule = rank == 2 ? "fixture b" : "fixture a";
    rcclx_plan_params p = planParams(schedule);
    rcclx_plan *plan = nullptr;
    EXPECT_EQ(rcclx_plan_prepare(comm, &p, &plan), RCCLX_INVALID_USAGE);
    EXPECT_NE(std::string(rcclx_last_error()).find("rank 2"), std::string::npos)
        << rcclx_last_error();
    // The communicator is still good: all ranks know of the refusal.
    schedule = "fixture c";
    p = planParams(schedule);
    EXPECT_EQ(rcclx_plan_prepare(comm, &p, &plan), RCCLX_OK)
        << rcclx_last_error();
    rcclx_plan_destroy(plan);
    rcclx_comm_destroy(comm);
  });
}

TEST_F(CommunicatorTest, rolesAreCheckedAndMustAgree) {
  eachRank(3, 20000, [&](uint32_t rank, rcclx_comm *comm) {
    const std::string schedule = "fixture";
    rcclx_plan *plan = nullptr;
    auto expectError = [&](const rcclx_plan_params &p, rcclx_result result,
                           const char *message) {
      EXPECT_EQ(rcclx_plan_prepare(comm, &p, &plan), result);
      EXPECT_NE(std::string(rcclx_last_error()).find(message),
                std::string::npos)
          << rcclx_last_error();
    };
    rcclx_plan_params p = planParams(schedule);
    p.root = 3;
    expectError(p, RCCLX_INVALID_ARGUMENT,
                "root 3; expected a rank within 0 to 2");
    p.root = rank == 1 ? 2 : 1;
    expectError(p, RCCLX_INVALID_USAGE, "of root 2) than rank 0 (");
    p.root = 0;
    const uint32_t cycle[] = {1, 2, 0}, twice[] = {1, 1, 0}, far[] = {1, 2, 3};
    p.permutation_length = 2;
    p.permutation = cycle;
    expectError(p, RCCLX_INVALID_ARGUMENT,
                "a permutation of 2 entries; expected one per rank, 3");
    p.permutation_length = 257;
    expectError(p, RCCLX_INVALID_ARGUMENT, "a permutation of 257 entries");
    p.permutation_length = 3;
    p.permutation = twice;
    expectError(p, RCCLX_INVALID_ARGUMENT, "the permutation has 1 twice");
    p.permutation = far;
    expectError(p, RCCLX_INVALID_ARGUMENT, "the permutation has 3 in it");
    p.permutation = nullptr;
    expectError(p, RCCLX_INVALID_ARGUMENT, "the permutation is null");
    p.permutation_length = rank == 2 ? 0 : 3;
    p.permutation = cycle;
    expectError(p, RCCLX_INVALID_USAGE, "rank 2 prepares another plan");
    // An error of the arguments of one rank is that of all.
    p = planParams(schedule);
    p.root = rank == 0 ? 5 : 0;
    expectError(p, RCCLX_INVALID_ARGUMENT, "root 5");
    rcclx_comm_destroy(comm);
  });
}

TEST_F(CommunicatorTest, diagnosticsReachAllRanks) {
  eachRank(2, 20000, [&](uint32_t, rcclx_comm *comm) {
    std::string schedule = "error";
    rcclx_plan_params p = planParams(schedule);
    p.schedule_name = "x.mlir";
    rcclx_plan *plan = nullptr;
    EXPECT_EQ(rcclx_plan_prepare(comm, &p, &plan), RCCLX_SCHEDULE_ERROR);
    EXPECT_NE(std::string(rcclx_last_error()).find("x.mlir:1:1: error: a test"),
              std::string::npos)
        << rcclx_last_error();
    rcclx_comm_destroy(comm);
  });
}

TEST_F(CommunicatorTest, aRankThatDoesNotCallIsNamedAtTheDeadline) {
  eachRank(4, shortMs, [&](uint32_t rank, rcclx_comm *comm) {
    {
      Worker worker(comm, "fixture", 8, rank);
      EXPECT_EQ(worker.launch(), RCCLX_OK);
      EXPECT_EQ(rcclx_stream_synchronize(worker.stream), RCCLX_OK);
      if (rank != 2) {
        EXPECT_EQ(worker.launch(), RCCLX_OK);
        EXPECT_EQ(rcclx_stream_synchronize(worker.stream), RCCLX_TIMEOUT);
        std::string message = rcclx_last_error();
        EXPECT_NE(message.find("not started: rank 2 (at call 1, here 2)"),
                  std::string::npos)
            << message;
        EXPECT_NE(message.find("fixture of 32 bytes"), std::string::npos)
            << message;
        // Dead for good.
        EXPECT_EQ(worker.launch(), RCCLX_TIMEOUT);
      } else {
        // Told by the others; bounded, should they have failed before.
        auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (rcclx_comm_status(comm) == RCCLX_OK &&
               std::chrono::steady_clock::now() < end)
          std::this_thread::yield();
      }
    }
    EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_TIMEOUT);
  });
}

TEST_F(CommunicatorTest, abortReachesARunningKernelOfAllRanks) {
  eachRank(3, 60000, [&](uint32_t rank, rcclx_comm *comm) {
    {
      Worker worker(comm, "fixture", 8, rank);
      if (rank == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        EXPECT_EQ(rcclx_comm_abort(comm), RCCLX_OK);
        EXPECT_EQ(worker.launch(), RCCLX_ABORTED);
      } else {
        rcclx_result launched = worker.launch();
        EXPECT_TRUE(launched == RCCLX_OK || launched == RCCLX_REMOTE_ERROR);
        EXPECT_EQ(rcclx_stream_synchronize(worker.stream), RCCLX_REMOTE_ERROR);
        EXPECT_NE(std::string(rcclx_last_error())
                      .find("rank 1 was aborted by its user"),
                  std::string::npos)
            << rcclx_last_error();
      }
    }
    rcclx_comm_destroy(comm);
  });
}

TEST_F(CommunicatorTest, abortEndsAPreparationOfAllRanks) {
  // Rank 0 compiles meanwhile; the others wait for it, two minutes if need be.
  std::atomic<int> early{0};
  std::atomic<bool> compiled{false};
  eachRank(3, 20000, [&](uint32_t rank, rcclx_comm *comm) {
    std::string schedule = "slow";
    rcclx_plan_params p = planParams(schedule);
    rcclx_plan *plan = nullptr;
    std::thread other;
    if (rank == 2)
      other = std::thread([comm] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        EXPECT_EQ(rcclx_comm_abort(comm), RCCLX_OK);
      });
    EXPECT_EQ(rcclx_plan_prepare(comm, &p, &plan),
              rank == 2 ? RCCLX_ABORTED : RCCLX_REMOTE_ERROR);
    std::string error = rcclx_last_error();
    EXPECT_NE(error.find(rank == 2 ? "aborted by its user"
                                   : "rank 2 was aborted by its user"),
              std::string::npos)
        << error;
    if (rank == 0)
      compiled = true;
    else if (!compiled)
      ++early;
    EXPECT_EQ(plan, nullptr);
    if (other.joinable())
      other.join();
    EXPECT_EQ(rcclx_comm_destroy(comm),
              rank == 2 ? RCCLX_ABORTED : RCCLX_REMOTE_ERROR);
  });
  EXPECT_EQ(early, 2) << "they waited for the compilation";
}

TEST_F(CommunicatorTest, abortEndsALaunchThatWaitsForRoom) {
  eachRank(2, 20000, [&](uint32_t rank, rcclx_comm *comm) {
    {
      Worker worker(comm, "fixture", 10, rank);
      if (rank == 0) {
        std::thread other([comm] {
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
          EXPECT_EQ(rcclx_comm_abort(comm), RCCLX_OK);
        });
        // The first waits for rank 1; the queue takes 256 more.
        rcclx_result result = RCCLX_OK;
        for (int i = 0; i != 1000 && result == RCCLX_OK; ++i)
          result = worker.launch();
        EXPECT_EQ(result, RCCLX_ABORTED);
        EXPECT_EQ(rcclx_stream_synchronize(worker.stream), RCCLX_ABORTED);
        other.join();
      } else {
        while (rcclx_comm_status(comm) == RCCLX_OK)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_EQ(worker.launch(), RCCLX_REMOTE_ERROR);
      }
    }
    rcclx_comm_destroy(comm);
  });
}

TEST_F(CommunicatorTest, aRankThatLeavesEarlyIsNamed) {
  for (uint32_t quitter : {0u, 2u}) {
    ASSERT_EQ(rcclx_unique_id_create(&id), RCCLX_OK);
    eachRank(3, 60000, [&](uint32_t rank, rcclx_comm *comm) {
      if (rank != quitter) {
        Worker worker(comm, "fixture", 8, rank);
        rcclx_result result = worker.launch();
        if (result == RCCLX_OK)
          result = rcclx_stream_synchronize(worker.stream);
        EXPECT_EQ(result, RCCLX_REMOTE_ERROR);
        EXPECT_NE(std::string(rcclx_last_error())
                      .find(fmt::format("rank {} left", quitter)),
                  std::string::npos)
            << rcclx_last_error();
      } else {
        Worker worker(comm, "fixture", 8, rank);
      }
      rcclx_comm_destroy(comm);
    });
  }
}

TEST_F(CommunicatorTest, twoThreadsInOneCommunicatorAreFound) {
  eachRank(2, 20000, [&](uint32_t rank, rcclx_comm *comm) {
    std::string schedule = "fixture";
    rcclx_plan_params p = planParams(schedule);
    rcclx_plan *plan = nullptr;
    if (rank == 0) {
      // Rank 1 is late: this rank's preparation is in progress meanwhile.
      std::thread other([&] {
        rcclx_stream *stream = nullptr;
        rcclx_result result;
        while ((result = rcclx_stream_create(comm, &stream)) == RCCLX_OK)
          rcclx_stream_destroy(stream);
        EXPECT_EQ(result, RCCLX_INVALID_USAGE);
        EXPECT_NE(std::string(rcclx_last_error()).find("two threads"),
                  std::string::npos);
      });
      // May itself be the second one: then again.
      while (rcclx_plan_prepare(comm, &p, &plan) == RCCLX_INVALID_USAGE)
        std::this_thread::yield();
      other.join();
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      EXPECT_EQ(rcclx_plan_prepare(comm, &p, &plan), RCCLX_OK);
    }
    rcclx_plan_destroy(plan);
    rcclx_comm_destroy(comm);
  });
}

TEST_F(CommunicatorTest, dumpsTheRecentCalls) {
  eachRank(2, shortMs, [&](uint32_t rank, rcclx_comm *comm) {
    char text[4096];
    EXPECT_EQ(rcclx_comm_dump(comm, text, sizeof(text)), RCCLX_OK);
    EXPECT_EQ(
        std::string(text),
        fmt::format("rank {} of 2: alive\n0 calls issued, 0 ended\n", rank));
    {
      Worker worker(comm, "fixture", 10, rank);
      for (int i = 0; i != 40; ++i) {
        EXPECT_EQ(worker.launch(), RCCLX_OK);
        EXPECT_EQ(rcclx_stream_synchronize(worker.stream), RCCLX_OK);
      }
      EXPECT_EQ(rcclx_comm_dump(comm, text, sizeof(text)), RCCLX_OK);
      std::string dump = text;
      EXPECT_NE(dump.find("40 calls issued, 40 ended\ncall 40 (plan "),
                std::string::npos)
          << dump;
      EXPECT_NE(dump.find("10 elements): ended\ncall 9 (plan"),
                std::string::npos)
          << dump;
      EXPECT_EQ(dump.find("call 8 "), std::string::npos) << "32 are kept";
      // Cut, and ended, where there is no room.
      memset(text, 'x', sizeof(text));
      EXPECT_EQ(rcclx_comm_dump(comm, text, 9), RCCLX_OK);
      EXPECT_EQ(std::string(text), dump.substr(0, 8));
      EXPECT_EQ(text[9], 'x');
      EXPECT_EQ(rcclx_comm_dump(comm, nullptr, 9), RCCLX_INVALID_ARGUMENT);
      EXPECT_EQ(rcclx_comm_dump(comm, text, 0), RCCLX_INVALID_ARGUMENT);
      EXPECT_EQ(rcclx_comm_dump(nullptr, text, 9), RCCLX_INVALID_ARGUMENT);
      // The error of a call that one rank alone makes says the same.
      if (rank == 0) {
        EXPECT_EQ(worker.launch(), RCCLX_OK);
        EXPECT_EQ(rcclx_stream_synchronize(worker.stream), RCCLX_TIMEOUT);
        EXPECT_NE(std::string(rcclx_last_error())
                      .find("; recent calls: call "
                            "41 (plan "),
                  std::string::npos)
            << rcclx_last_error();
        EXPECT_NE(std::string(rcclx_last_error()).find("): under way, call 40"),
                  std::string::npos)
            << rcclx_last_error();
      } else {
        while (rcclx_comm_status(comm) == RCCLX_OK)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    rcclx_comm_destroy(comm);
  });
}

TEST_F(CommunicatorTest, missingRanksAreNamed) {
  rcclx_comm_params p = params(0, 4, shortMs);
  rcclx_comm *comm = nullptr;
  std::thread second([&] {
    rcclx_comm_params q = params(2, 4, shortMs);
    rcclx_comm *other = nullptr;
    EXPECT_EQ(rcclx_comm_create(&q, &other), RCCLX_TIMEOUT);
    EXPECT_NE(std::string(rcclx_last_error()).find(": 1, 3"), std::string::npos)
        << rcclx_last_error();
  });
  EXPECT_EQ(rcclx_comm_create(&p, &comm), RCCLX_TIMEOUT);
  EXPECT_NE(std::string(rcclx_last_error()).find(": 1, 3"), std::string::npos)
      << rcclx_last_error();
  second.join();
}

TEST_F(CommunicatorTest, refusesBadParameters) {
  rcclx_comm *comm = nullptr;
  auto expect = [&](auto change, const char *text) {
    rcclx_comm_params p = params(0, 1, shortMs);
    change(p);
    EXPECT_EQ(rcclx_comm_create(&p, &comm), RCCLX_INVALID_ARGUMENT);
    EXPECT_NE(std::string(rcclx_last_error()).find(text), std::string::npos)
        << rcclx_last_error();
  };
  rcclx_unique_id damaged = id;
  damaged.bytes[30] ^= 1;
  expect([](auto &p) { p.struct_size = 0; }, "struct_size");
  expect([&](auto &p) { p.id = &damaged; }, "damaged");
  expect([](auto &p) { p.world = 0; }, "0 ranks");
  expect([](auto &p) { p.world = 257; }, "257 ranks");
  expect([](auto &p) { p.rank = 1; }, "rank 1 of 1");
  expect([](auto &p) { p.device = "abacus"; }, "abacus");
  EXPECT_EQ(rcclx_comm_create(nullptr, &comm), RCCLX_INVALID_ARGUMENT);
  rcclx_comm_params p = params(0, 1);
  p.device = "cuda";
  EXPECT_EQ(rcclx_comm_create(&p, &comm), RCCLX_UNAVAILABLE);
  EXPECT_EQ(comm, nullptr);
}

TEST_F(CommunicatorTest, fieldsOfALaterVersionAreRefusedUnlessZero) {
  struct {
    rcclx_comm_params known;
    uint64_t later;
  } p = {params(0, 1), 0};
  p.known.struct_size = sizeof(p);
  rcclx_comm *comm = nullptr;
  ASSERT_EQ(rcclx_comm_create(&p.known, &comm), RCCLX_OK) << rcclx_last_error();
  EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_OK);
  p.later = 1;
  comm = nullptr;
  EXPECT_EQ(rcclx_comm_create(&p.known, &comm), RCCLX_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rcclx_last_error()).find("is set"), std::string::npos);
  p.known.struct_size = size_t(-1);
  EXPECT_EQ(rcclx_comm_create(&p.known, &comm), RCCLX_INVALID_ARGUMENT);
  EXPECT_EQ(comm, nullptr);
}

TEST(GuardTest, exceptionsReplaceTheLastError) {
  using rcclx::runtime::guarded;
  EXPECT_EQ(rcclx_comm_create(nullptr, nullptr), RCCLX_INVALID_ARGUMENT);
  auto outOfMemory = []() -> rcclx::runtime::Status { throw std::bad_alloc(); };
  EXPECT_EQ(guarded(outOfMemory), RCCLX_SYSTEM_ERROR);
  EXPECT_STREQ(rcclx_last_error(), "out of memory");
  auto unknown = []() -> rcclx::runtime::Status { throw 1; };
  EXPECT_EQ(guarded(unknown), RCCLX_INTERNAL_ERROR);
  EXPECT_STREQ(rcclx_last_error(), "an unknown exception");
}

TEST_F(CommunicatorTest, aForkedChildDropsItsCopiesOnly) {
  rcclx_comm_params p = params(0, 1);
  rcclx_comm *comm = nullptr;
  ASSERT_EQ(rcclx_comm_create(&p, &comm), RCCLX_OK) << rcclx_last_error();
  {
    Worker worker(comm, "fixture", 8, 0);
    EXPECT_EQ(worker.launch(), RCCLX_OK);
    EXPECT_EQ(rcclx_stream_synchronize(worker.stream), RCCLX_OK);
    pid_t child = fork();
    if (child == 0) {
      alarm(20); // rather than to wait for threads that it lacks
      bool good = rcclx_comm_abort(comm) == RCCLX_INVALID_USAGE &&
                  rcclx_plan_destroy(worker.plan) == RCCLX_OK &&
                  rcclx_stream_destroy(worker.stream) == RCCLX_OK &&
                  rcclx_comm_destroy(comm) == RCCLX_OK;
      _exit(good ? 0 : 1);
    }
    int state;
    ASSERT_EQ(waitpid(child, &state, 0), child);
    EXPECT_EQ(state, 0);
    EXPECT_EQ(worker.launch(), RCCLX_OK) << rcclx_last_error();
    EXPECT_EQ(rcclx_stream_synchronize(worker.stream), RCCLX_OK);
    worker.expectSum(1);
  }
  EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_OK) << rcclx_last_error();
}

} // namespace
