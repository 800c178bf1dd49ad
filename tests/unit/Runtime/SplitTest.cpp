//===- SplitTest.cpp - Sub-groups, and several communicators at once ------===//
//
// Part of rcclx. Ranks as threads, through the C interface; the plans are those
// of Fixture/FakeCompiler.cpp.
//
//===----------------------------------------------------------------------===//
#include "CommunicatorTesting.h"

#include <atomic>
#include <random>
#include <sys/resource.h>

using namespace rcclx;
using namespace rcclx::runtime::testing;

namespace {

class SplitTest : public CommunicatorFixture {};

rcclx_comm_info infoOf(rcclx_comm *comm) {
  rcclx_comm_info info = {};
  info.struct_size = sizeof(info);
  EXPECT_EQ(rcclx_comm_get_info(comm, &info), RCCLX_OK);
  return info;
}

/// Adds up `value` over the ranks of `comm`, on its own plan.
float sumOver(rcclx_comm *comm, float value, size_t count = 33) {
  Worker worker(comm, "fixture", count, 0);
  std::fill(worker.input.begin(), worker.input.end(), value);
  EXPECT_EQ(worker.launch(), RCCLX_OK) << rcclx_last_error();
  EXPECT_EQ(rcclx_stream_synchronize(worker.stream), RCCLX_OK)
      << rcclx_last_error();
  for (float x : worker.output)
    EXPECT_EQ(x, worker.output[0]);
  return worker.output[0];
}

TEST_F(SplitTest, rowsAndColumnsOfAGrid) {
  // 16 ranks as 4x4; keys reverse the columns.
  eachRank(16, 20000, [&](uint32_t rank, rcclx_comm *comm) {
    int32_t row = int32_t(rank / 4), column = int32_t(rank % 4);
    rcclx_comm *inRow = nullptr, *inColumn = nullptr;
    ASSERT_EQ(rcclx_comm_split(comm, row, column, &inRow), RCCLX_OK)
        << rcclx_last_error();
    ASSERT_EQ(rcclx_comm_split(comm, column, -row, &inColumn), RCCLX_OK)
        << rcclx_last_error();
    EXPECT_EQ(infoOf(inRow).world, 4u);
    EXPECT_EQ(infoOf(inRow).rank, uint32_t(column));
    EXPECT_EQ(infoOf(inColumn).rank, uint32_t(3 - row));
    // Interleaved with the parent's calls.
    for (int round = 0; round != 3; ++round) {
      EXPECT_EQ(sumOver(inRow, float(rank)), float(16 * row + 6));
      EXPECT_EQ(sumOver(comm, float(rank)), 120.0f);
      EXPECT_EQ(sumOver(inColumn, float(rank)), float(24 + 4 * column));
    }
    if (rank % 2) // in either order
      EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_OK);
    EXPECT_EQ(rcclx_comm_destroy(inColumn), RCCLX_OK);
    EXPECT_EQ(rcclx_comm_destroy(inRow), RCCLX_OK);
    if (rank % 2 == 0)
      EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_OK);
  });
}

TEST_F(SplitTest, randomColorsAndKeys) {
  constexpr uint32_t world = 7;
  std::mt19937 random(20261);
  for (int round = 0; round != fewOrAll(4, 60); ++round) {
    EXPECT_EQ(rcclx_unique_id_create(&id), RCCLX_OK);
    int32_t colors[world], keys[world];
    for (uint32_t r = 0; r != world; ++r) {
      colors[r] = int32_t(random() % 4) - 1;
      keys[r] = int32_t(random() % 3) - 1;
    }
    colors[random() % world] = 2147483647;
    keys[random() % world] = -2147483647 - 1;
    eachRank(world, 20000, [&](uint32_t rank, rcclx_comm *comm) {
      auto *part = reinterpret_cast<rcclx_comm *>(8);
      ASSERT_EQ(rcclx_comm_split(comm, colors[rank], keys[rank], &part),
                RCCLX_OK)
          << rcclx_last_error();
      EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_OK); // the parent first
      if (colors[rank] < 0) {
        EXPECT_EQ(part, nullptr);
        return;
      }
      uint32_t size = 0, place = 0;
      float sum = 0;
      for (uint32_t r = 0; r != world; ++r) {
        if (colors[r] != colors[rank])
          continue;
        ++size;
        sum += float(r);
        place += keys[r] < keys[rank] || (keys[r] == keys[rank] && r < rank);
      }
      EXPECT_EQ(infoOf(part).world, size);
      EXPECT_EQ(infoOf(part).rank, place);
      EXPECT_EQ(sumOver(part, float(rank)), sum);
      EXPECT_EQ(rcclx_comm_destroy(part), RCCLX_OK);
    });
  }
}

TEST_F(SplitTest, nested) {
  eachRank(8, 20000, [&](uint32_t rank, rcclx_comm *comm) {
    rcclx_comm *current = comm;
    for (uint32_t size = 4; size != 0; size /= 2) {
      rcclx_comm *half = nullptr;
      uint32_t place = infoOf(current).rank;
      ASSERT_EQ(rcclx_comm_split(current, int32_t(place / size), 0, &half),
                RCCLX_OK)
          << rcclx_last_error();
      EXPECT_EQ(rcclx_comm_destroy(current), RCCLX_OK);
      current = half;
      EXPECT_EQ(infoOf(current).world, size);
      EXPECT_EQ(infoOf(current).rank, rank % size);
    }
    EXPECT_EQ(sumOver(current, float(rank)), float(rank));
    EXPECT_EQ(rcclx_comm_destroy(current), RCCLX_OK);
  });
}

TEST_F(SplitTest, groupsLetOneThreadSplitAllRanks) {
  constexpr uint32_t world = 4;
  rcclx_comm *comms[world] = {}, *halves[world] = {}, *others[world] = {};
  ASSERT_EQ(rcclx_group_begin(), RCCLX_OK);
  for (uint32_t r = 0; r != world; ++r) {
    rcclx_comm_params p = params(r, world);
    ASSERT_EQ(rcclx_comm_create(&p, &comms[r]), RCCLX_OK);
  }
  ASSERT_EQ(rcclx_group_end(), RCCLX_OK) << rcclx_last_error();
  // Two splits and a preparation of one communicator in one group.
  std::string schedule = "fixture";
  rcclx_plan_params planned = planParams(schedule);
  rcclx_plan *plans[world] = {};
  ASSERT_EQ(rcclx_group_begin(), RCCLX_OK);
  for (uint32_t r = 0; r != world; ++r) {
    EXPECT_EQ(rcclx_comm_split(comms[r], int32_t(r / 2), 0, &halves[r]),
              RCCLX_OK);
    EXPECT_EQ(rcclx_plan_prepare(comms[r], &planned, &plans[r]), RCCLX_OK);
    EXPECT_EQ(rcclx_comm_split(comms[r], int32_t(r % 2), 0, &others[r]),
              RCCLX_OK);
    EXPECT_EQ(halves[r], nullptr) << "made before the group's end";
  }
  ASSERT_EQ(rcclx_group_end(), RCCLX_OK) << rcclx_last_error();
  for (uint32_t r = 0; r != world; ++r) {
    EXPECT_EQ(infoOf(halves[r]).rank, r % 2);
    EXPECT_EQ(infoOf(others[r]).rank, r / 2);
    EXPECT_EQ(rcclx_plan_destroy(plans[r]), RCCLX_OK);
  }
  for (auto *list : {halves, comms, others})
    for (uint32_t r = 0; r != world; ++r)
      EXPECT_EQ(rcclx_comm_destroy(list[r]), RCCLX_OK);
}

TEST_F(SplitTest, aCommunicatorPerThread) {
  // Each rank runs its parent and two groups from three threads at once.
  eachRank(4, 20000, [&](uint32_t rank, rcclx_comm *comm) {
    rcclx_comm *pair = nullptr, *all = nullptr;
    ASSERT_EQ(rcclx_comm_split(comm, int32_t(rank / 2), 0, &pair), RCCLX_OK);
    ASSERT_EQ(rcclx_comm_split(comm, 0, -int32_t(rank), &all), RCCLX_OK);
    auto use = [rank](rcclx_comm *mine, float sum) {
      Worker worker(mine, "fixture", 100, 0);
      std::fill(worker.input.begin(), worker.input.end(), float(rank));
      for (int round = 0; round != 50; ++round) {
        std::fill(worker.output.begin(), worker.output.end(), -1.0f);
        ASSERT_EQ(worker.launch(), RCCLX_OK) << rcclx_last_error();
        ASSERT_EQ(rcclx_stream_synchronize(worker.stream), RCCLX_OK)
            << rcclx_last_error();
        for (float x : worker.output)
          ASSERT_EQ(x, sum);
      }
    };
    std::thread first([&] { use(comm, 6); });
    std::thread second([&] { use(pair, rank < 2 ? 1 : 5); });
    use(all, 6);
    first.join();
    second.join();
    for (rcclx_comm *each : {comm, pair, all})
      EXPECT_EQ(rcclx_comm_destroy(each), RCCLX_OK);
  });
}

TEST_F(SplitTest, aRankThatDoesNotComeIsNamed) {
  eachRank(3, shortMs, [&](uint32_t rank, rcclx_comm *comm) {
    if (rank != 2) {
      rcclx_comm *part = nullptr;
      EXPECT_EQ(rcclx_comm_split(comm, 0, 0, &part), RCCLX_TIMEOUT);
      EXPECT_NE(std::string(rcclx_last_error()).find(": 2"), std::string::npos)
          << rcclx_last_error();
      EXPECT_EQ(part, nullptr);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(3 * shortMs));
    }
    rcclx_comm_destroy(comm);
  });
}

TEST_F(SplitTest, anotherCollectiveAtTheSameTimeIsNamed) {
  eachRank(3, 20000, [&](uint32_t rank, rcclx_comm *comm) {
    rcclx_comm *part = nullptr;
    rcclx_plan *plan = nullptr;
    std::string schedule = "fixture";
    rcclx_plan_params p = planParams(schedule);
    if (rank == 1)
      EXPECT_EQ(rcclx_plan_prepare(comm, &p, &plan), RCCLX_INVALID_USAGE);
    else
      EXPECT_EQ(rcclx_comm_split(comm, 0, 0, &part), RCCLX_INVALID_USAGE)
          << rcclx_last_error();
    if (rank != 1)
      EXPECT_NE(std::string(rcclx_last_error()).find("rank 1 makes another"),
                std::string::npos)
          << rcclx_last_error();
    // All are in step again.
    EXPECT_EQ(rcclx_comm_split(comm, 0, 0, &part), RCCLX_OK);
    EXPECT_EQ(rcclx_comm_destroy(part), RCCLX_OK);
    rcclx_comm_destroy(comm);
  });
}

TEST_F(SplitTest, aGroupThatCannotBeMadeIsAnErrorOfAll) {
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
  std::atomic<int> ready{0}, failed{0};
  eachRank(4, 2000, [&](uint32_t rank, rcclx_comm *comm) {
    if (++ready == 4) { // no descriptor is left
      int next = dup(0);
      close(next);
      rlimit none = {rlim_t(next), old.rlim_max};
      setrlimit(RLIMIT_NOFILE, &none);
      ++ready;
    }
    while (ready != 5)
      std::this_thread::yield();
    rcclx_comm *part = nullptr;
    EXPECT_EQ(rcclx_comm_split(comm, int32_t(rank / 2), 0, &part),
              RCCLX_SYSTEM_ERROR);
    std::string error = rcclx_last_error();
    EXPECT_NE(error.find(fmt::format("color {}", rank / 2)), std::string::npos)
        << error;
    EXPECT_EQ(part, nullptr);
    if (++failed == 4) {
      setrlimit(RLIMIT_NOFILE, &old);
      ++failed;
    }
    while (failed != 5)
      std::this_thread::yield();
    EXPECT_EQ(rcclx_comm_split(comm, 0, 0, &part), RCCLX_OK)
        << rcclx_last_error();
    EXPECT_EQ(sumOver(part, 1), 4.0f);
    EXPECT_EQ(rcclx_comm_destroy(part), RCCLX_OK);
    EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_OK);
  });
}

TEST_F(SplitTest, aDeadParentDoesNotSplit) {
  eachRank(2, 20000, [&](uint32_t rank, rcclx_comm *comm) {
    rcclx_comm *part = nullptr;
    ASSERT_EQ(rcclx_comm_split(comm, 0, 0, &part), RCCLX_OK);
    if (rank == 0)
      rcclx_comm_abort(comm);
    rcclx_result result = RCCLX_OK;
    for (int i = 0; i != 2000 && result == RCCLX_OK; ++i) {
      result = rcclx_comm_status(comm);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    rcclx_comm *none = nullptr;
    EXPECT_EQ(rcclx_comm_split(comm, 0, 0, &none), result);
    // A group does not die with its parent.
    EXPECT_EQ(sumOver(part, 2), 4.0f);
    EXPECT_EQ(rcclx_comm_destroy(part), RCCLX_OK);
    rcclx_comm_destroy(comm);
  });
}

TEST_F(SplitTest, aPartsFailureLeavesTheParentAlone) {
  eachRank(4, 20000, [&](uint32_t rank, rcclx_comm *comm) {
    rcclx_comm *part = nullptr;
    ASSERT_EQ(rcclx_comm_split(comm, int32_t(rank / 2), 0, &part), RCCLX_OK);
    if (rank == 0)
      rcclx_comm_abort(part);
    EXPECT_EQ(sumOver(comm, 1), 4.0f);
    if (rank >= 2)
      EXPECT_EQ(sumOver(part, 1), 2.0f);
    rcclx_result ended = rcclx_comm_destroy(part);
    if (rank == 0)
      EXPECT_EQ(ended, RCCLX_ABORTED);
    else if (rank >= 2)
      EXPECT_EQ(ended, RCCLX_OK);
    EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_OK) << rcclx_last_error();
  });
}

TEST_F(SplitTest, badArgumentsAreRefused) {
  rcclx_comm *part = nullptr;
  EXPECT_EQ(rcclx_comm_split(nullptr, 0, 0, &part), RCCLX_INVALID_ARGUMENT);
  eachRank(1, 20000, [&](uint32_t, rcclx_comm *comm) {
    EXPECT_EQ(rcclx_comm_split(comm, 0, 0, nullptr), RCCLX_INVALID_ARGUMENT);
    rcclx_comm_info info = {};
    EXPECT_EQ(rcclx_comm_get_info(comm, &info), RCCLX_INVALID_ARGUMENT);
    EXPECT_EQ(rcclx_comm_get_info(comm, nullptr), RCCLX_INVALID_ARGUMENT);
    EXPECT_EQ(rcclx_comm_get_info(nullptr, &info), RCCLX_INVALID_ARGUMENT);
    rcclx_comm_destroy(comm);
  });
}

TEST_F(SplitTest, theCostIsThatOfTheGroups) {
  // Descriptors of a group of 4: not those of the parent's 16 ranks.
  std::atomic<size_t> before{0}, after{0};
  eachRank(16, 20000, [&](uint32_t rank, rcclx_comm *comm) {
    rcclx_comm *part = nullptr, *all = nullptr;
    ASSERT_EQ(rcclx_comm_split(comm, 0, 0, &all), RCCLX_OK);
    if (rank == 0)
      before = countEntries("/proc/self/fd");
    ASSERT_EQ(rcclx_comm_split(comm, int32_t(rank / 4), 0, &part), RCCLX_OK);
    rcclx_comm *barrier = nullptr;
    ASSERT_EQ(rcclx_comm_split(comm, -1, 0, &barrier), RCCLX_OK);
    if (rank == 0)
      after = countEntries("/proc/self/fd");
    ASSERT_EQ(rcclx_comm_split(comm, -1, 0, &barrier), RCCLX_OK);
    for (rcclx_comm *each : {part, all, comm})
      EXPECT_EQ(rcclx_comm_destroy(each), RCCLX_OK);
  });
  // Per rank: two memories, its socket and the hub's end of it, an event; per
  // group the hub's event. The listener may not be closed yet.
  EXPECT_LE(after - before, 16u * 5 + 4 * 2);
}

} // namespace
