//===- BenchTest.cpp - rcclx bench as processes ---------------------------===//
//
// Part of rcclx. Plans are those of tests/unit/Runtime/Fixture, peers those of
// BenchPeer.cpp.
//
//===----------------------------------------------------------------------===//
#include "Process.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <unistd.h>

using namespace rcclx::testing;
using rcclx::runtime::testing::Scratch;
using rcclx::runtime::testing::writeFile;

namespace {

class BenchTest : public ::testing::Test {
protected:
  BenchTest() {
    writeFile(scratch / "one.mlir", "fixture implements all_reduce\n");
  }

  std::vector<std::string> environment() {
    return {std::string("RCCLX_COMPILER_LIBRARY=") + RCCLX_FAKE_COMPILER,
            "RCCLX_CACHE_DIR=" + (scratch / "cache")};
  }
  static std::string peer(const std::string &fault) {
    return std::string(RCCLX_BENCH_PEERS) + "/librcclx_test_peer_" + fault +
           ".so";
  }
  /// A short bench of 2 ranks; the options among `more` replace its own.
  std::vector<std::string> bench(std::vector<std::string> more) {
    std::vector<std::string> words = {"bench", scratch / "one.mlir"};
    for (auto [option, value] :
         {std::pair("--ranks", "2"), std::pair("--sizes", "4,1K,28"),
          std::pair("--rounds", "3"), std::pair("--sweeps", "2"),
          std::pair("--warmups", "1"), std::pair("--milliseconds", "0"),
          std::pair("--array", "1M")})
      if (std::find(more.begin(), more.end(), option) == more.end())
        words.insert(words.end(), {option, value});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// A bench that must fail with `status` and say all of `words`.
  void expectFailure(std::vector<std::string> more, int status,
                     const std::vector<std::string> &words) {
    Process process(bench(std::move(more)), environment());
    EXPECT_EQ(process.wait(), status) << process.errors();
    for (const std::string &word : words)
      EXPECT_NE(process.errors().find(word), std::string::npos)
          << word << " is not in:\n"
          << process.errors();
  }
  nlohmann::json readJson() {
    std::ifstream in(scratch / "bench.json");
    return nlohmann::json::parse(in);
  }

  Scratch scratch;
};

TEST_F(BenchTest, writesWhatItMeasured) {
  writeFile(scratch / "two.mlir", "fixture two implements all_reduce\n");
  Process process(
      bench({scratch / "two.mlir", "--ranks", "2,3", "--peers", peer("None"),
             "--samples", "--pin", "core", "--json", scratch / "bench.json"}),
      environment());
  ASSERT_EQ(process.wait(), 0) << process.errors();
  EXPECT_EQ(process.errors(), "");
  EXPECT_NE(process.output().find("all_reduce, 3 processes"), std::string::npos)
      << process.output();

  nlohmann::json json = readJson();
  ASSERT_EQ(json["jobs"].size(), 2u);
  for (size_t j = 0; j != 2; ++j) {
    const nlohmann::json &job = json["jobs"][j];
    EXPECT_EQ(job["ranks"], j + 2);
    EXPECT_EQ(job["libraries"]["other"], "a peer for tests");
    EXPECT_GT(job["memory_gbs"]["copy"], 0.0);
    EXPECT_GT(job["memory_gbs"]["triad"], 0.0);
    EXPECT_GT(job["memory_gbs"]["shared_copy"], 0.0);
    bool permitted = job["process_vm_readv"] == "permitted";
    EXPECT_EQ(job["memory_gbs"]["process_vm_readv"] > 0.0, permitted);
    ASSERT_EQ(job["points"].size(), 3u);
    for (size_t p = 0; p != 3; ++p) {
      const nlohmann::json &point = job["points"][p];
      const uint64_t bytes = std::vector<uint64_t>{4, 1024, 28}[p];
      EXPECT_EQ(point["collective"], "all_reduce");
      EXPECT_EQ(point["bytes"], bytes);
      EXPECT_EQ(point["count"], bytes / 4);
      EXPECT_EQ(point["rounds"], 3u);
      ASSERT_EQ(point["results"].size(), 3u);
      EXPECT_EQ(point["results"][0]["library"], "rcclx");
      EXPECT_EQ(point["results"][0]["tried_us"].size(), 2u);
      EXPECT_EQ(point["results"][1]["library"], "other");
      // The other one sleeps for two milliseconds.
      EXPECT_EQ(point["results"][1]["variant"], "fast");
      EXPECT_EQ(point["results"][1]["tried_us"].size(), 2u);
      EXPECT_EQ(point["results"][2]["library"], "copy");
      for (const nlohmann::json &result : point["results"]) {
        std::vector<double> samples = result["samples_us"];
        ASSERT_EQ(samples.size(), 3u);
        std::sort(samples.begin(), samples.end());
        EXPECT_DOUBLE_EQ(result["us"]["min"], samples[0]);
        EXPECT_DOUBLE_EQ(result["us"]["median"], samples[1]);
        double speed = double(bytes) / samples[1] * 1e-3;
        EXPECT_NEAR(result["algorithm_gbs"], speed, 1e-9 * speed);
        double bus = speed * 2 * double(j + 1) / double(j + 2);
        EXPECT_NEAR(result["bus_gbs"], bus, 1e-9 * bus);
      }
    }
  }
}

TEST_F(BenchTest, aWrongResultIsNamed) {
  expectFailure({"--peers", peer("Wrong")}, 1,
                {"wrong result: all_reduce of 4 bytes by other", "rank 1",
                 "element 0 of 1"});
}

TEST_F(BenchTest, aPeerThatFailsIsNamed) {
  expectFailure({"--peers", peer("Fails")}, 1, {"other: the cable is loose"});
  expectFailure({"--peers", peer("RefusesToStart")}, 2, {"other: no network"});
  expectFailure({"--peers", peer("OtherVersion")}, 2,
                {peer("OtherVersion"), "no peer of version 1"});
  expectFailure({"--peers", RCCLX_FAKE_COMPILER}, 2,
                {RCCLX_FAKE_COMPILER, "no peer of version 1"});
}

TEST_F(BenchTest, aRankThatDiesOrHangsIsNamed) {
  expectFailure({"--peers", peer("Dies"), "--timeout-ms", "500"}, 1,
                {"rank 1", "other"});
  expectFailure({"--peers", peer("Hangs"), "--timeout-ms", "500"}, 1,
                {"rank 1", "all_reduce of 4 bytes by other"});
}

TEST_F(BenchTest, missingPeersAndLaunchersAreNamed) {
  expectFailure({"--peers", "nothing"}, 2, {"librcclx_peer_nothing.so"});
  expectFailure({"--peers", ","}, 2, {"librcclx_peer_.so"});
  expectFailure({"--launcher", "/nonexistent/launcher -x"}, 2,
                {"/nonexistent/launcher"});
  expectFailure({"--launcher", "false"}, 2, {"\"false\" started no rank"});
  expectFailure({"--launcher", "true"}, 2, {"\"true\" started no rank"});
}

TEST_F(BenchTest, aLauncherStartsTheRanks) {
  // Called as `LAUNCHER -n 2 PROGRAM ...`; it keeps no descriptors open.
  writeFile(scratch / "launch.sh", R"(test "$1" = --word || exit 3
test "$2$3" = -n2 || exit 4
shift 3
"$@" 3<&- 4<&- 5<&- 6<&- &
"$@" 3<&- 4<&- 5<&- 6<&- &
wait)");
  std::string launcher = "sh " + (scratch / "launch.sh") + " --word";
  Process process(
      bench({"--launcher", launcher, "--json", scratch / "bench.json"}),
      environment());
  EXPECT_EQ(process.wait(), 0) << process.errors();
  EXPECT_EQ(readJson()["launcher"], launcher);
  // One rank too few.
  writeFile(scratch / "launch.sh", "shift 3\nexec \"$@\"");
  expectFailure({"--launcher", launcher, "--timeout-ms", "300"}, 1,
                {"1 of 2 ranks, which have not started"});
}

TEST_F(BenchTest, aLauncherIsAskedToEndItsRanks) {
  writeFile(scratch / "launch.sh", R"(shift 2
trap 'touch "$0.asked"; kill $a $b; exit 1' TERM
"$@" & a=$!
"$@" & b=$!
wait)");
  expectFailure({"--launcher", "sh " + (scratch / "launch.sh"), "--peers",
                 peer("Hangs"), "--timeout-ms", "300"},
                1, {"rank 1"});
  EXPECT_TRUE(std::filesystem::exists(scratch / "launch.sh.asked"));
}

TEST_F(BenchTest, badInputIsRefusedBeforeAnythingRuns) {
  expectFailure({"--sizes", "6"}, 2,
                {"--sizes 6: all_reduce", "multiple of 4"});
  expectFailure({"--sizes", "4Q"}, 2, {"\"4Q\" is not a size"});
  expectFailure({"--ranks", "1"}, 2, {"--ranks 1: 2 to 32"});
  expectFailure({"--ranks", "33"}, 2, {"--ranks 33: 2 to 32"});
  expectFailure({"--collective", "barrier"}, 2,
                {"--collective barrier: unknown", "all_to_all"});
  expectFailure({"--collective", "all_gather"}, 2,
                {"no schedule implements all_gather"});
  expectFailure({"--rounds", "0"}, 2, {"--rounds 0"});
  expectFailure({"--max-rounds", "2"}, 2, {"--rounds 3", "is 2"});
  expectFailure({"--array", "4097"}, 2, {"--array 4097", "4096"});
  expectFailure({"--array", "4K,8K"}, 2, {"--array 4K,8K"});
  expectFailure({"--timeout-ms", "0"}, 2, {"--timeout-ms 0"});
  expectFailure({"--pin", "socket"}, 2, {"--pin socket: unknown"});
  expectFailure({"--json", "/nonexistent/x.json"}, 2, {"/nonexistent/x.json"});
  expectFailure({scratch / "absent.mlir"}, 2, {"absent.mlir"});
  writeFile(scratch / "barrier.mlir", "fixture implements barrier\n");
  Process process({"bench", scratch / "barrier.mlir"}, environment());
  EXPECT_EQ(process.wait(), 2);
  EXPECT_NE(process.errors().find("no schedule of a collective"),
            std::string::npos);
}

TEST_F(BenchTest, schedulesThatAreRefusedAreNamed) {
  // The fixture's plans are all-reduces whatever the text says.
  writeFile(scratch / "lies.mlir", "fixture implements all_gather\n");
  expectFailure(
      {scratch / "lies.mlir", "--collective", "all_gather", "--sizes", "1K"}, 2,
      {"lies.mlir: error: expected a plan for all_gather"});
  writeFile(scratch / "bad.mlir", "error implements all_reduce\n");
  expectFailure({scratch / "bad.mlir"}, 2, {"bad.mlir:1:1: error: a test"});
}

TEST_F(BenchTest, ranksEndWithTheCommand) {
  Process process(bench({"--rounds", "1000000", "--max-rounds", "1000000"}),
                  environment());
  std::vector<pid_t> ranks;
  while (isRunning(process.pid()) && (ranks = process.children()).size() != 2)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(ranks.size(), 2u) << process.errors();
  kill(process.pid(), SIGKILL);
  for (int i = 0; i != 20000; ++i) {
    if (!isRunning(ranks[0]) && !isRunning(ranks[1]))
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ADD_FAILURE() << "ranks still run";
}

#ifdef RCCLX_COMPILER
/// All variants of a real library are right, for two and three ranks, an odd
/// number of elements, and one schedule of every collective.
class RealPeerTest : public BenchTest {
protected:
  void expectRight(const std::string &name, const std::string &launcher) {
    auto module = std::filesystem::path(RCCLX_TOOL).parent_path() /
                  ("../lib/librcclx_peer_" + name + ".so");
    if (!std::filesystem::exists(module))
      GTEST_SKIP() << module << " is not built: the library is not installed";
    const std::string folder = RCCLX_SCHEDULES;
    Process process({"bench",
                     folder + "/all_reduce_two_shot.mlir",
                     folder + "/all_gather_direct.mlir",
                     folder + "/reduce_scatter_direct.mlir",
                     folder + "/all_to_all_direct.mlir",
                     "--ranks",
                     "2,3",
                     "--sizes",
                     "24,393240",
                     "--rounds",
                     "1",
                     "--sweeps",
                     "1",
                     "--milliseconds",
                     "0",
                     "--array",
                     "1M",
                     "--peers",
                     name,
                     "--launcher",
                     launcher},
                    {std::string("RCCLX_COMPILER_LIBRARY=") + RCCLX_COMPILER,
                     "RCCLX_CACHE_DIR=" + (scratch / "cache")});
    EXPECT_EQ(process.wait(), 0) << process.errors();
  }
};

TEST_F(RealPeerTest, gloo) { expectRight("gloo", ""); }

TEST_F(RealPeerTest, openMpi) {
  std::string launcher = "mpirun --oversubscribe --bind-to none --mca "
                         "mpi_yield_when_idle 1";
  if (geteuid() == 0) // it refuses to run as root without being told
    launcher += " --allow-run-as-root";
  expectRight("openmpi", launcher);
  if (!IsSkipped())
    expectFailure({"--peers", "openmpi"}, 2,
                  {"Open MPI sees 1 of 2", "mpirun"});
}
#endif

TEST_F(BenchTest, theHiddenCommandNeedsItsParent) {
  Process process({"bench-rank", "1", "2", "3", "4"}, environment());
  EXPECT_EQ(process.wait(), 2);
  EXPECT_NE(process.errors().find("is for `rcclx bench`"), std::string::npos);
}

} // namespace
