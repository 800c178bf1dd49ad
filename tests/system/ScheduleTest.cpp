//===- ScheduleTest.cpp - Shipped schedules, compiled and run -------------===//
//
// Part of rcclx. `rcclx run` checks every element itself: a test is a run that
// must end with status 0.
//
//===----------------------------------------------------------------------===//
#include "Process.h"

#include <algorithm>

using namespace rcclx::testing;
using rcclx::runtime::testing::Scratch;

namespace {

std::vector<std::string> schedules() {
  std::vector<std::string> names;
  for (auto &entry : std::filesystem::directory_iterator(RCCLX_SCHEDULES))
    if (entry.path().extension() == ".mlir")
      names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

class ScheduleTest : public ::testing::TestWithParam<std::string> {
protected:
  std::vector<std::string> environment() {
    return {"RCCLX_COMPILER_LIBRARY=" RCCLX_COMPILER,
            "RCCLX_CACHE_DIR=" + (scratch / "cache")};
  }
  void expectRun(std::vector<std::string> more) {
    more.insert(more.begin(),
                {"run", std::string(RCCLX_SCHEDULES "/") + GetParam() + ".mlir",
                 "--iterations", "3"});
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
  std::vector<std::string> arguments = {
      "run", std::string(RCCLX_SCHEDULES "/") + GetParam() + ".mlir", "--count",
      "100", "--procs"};
  Process cold(arguments, environment());
  EXPECT_EQ(cold.wait(), 0) << cold.errors();
  // Without the library's path there is no way to LLVM.
  Process warm(arguments, {"RCCLX_COMPILER_LIBRARY=/none.so",
                           "RCCLX_CACHE_DIR=" + (scratch / "cache")});
  EXPECT_EQ(warm.wait(), 0) << warm.errors();
  EXPECT_NE(warm.output().find("cached"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Shipped, ScheduleTest,
                         ::testing::ValuesIn(schedules()),
                         [](auto &info) { return info.param; });

} // namespace
