//===- MeetingTest.cpp - Where the ranks of a bench wait ------------------===//
//
// Part of rcclx. Ranks are threads here, each with a mapping of its own.
//
//===----------------------------------------------------------------------===//
#include "Meeting.h"

#include "rcclx/Runtime/UniqueHandle.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <thread>

using namespace rcclx::tool;
using namespace rcclx::runtime;

namespace {
class MeetingTest : public ::testing::Test {
protected:
  static constexpr size_t scratchBytes = 3 * 4096;

  static Meeting map(int fd, uint32_t world, uint64_t timeoutMs) {
    auto meeting = Meeting::map(fd, world, scratchBytes, timeoutMs);
    EXPECT_TRUE(meeting.isOk());
    return *std::move(meeting);
  }

  /// Runs `body` for `started` of `world` ranks.
  void run(uint32_t world, uint32_t started, uint64_t timeoutMs,
           const std::function<void(Meeting &)> &body) {
    file.reset(memfd_create("meeting", MFD_CLOEXEC));
    ASSERT_TRUE(Meeting::create(file.get(), world, scratchBytes).isOk());
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i != started; ++i)
      threads.emplace_back([&] {
        Meeting meeting = map(file.get(), world, timeoutMs);
        if (Status status = meeting.claimRank(); status.isOk())
          body(meeting);
        else
          refused = status.message();
      });
    for (std::thread &thread : threads)
      thread.join();
  }

  UniqueFd file;
  std::string refused;
  std::mutex mutex;
};
} // namespace

TEST_F(MeetingTest, exchangesReachEveryRankAndBarriersHold) {
  constexpr uint32_t world = 5;
  std::atomic<uint32_t> inside = 0;
  std::set<uint32_t> ranks;
  run(world, world, 60'000, [&](Meeting &meeting) {
    {
      std::lock_guard lock(mutex);
      ranks.insert(meeting.rank());
    }
    for (uint64_t i = 0; i != 300; ++i) {
      uint64_t mine[2] = {i * 100 + meeting.rank(), i}, all[world][2];
      ASSERT_TRUE(meeting.exchange(mine, sizeof(mine), all).isOk());
      for (uint32_t rank = 0; rank != world; ++rank) {
        ASSERT_EQ(all[rank][0], i * 100 + rank);
        ASSERT_EQ(all[rank][1], i);
      }
      // Nobody leaves before all have come.
      inside.fetch_add(1);
      ASSERT_TRUE(meeting.barrier().isOk());
      ASSERT_EQ(inside.load(), (i + 1) * world);
      auto largest = meeting.largest(meeting.rank() ^ i);
      ASSERT_TRUE(largest.isOk());
      uint64_t expected = 0;
      for (uint64_t rank = 0; rank != world; ++rank)
        expected = std::max(expected, rank ^ i);
      ASSERT_EQ(*largest, expected);
    }
  });
  EXPECT_EQ(ranks, std::set<uint32_t>({0, 1, 2, 3, 4}));
}

TEST_F(MeetingTest, spansReachFromTheFirstStartToTheLastEnd) {
  run(3, 3, 60'000, [](Meeting &meeting) {
    const uint64_t starts[] = {50, 10, 70}, ends[] = {60, 90, 80};
    uint64_t start = starts[meeting.rank()], end = ends[meeting.rank()];
    auto span = meeting.span(start, end);
    ASSERT_TRUE(span.isOk());
    EXPECT_EQ(*span, 80u);
    EXPECT_EQ(*meeting.span(7, 7), 1u);
  });
}

TEST_F(MeetingTest, lateRanksAreNamed) {
  run(3, 2, 50, [&](Meeting &meeting) {
    Status status = meeting.barrier();
    EXPECT_EQ(status.code(), Code::Timeout);
    EXPECT_NE(status.message().find("1 of 3 ranks, which have not started"),
              std::string::npos)
        << status.message();
  });
  run(3, 3, 100, [&](Meeting &meeting) {
    meeting.setActivity(std::string(1000, 'x'));
    EXPECT_TRUE(meeting.barrier().isOk());
    meeting.setActivity("sleeps");
    if (meeting.rank() == 1)
      return;
    Status status = meeting.barrier();
    EXPECT_EQ(status.code(), Code::Timeout);
    EXPECT_NE(status.message().find("for rank 1 (sleeps)"), std::string::npos)
        << status.message();
  });
}

TEST_F(MeetingTest, theFirstFailureReachesAll) {
  run(4, 4, 60'000, [&](Meeting &meeting) {
    if (meeting.rank() == 2) {
      meeting.fail(Status(Code::Unavailable, std::string(10'000, 'm')));
      meeting.fail(Status(Code::Internal, "later"));
      return;
    }
    Status status = meeting.barrier();
    EXPECT_EQ(status.code(), Code::Unavailable);
    EXPECT_GT(status.message().size(), 4000u);
    EXPECT_EQ(status.message().find_first_not_of('m'), std::string::npos);
  });
  Meeting parent = map(file.get(), 4, 1);
  EXPECT_EQ(parent.failure().code(), Code::Unavailable);
  EXPECT_EQ(parent.started(), 4u);
}

TEST_F(MeetingTest, moreRanksThanExpectedAreRefused) {
  run(2, 3, 60'000,
      [&](Meeting &meeting) { EXPECT_TRUE(meeting.barrier().isOk()); });
  EXPECT_EQ(refused, "the launcher started more than 2 processes");
}

TEST_F(MeetingTest, scratchMemoryIsShared) {
  run(2, 2, 60'000, [&](Meeting &meeting) {
    char *mine = meeting.scratch(meeting.rank());
    mine[0] = char('a' + meeting.rank());
    mine[scratchBytes - 1] = char('A' + meeting.rank());
    ASSERT_TRUE(meeting.barrier().isOk());
    uint32_t other = 1 - meeting.rank();
    EXPECT_EQ(meeting.scratch(other)[0], char('a' + other));
    EXPECT_EQ(meeting.scratch(other)[scratchBytes - 1], char('A' + other));
    ASSERT_TRUE(meeting.barrier().isOk());
    meeting.dropScratch();
    ASSERT_TRUE(meeting.barrier().isOk());
    EXPECT_EQ(mine[0], 0);
  });
}
