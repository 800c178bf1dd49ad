//===- KillTest.cpp - A rank is killed at any of its calls ----------------===//
//
// Part of rcclx. FaultRank counts the calls of the system that it makes, from
// before it creates its communicator until it has left. One rank of a job is
// killed at its k-th call. All others end by the deadline, with an error that
// names it; nothing of theirs is left open; a new communicator of theirs works.
// All k with --full, a part by chance otherwise.
//
//===----------------------------------------------------------------------===//
#include "FullTests.h"
#include "Job.h"

#include <csignal>
#include <random>

using namespace rcclx;
using namespace rcclx::faults;
using rcclx::runtime::testing::Scratch;

namespace {

// What a rank that was not there is waited for.
constexpr long timeoutMs = 5000;
// More than the deadlines of all steps together: an end, not a speed.
constexpr Seconds limit(60);

/// Files of rcclx in /dev/shm: there are never any.
size_t sharedFiles() {
  size_t files = 0;
  for (auto &entry : std::filesystem::directory_iterator("/dev/shm"))
    files +=
        entry.path().filename().string().find("rcclx") != std::string::npos;
  return files;
}

class KillTest : public ::testing::Test {
protected:
  static constexpr uint32_t world = 3;

  Child start(const std::string &id, uint32_t rank,
              const std::vector<std::string> &more) {
    std::vector<std::string> command = {FAULT_RANK,
                                        "id=" + id,
                                        fmt::format("rank={}", rank),
                                        fmt::format("world={}", world),
                                        fmt::format("timeout={}", timeoutMs),
                                        "cache=" + (scratch / "cache")};
    command.insert(command.end(), more.begin(), more.end());
    return Child(std::move(command), {});
  }

  /// Whether a rank's error blames `victim`.
  static bool blames(const std::string &error, uint32_t victim) {
    // In the part of the even or odd ranks, it has another number.
    if (error.starts_with("error part "))
      victim /= 2;
    // "rank V ...", or in the list of those that were not there.
    std::string name = fmt::format("rank {}", victim);
    for (size_t at = error.find(name); at != std::string::npos;
         at = error.find(name, at + 1))
      if (at + name.size() == error.size() || !isdigit(error[at + name.size()]))
        return true;
    return error.find(fmt::format("did not join within {} ms: {}", timeoutMs,
                                  victim)) != std::string::npos ||
           error.find(fmt::format("in time: {}", victim)) != std::string::npos;
  }

  /// Kills `victim` at its `fault`; false when it lived on until it had left.
  bool killAt(uint32_t victim, const std::string &fault) {
    SCOPED_TRACE(fmt::format("rank {} of {}, {}", victim, world, fault));
    std::string id = newId(), next = newId();
    std::vector<Child> ranks;
    for (uint32_t rank = 0; rank != world; ++rank)
      ranks.push_back(start(
          id, rank,
          rank == victim
              ? std::vector<std::string>{fault}
              : std::vector<std::string>{"hold=1", "next=" + next,
                                         fmt::format("victim={}", victim)}));
    EXPECT_TRUE(ranks[victim].wait(limit)) << ranks[victim].all();
    bool killed = ranks[victim].killed();
    if (!killed)
      EXPECT_TRUE(ranks[victim].said("left\n")) << ranks[victim].all();
    // Until it has begun to leave, it is missed.
    bool missed = killed && !ranks[victim].said("leaving\n");
    for (uint32_t rank = 0; rank != world; ++rank) {
      if (rank == victim)
        continue;
      Child &other = ranks[rank];
      if (!missed)
        other.closeInput();
      EXPECT_TRUE(other.wait(limit)) << rank << " hangs: " << other.all();
      EXPECT_FALSE(other.said("left over")) << other.all();
      EXPECT_FALSE(other.said("wrong")) << other.all();
      std::string error = other.line("error ");
      if (missed) {
        EXPECT_TRUE(blames(error, victim)) << rank << ": " << other.all();
      }
      if (!error.empty()) {
        EXPECT_TRUE(killed) << other.all();
        // Two of them at least: both have an error, or neither.
        if (missed) {
          EXPECT_TRUE(other.said("next works\n"))
              << rank << ": " << other.all();
        }
      } else {
        EXPECT_EQ(other.status(), 0) << other.all();
      }
    }
    EXPECT_EQ(sharedFiles(), 0u);
    return killed;
  }

  Scratch scratch;
};

TEST_F(KillTest, atEveryCall) {
  killAt(1, "kill=0"); // fills the cache
  std::mt19937 random(961);
  for (uint32_t victim = 0; victim != world; ++victim) {
    Child alone = start(newId(), 0, {"world=1"});
    ASSERT_TRUE(alone.wait());
    // With others there are more, in other orders.
    long most = atol(alone.line("calls ").substr(6).c_str()) * 2;
    ASSERT_GT(most, 50);
    for (long i = 1; i <= fewOrAll(4L, 2 * most); ++i) {
      long call = fullTests() ? i : 1 + long(random() % uint64_t(most));
      if (!killAt(victim, fmt::format("kill={}", call)) && fullTests())
        break;
      if (HasFailure())
        return;
    }
  }
}

TEST_F(KillTest, whileItCompiles) {
  // An empty cache each time: rank 0 compiles.
  Child alone = start(newId(), 0, {"world=1"});
  ASSERT_TRUE(alone.wait());
  long most = atol(alone.line("calls ").substr(6).c_str());
  std::mt19937 random(962);
  for (long i = 1; i <= fewOrAll(3L, most); ++i) {
    std::filesystem::remove_all(scratch / "cache");
    long call = fullTests() ? i : 1 + long(random() % uint64_t(most));
    killAt(0, fmt::format("kill={}", call));
    if (HasFailure())
      return;
    // What the killed one has left in the cache is removed by the next.
    Child after = start(newId(), 0, {"world=1"});
    ASSERT_TRUE(after.wait());
    EXPECT_EQ(after.status(), 0) << after.all();
    for (auto &entry : std::filesystem::directory_iterator(scratch / "cache"))
      EXPECT_FALSE(entry.path().filename().string().starts_with("."))
          << entry.path();
  }
}

TEST_F(KillTest, inAKernelsWait) {
  for (uint32_t victim = 0; victim != world; ++victim)
    for (long yield : {1, 2, 7})
      killAt(victim, fmt::format("yield={}", yield));
}

TEST_F(KillTest, theNextHubIsKilled) {
  // The first hub's rank leaves, then the one that took it over is killed.
  std::string id = newId();
  Child first = start(id, 0, {}), hub = start(id, 2, {"hold=1"}),
        other = start(id, 1, {"hold=1"});
  ASSERT_TRUE(first.wait(limit)) << first.all();
  ASSERT_TRUE(hub.waitFor("split\n")) << hub.all();
  ASSERT_TRUE(other.waitFor("split\n")) << other.all();
  kill(hub.pid(), SIGKILL);
  ASSERT_TRUE(other.wait(limit));
  EXPECT_TRUE(blames(other.line("error hold"), 2)) << other.all();
  EXPECT_TRUE(hub.wait(limit));
}

TEST_F(KillTest, afterTheFirstRankHasLeft) {
  // Any death is found at once, long before a deadline of a minute.
  std::string id = newId();
  std::vector<std::string> patient = {"hold=1", "timeout=60000"};
  Child first = start(id, 0, {"timeout=60000"}), victim = start(id, 1, patient),
        other = start(id, 2, patient);
  ASSERT_TRUE(first.wait(limit)) << first.all();
  ASSERT_TRUE(victim.waitFor("split\n")) << victim.all();
  ASSERT_TRUE(other.waitFor("split\n")) << other.all();
  kill(victim.pid(), SIGKILL);
  ASSERT_TRUE(other.wait(Seconds(30))) << other.all();
  EXPECT_TRUE(blames(other.line("error hold"), 1)) << other.all();
}

TEST_F(KillTest, aStoppedRankIsFoundByTheDeadline) {
  std::string id = newId();
  Child stopped = start(id, 1, {}), first = start(id, 0, {}),
        other = start(id, 2, {});
  kill(stopped.pid(), SIGSTOP);
  for (Child *each : {&first, &other}) {
    ASSERT_TRUE(each->wait(limit)) << each->all();
    if (each->status() != 0) // it may have been done already
      EXPECT_TRUE(blames(each->line("error "), 1)) << each->all();
  }
}

//===----------------------------------------------------------------------===//
// Refused calls
//===----------------------------------------------------------------------===//

TEST_F(KillTest, everyRefusedResourceIsAnErrorOfAllInTime) {
  std::mt19937 random(963);
  for (uint32_t victim : {0u, 1u}) {
    Child alone = start(newId(), 0, {"world=1"});
    ASSERT_TRUE(alone.wait());
    std::string counts = alone.line("calls ").substr(6);
    long most = atol(counts.substr(counts.find(' ')).c_str()) * 3 / 2;
    ASSERT_GT(most, 20);
    for (long i = 1; i <= fewOrAll(2L, most); ++i) {
      long call = fullTests() ? i : 1 + long(random() % uint64_t(most));
      // Once, or from then on.
      for (const char *kind : {"fail", "failfrom"}) {
        std::string fault = fmt::format("{}={}", kind, call);
        SCOPED_TRACE(fmt::format("rank {}, {}", victim, fault));
        std::string id = newId();
        std::vector<Child> ranks;
        for (uint32_t rank = 0; rank != world; ++rank)
          ranks.push_back(start(id, rank,
                                rank == victim ? std::vector<std::string>{fault}
                                               : std::vector<std::string>{}));
        for (Child &rank : ranks) {
          EXPECT_TRUE(rank.wait(limit)) << rank.all();
          EXPECT_FALSE(rank.killed()) << rank.all();
          EXPECT_FALSE(rank.said("left over")) << rank.all();
          EXPECT_FALSE(rank.said("wrong")) << rank.all();
          EXPECT_TRUE(rank.status() == 0 || rank.said("error ")) << rank.all();
        }
        if (HasFailure())
          return;
      }
    }
  }
}

} // namespace
