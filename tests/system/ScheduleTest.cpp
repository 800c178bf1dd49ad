//===- ScheduleTest.cpp - Schedules, compiled and run ---------------------===//
//
// Part of rcclx. The shipped schedules, and those of tests/system/schedules,
// which show what no shipped one does. `rcclx run` checks every element itself:
// a test is a run that must end with status 0.
//
//===----------------------------------------------------------------------===//
#include "Process.h"

#include <algorithm>

using namespace rcclx::testing;
using rcclx::runtime::testing::Scratch;

namespace {

std::vector<std::string> schedules() {
  std::vector<std::string> paths;
  for (const char *folder : {RCCLX_SCHEDULES, RCCLX_TEST_SCHEDULES})
    for (auto &entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".mlir")
        paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

class ScheduleTest : public ::testing::TestWithParam<std::string> {
protected:
  std::vector<std::string> environment() {
    return {"RCCLX_COMPILER_LIBRARY=" RCCLX_COMPILER,
            "RCCLX_CACHE_DIR=" + (scratch / "cache")};
  }
  void expectRun(std::vector<std::string> more) {
    more.insert(more.begin(), {"run", GetParam(), "--iterations", "3"});
    std::string shown;
    for (const std::string &word : more)
      shown += word + " ";
    Process process(more, environment());
    EXPECT_EQ(process.wait(), 0) << shown << "\n" << process.errors();
  }

  Scratch scratch;
};

TEST_P(ScheduleTest, everyNumberOfRanks) {
  for (const char *ranks : {"1", "2", "3", "4", "5", "7", "8", "16"})
    for (const char *count : {"0", "1", "1009"})
      expectRun({"--ranks", ranks, "--count", count});
}

TEST_P(ScheduleTest, everyTypeAndReduction) {
  for (const char *type : {"f32", "f16", "bf16", "i32"})
    for (const char *op : {"sum", "max", "avg"})
      expectRun({"--ranks", "3", "--count", "4099", "--type", type, "--op", op,
                 "--special"});
}

TEST_P(ScheduleTest, everyProtocolInPlaceAndMisaligned) {
  for (const char *protocol : {"ll", "sentinel", "flag"})
    for (const char *offset : {"0", "1", "3"})
      expectRun({"--ranks", "4", "--count", "2053", "--type", "bf16",
                 "--protocol", protocol, "--in-place", "--offset", offset});
}

TEST_P(ScheduleTest, asProcesses) {
  expectRun({"--ranks", "5", "--count", "70001", "--procs"});
}

TEST_P(ScheduleTest, manyTiles) {
  expectRun({"--ranks", "8", "--count", "1000003", "--type", "f16"});
}

TEST_P(ScheduleTest, aWarmCacheLoadsNoCompiler) {
  std::vector<std::string> arguments = {"run", GetParam(), "--count", "100",
                                        "--procs"};
  Process cold(arguments, environment());
  EXPECT_EQ(cold.wait(), 0) << cold.errors();
  // Without the library's path there is no way to LLVM.
  Process warm(arguments, {"RCCLX_COMPILER_LIBRARY=/none.so",
                           "RCCLX_CACHE_DIR=" + (scratch / "cache")});
  EXPECT_EQ(warm.wait(), 0) << warm.errors();
  EXPECT_NE(warm.output().find("cached"), std::string::npos);
}

TEST(CommandTest, aBarrierHasNoData) {
  Scratch scratch;
  for (const char *how : {"--json", "--procs"}) {
    Process process({"run", RCCLX_SCHEDULES "/barrier.mlir", how},
                    {"RCCLX_COMPILER_LIBRARY=" RCCLX_COMPILER,
                     "RCCLX_CACHE_DIR=" + (scratch / "cache")});
    EXPECT_EQ(process.wait(), 0) << process.errors();
    for (const char *text : {"f32", "sum", "1048576", "place"})
      EXPECT_EQ(process.output().find(text), std::string::npos)
          << process.output();
  }
}

TEST(CommandTest, anErrorIsLabelledOnce) {
  Scratch scratch;
  const std::string schedule = RCCLX_SCHEDULES "/all_reduce_ring.mlir";
  Process process(
      {"run", schedule, "--ranks", "2", "--count", "288230376151711743"},
      {"RCCLX_COMPILER_LIBRARY=" RCCLX_COMPILER,
       "RCCLX_CACHE_DIR=" + (scratch / "cache")});
  EXPECT_EQ(process.wait(), 2);
  EXPECT_TRUE(process.errors().starts_with("rcclx: error: expected a count "))
      << process.errors();
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, ScheduleTest, ::testing::ValuesIn(schedules()), [](auto &info) {
      return std::filesystem::path(info.param).stem().string();
    });

} // namespace
