//===- ProcessTest.cpp - The rcclx command as processes -------------------===//
//
// Part of rcclx. Plans are those of tests/unit/Runtime/Fixture.
//
//===----------------------------------------------------------------------===//
#include "Process.h"

#include <algorithm>
#include <csignal>
#include <thread>

using namespace rcclx::testing;
using rcclx::runtime::testing::Scratch;
using rcclx::runtime::testing::writeFile;

namespace {

class ProcessTest : public ::testing::Test {
protected:
  ProcessTest() {
    writeFile(scratch / "good.mlir", "fixture\n");
    writeFile(scratch / "bad.mlir", "error\n");
  }
  std::vector<std::string>
  environment(const std::string &compiler = RCCLX_FAKE_COMPILER) {
    return {"RCCLX_COMPILER_LIBRARY=" + compiler,
            "RCCLX_CACHE_DIR=" + (scratch / "cache")};
  }
  std::vector<std::string> run(std::vector<std::string> more) {
    more.insert(more.begin(), {"run", scratch / "good.mlir", "--count", "999"});
    return more;
  }

  /// Waits until `count` ranks run; false when the process ends before.
  static bool waitForRanks(Process &process, size_t count) {
    while (isRunning(process.pid())) {
      if (process.children().size() == count)
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  /// Waits until every rank has mapped its peers' memory: it is in a call, or
  /// close to one.
  static bool waitForMemory(const std::vector<pid_t> &ranks) {
    for (pid_t rank : ranks) {
      size_t maps = 0;
      while (maps < 2 * (ranks.size() - 1)) {
        if (!isRunning(rank))
          return false;
        std::ifstream in(fmt::format("/proc/{}/maps", rank));
        maps = 0;
        for (std::string line; std::getline(in, line);)
          maps += line.find("memfd:rcclx (") != std::string::npos;
      }
    }
    return true;
  }
  static bool waitForEnd(const std::vector<pid_t> &processes) {
    for (int i = 0; i != 20000; ++i) {
      bool any = false;
      for (pid_t process : processes)
        any |= isRunning(process);
      if (!any)
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  Scratch scratch;
};

TEST_F(ProcessTest, ranksAreThreadsOrProcesses) {
  for (const char *mode : {"--procs", "--in-place"}) {
    Process process(run({mode, "--ranks", "4"}), environment());
    EXPECT_EQ(process.wait(), 0) << process.errors();
    EXPECT_NE(process.output().find("bit for bit"), std::string::npos)
        << process.output();
    EXPECT_EQ(process.errors(), "");
  }
}

TEST_F(ProcessTest, jsonIsOneObject) {
  Process process(run({"--procs", "--ranks", "3", "--json"}), environment());
  EXPECT_EQ(process.wait(), 0) << process.errors();
  EXPECT_TRUE(process.output().starts_with("{\n"));
  EXPECT_NE(process.output().find("\"correct\": true"), std::string::npos);
}

TEST_F(ProcessTest, whatWasNotMeasuredIsNull) {
  Process process(run({"--json", "--iterations", "0"}), environment());
  EXPECT_EQ(process.wait(), 0) << process.errors();
  for (const char *key :
       {"latency_us", "algorithm_bytes_per_second", "bus_bytes_per_second"})
    EXPECT_NE(process.output().find(fmt::format("\"{}\": null", key)),
              std::string::npos)
        << process.output();
}

TEST_F(ProcessTest, oneRankIsSingular) {
  Process process(run({"--ranks", "1"}), environment());
  EXPECT_EQ(process.wait(), 0) << process.errors();
  EXPECT_NE(process.output().find("proved     1 rank, "), std::string::npos)
      << process.output();
}

TEST_F(ProcessTest, aKilledRankIsNamedByTheOthers) {
  // Rank 0's process also holds the hub: its death is found another way.
  for (size_t victim : {2, 0}) {
    Process process(run({"--procs", "--ranks", "4", "--iterations", "1000000"}),
                    environment());
    ASSERT_TRUE(waitForRanks(process, 4)) << process.errors();
    std::vector<pid_t> ranks = process.children();
    ASSERT_TRUE(waitForMemory(ranks));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    kill(ranks[victim], SIGKILL);
    EXPECT_EQ(process.wait(), 1);
    std::string errors = process.errors();
    EXPECT_NE(
        errors.find(fmt::format("rank {} (process {})", victim, ranks[victim])),
        std::string::npos)
        << errors;
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
    EXPECT_TRUE(waitForEnd(ranks));
  }
}

TEST_F(ProcessTest, aStoppedRankIsKilledAfterTheOthersHaveFailed) {
  Process process(run({"--procs", "--ranks", "3", "--iterations", "1000000",
                       "--timeout-ms", "500"}),
                  environment());
  ASSERT_TRUE(waitForRanks(process, 3)) << process.errors();
  std::vector<pid_t> ranks = process.children();
  ASSERT_TRUE(waitForMemory(ranks));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  kill(ranks[1], SIGSTOP);
  EXPECT_EQ(process.wait(), 1);
  std::string errors = process.errors();
  EXPECT_NE(errors.find(fmt::format("rank 1 (process {}) did not end within "
                                    "10500 ms after rank ",
                                    ranks[1])),
            std::string::npos)
      << errors;
  EXPECT_NE(errors.find("failed; killed\n"), std::string::npos) << errors;
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
  EXPECT_TRUE(waitForEnd(ranks));
}

TEST_F(ProcessTest, aRankThatReportsAndThenDiesIsNoSuccess) {
  Process process(run({"--procs", "--ranks", "2"}),
                  environment(RCCLX_DYING_COMPILER));
  EXPECT_EQ(process.wait(), 1);
  EXPECT_EQ(process.output(), "");
  EXPECT_NE(process.errors().find("was killed by signal 9 (KILL) after it had "
                                  "reported its result\n"),
            std::string::npos)
      << process.errors();
}

TEST_F(ProcessTest, ranksEndWithTheirParent) {
  Process process(run({"--procs", "--ranks", "4", "--iterations", "1000000"}),
                  environment());
  ASSERT_TRUE(waitForRanks(process, 4)) << process.errors();
  std::vector<pid_t> ranks = process.children();
  ASSERT_TRUE(waitForMemory(ranks));
  kill(process.pid(), SIGKILL);
  EXPECT_EQ(process.wait(), 128 + SIGKILL);
  EXPECT_TRUE(waitForEnd(ranks));
}

TEST_F(ProcessTest, nothingIsLeftInSharedMemoryOrTheCache) {
  size_t before = rcclx::runtime::testing::countEntries("/dev/shm");
  {
    // Compiled before, so that nobody is killed while it writes the cache: what
    // is left then goes away an hour later (PlanCacheTest).
    Process first(run({"--ranks", "4"}), environment());
    EXPECT_EQ(first.wait(), 0) << first.errors();
  }
  {
    Process killed(run({"--procs", "--ranks", "4", "--iterations", "1000000"}),
                   environment());
    ASSERT_TRUE(waitForRanks(killed, 4)) << killed.errors();
    std::vector<pid_t> ranks = killed.children();
    ASSERT_TRUE(waitForMemory(ranks));
    for (pid_t rank : ranks)
      kill(rank, SIGKILL);
    EXPECT_EQ(killed.wait(), 1);
  }
  Process process(run({"--procs", "--ranks", "4"}), environment());
  EXPECT_EQ(process.wait(), 0) << process.errors();
  EXPECT_EQ(rcclx::runtime::testing::countEntries("/dev/shm"), before);
  EXPECT_EQ(rcclx::runtime::testing::countEntries(scratch / "cache"), 1u);
}

TEST_F(ProcessTest, aWarmCacheNeedsNoCompiler) {
  Process cold(run({"--ranks", "2"}), environment());
  EXPECT_EQ(cold.wait(), 0) << cold.errors();
  for (const char *mode : {"--procs", "--in-place"}) {
    Process warm(run({"--ranks", "2", mode}), environment("/none.so"));
    EXPECT_EQ(warm.wait(), 0) << warm.errors();
    EXPECT_NE(warm.output().find("cached"), std::string::npos);
  }
  Process absent(run({"--ranks", "3"}), environment("/none.so"));
  EXPECT_EQ(absent.wait(), 2);
  EXPECT_NE(absent.errors().find("/none.so"), std::string::npos);
}

TEST_F(ProcessTest, badInputGetsOneMessageAndStatusTwo) {
  const std::string good = scratch / "good.mlir";
  const struct {
    std::vector<std::string> arguments;
    std::string message;
  } cases[] = {
      {{"run", scratch / "absent.mlir"}, "No such file"},
      {{"run", scratch.path}, "Is a directory"},
      {{"run", scratch / "bad.mlir"}, "bad.mlir:1:1: error: a test"},
      {{"run", scratch / "bad.mlir", "--procs"}, "bad.mlir:1:1: error: a test"},
      {{"run", good, "--ranks", "0"}, "--ranks 0: 1 to 256"},
      {{"run", good, "--ranks", "257"}, "--ranks 257: 1 to 256"},
      {{"run", good, "--ranks", "-1"}, "--ranks -1: 1 to 256"},
      {{"run", good, "--ranks", "two"}, "--ranks"},
      {{"run", good, "--count", "18446744073709551616"}, "too large"},
      {{"run", good, "--count", "17179869184G"}, "too large"},
      {{"run", good, "--count", "8589934591G"}, "exceeds 2^63"},
      {{"run", good, "--count", "12Q"}, "--count 12Q"},
      {{"run", good, "--count", ""}, "--count"},
      {{"run", good, "--count", "1M", "--ranks", "2"}, "at most 262144"},
      {{"run", good, "--iterations", "1000001"}, "--iterations 1000001"},
      {{"run", good, "--iterations", "-1"}, "--iterations -1: not a number"},
      {{"run", good, "--offset", "1048577"}, "--offset 1048577: not a number"},
      {{"run", good, "--offset", "18446744073709551615"}, "from 0 to 1048576"},
      {{"run", good, "--offset", "-1"}, "--offset -1: not a number from 0"},
      {{"run", good, "--offset", ""}, "--offset : not a number"},
      {{"run", good, "--seed", "-1"}, "--seed -1: not a number"},
      {{"run", good, "--seed", "18446744073709551616"}, "not a number from 0"},
      {{"run", good, "--timeout-ms", "-1"}, "--timeout-ms -1: not a number"},
      {{"run", good, "--timeout-ms", "1s"}, "--timeout-ms 1s: not a number"},
      {{"verify", good, "--slots", "-1"}, "--slots -1: not a number"},
      {{"run", good, "--type", "f80"},
       "known are f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, u8, i32, u32, "
       "i64, u64"},
      {{"run", good, "--op", "xor"}, "known are sum, prod, min, max, avg"},
      {{"run", good, "--protocol", "udp"}, "known are ll, sentinel, flag"},
      {{"run", good, "--device", "cuda"}, "not available"},
      {{"run", good, "--device", "abacus"}, "known are host, hip, cuda"},
      {{"run", good, "--frobnicate"}, "--frobnicate"},
      {{"run"}, "schedule"},
      {{"walk"}, "unknown command \"walk\""},
      {{}, "subcommand"},
      {{"rank", "1"}, "is for `rcclx run --procs`"},
      {{"verify", scratch / "absent.mlir"}, "No such file"},
      {{"verify", scratch / "bad.mlir"}, "bad.mlir:1:1: error: a test"},
      {{"verify", good, "--ranks", "5..2"}, "--ranks 5..2"},
      {{"verify", good, "--ranks", "1..257"}, "--ranks 1..257"},
  };
  for (const auto &test : cases) {
    Process process(test.arguments, environment());
    EXPECT_EQ(process.wait(), 2) << test.message;
    std::string errors = process.errors();
    EXPECT_NE(errors.find(test.message), std::string::npos) << errors;
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
    EXPECT_EQ(process.output(), "");
  }
}

TEST_F(ProcessTest, errorsNeedNoStandardError) {
  for (const char *to : {"2>/dev/full", "2>&-", "<&- >&- 2>&-"}) {
    std::string script = std::string("exec \"$0\" \"$@\" ") + to;
    for (std::vector<std::string> arguments :
         {std::vector<std::string>{"walk"},
          {"run", scratch / "absent.mlir"},
          {"run", scratch / "bad.mlir", "--procs"},
          {"rank", "1"}}) {
      Process process(arguments, environment(), script);
      EXPECT_EQ(process.wait(), 2) << to << " " << arguments[0];
    }
  }
}

TEST_F(ProcessTest, lostOutputIsAnError) {
  const std::string good = scratch / "good.mlir";
  for (const char *to : {">/dev/full", ">&-"}) {
    std::string script = std::string("exec \"$0\" \"$@\" ") + to;
    for (std::vector<std::string> arguments :
         {run({"--ranks", "2"}),
          run({"--ranks", "2", "--procs", "--json"}),
          {"verify", good, "--ranks", "2"},
          {"--help"}}) {
      Process process(arguments, environment(), script);
      EXPECT_EQ(process.wait(), 2) << to << " " << arguments[0];
      EXPECT_TRUE(process.errors().starts_with("rcclx: error: standard output"))
          << process.errors();
    }
  }
}

TEST_F(ProcessTest, fewDescriptorsGetOneMessage) {
  // From too few for the first rank's files to too few for some rank's memory.
  for (int limit : {7, 8, 10, 12, 15, 16, 17}) {
    std::string script = fmt::format("ulimit -n {}; exec \"$0\" \"$@\"", limit);
    Process process(run({"--ranks", "8", "--procs", "--timeout-ms", "2000"}),
                    environment(), script);
    EXPECT_EQ(process.wait(), 2) << limit;
    std::string errors = process.errors();
    EXPECT_NE(errors.find("oo many open files"), std::string::npos)
        << limit << ": " << errors;
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
  }
}

TEST_F(ProcessTest, badEnvironmentIsNamed) {
  std::vector<std::string> bad = environment();
  bad.push_back("RCCLX_TIMEOUT_MS=soon");
  Process process(run({}), bad);
  EXPECT_EQ(process.wait(), 2);
  EXPECT_NE(process.errors().find("RCCLX_TIMEOUT_MS=\"soon\""),
            std::string::npos)
      << process.errors();
}

TEST_F(ProcessTest, helpShowsExamplesAndTheEnvironment) {
  Process top({"--help"}, environment());
  EXPECT_EQ(top.wait(), 0);
  for (const char *text : {"run", "verify", "rcclx env", "Exit status"})
    EXPECT_NE(top.output().find(text), std::string::npos) << text;
  Process command({"run", "--help"}, environment());
  EXPECT_EQ(command.wait(), 0);
  for (const char *text : {"Examples:", "--in-place", "--ranks", "bf16"})
    EXPECT_NE(command.output().find(text), std::string::npos) << text;
}

TEST_F(ProcessTest, verifyPrintsALinePerWorld) {
  Process process({"verify", scratch / "good.mlir", "--ranks", "2..4,8"},
                  environment());
  EXPECT_EQ(process.wait(), 0) << process.errors();
  std::string output = process.output();
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 4) << output;
}

TEST_F(ProcessTest, manyRanksInOneProcessAndInMany) {
  Process threads(run({"--ranks", "64", "--iterations", "1"}), environment());
  EXPECT_EQ(threads.wait(), 0) << threads.errors();
  Process processes(run({"--ranks", "40", "--procs", "--iterations", "1"}),
                    environment());
  EXPECT_EQ(processes.wait(), 0) << processes.errors();
}

} // namespace
