//===- ReductionTest.cpp - Every type with every reduction, reduced -------===//
//
// Part of rcclx. The matrix of ScheduleTest.cpp pairs types and reductions, but
// not always in a schedule that reduces. Here, each pair runs in a shipped one
// that does, in turn; with --full, in each of them.
//
//===----------------------------------------------------------------------===//
#include "FullTests.h"
#include "Process.h"
#include "rcclx/Runtime/Types.h"

#include <algorithm>
#include <sstream>

using namespace rcclx::testing;
using rcclx::runtime::testing::Scratch;

namespace {

const std::vector<std::string> &reducingSchedules() {
  static const std::vector<std::string> paths = [] {
    std::vector<std::string> found;
    for (auto &entry : std::filesystem::directory_iterator(RCCLX_SCHEDULES)) {
      std::ifstream in(entry.path());
      std::stringstream text;
      text << in.rdbuf();
      if (text.str().find("rcclx.reduce ") != std::string::npos)
        found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
  }();
  return paths;
}

class ReductionTest : public ::testing::TestWithParam<size_t> {};

TEST_P(ReductionTest, everyReduction) {
  const size_t type = GetParam();
  constexpr const char *protocols[] = {"ll", "sentinel", "flag"};
  Scratch scratch;
  size_t op = 0;
  for (std::string_view reduction : rcclx::runtime::reductionNames()) {
    for (size_t i = 0;
         i != rcclx::fewOrAll<size_t>(1, reducingSchedules().size()); ++i) {
      size_t turn = 5 * type + op + i;
      std::vector<std::string> arguments = {
          "run",
          reducingSchedules()[turn % reducingSchedules().size()],
          "--ranks",
          std::to_string(2 + turn % 4),
          "--count",
          "4099",
          "--type",
          std::string(rcclx::runtime::elementNames()[type]),
          "--op",
          std::string(reduction),
          "--protocol",
          protocols[(turn / 2 + op) % 3],
          "--seed",
          std::to_string(turn),
          "--iterations",
          "1",
          "--special"};
      Process process(arguments, {"RCCLX_COMPILER_LIBRARY=" RCCLX_COMPILER,
                                  "RCCLX_CACHE_DIR=" + (scratch / "cache")});
      EXPECT_EQ(process.wait(), 0)
          << reduction << " in " << arguments[1] << "\n"
          << process.errors();
    }
    ++op;
  }
}

INSTANTIATE_TEST_SUITE_P(
    EveryType, ReductionTest,
    ::testing::Range<size_t>(0, rcclx::runtime::elementNames().size()),
    [](auto &info) {
      return std::string(rcclx::runtime::elementNames()[info.param]);
    });

} // namespace
