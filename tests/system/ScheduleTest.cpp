//===- ScheduleTest.cpp - Schedules, compiled and run ---------------------===//
//
// Part of rcclx. The shipped schedules, and those of tests/system/schedules,
// which show what no shipped one does. `rcclx run` checks every element itself:
// a test is a run that must end with status 0.
//
// By default, every schedule runs with every number of ranks under every
// protocol, and over all runs each value of anything meets each value of
// anything else. With --full, every schedule runs the whole matrix of ranks,
// protocols, places and roots, and that of types, reductions and protocols.
//
//===----------------------------------------------------------------------===//
#include "FullTests.h"
#include "Matrix.h"
#include "Process.h"
#include "rcclx/Runtime/Types.h"

#include <algorithm>
#include <set>

using namespace rcclx::testing;
using rcclx::runtime::testing::Scratch;

namespace {

//===----------------------------------------------------------------------===//
// The matrix
//===----------------------------------------------------------------------===//

const std::vector<std::string> &schedules() {
  static const std::vector<std::string> paths = [] {
    std::vector<std::string> found;
    for (const char *folder : {RCCLX_SCHEDULES, RCCLX_TEST_SCHEDULES})
      for (auto &entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".mlir")
          found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
  }();
  return paths;
}

constexpr uint32_t worlds[] = {1, 2, 3, 4, 5, 7, 8, 16};
constexpr const char *protocols[] = {"ll", "sentinel", "flag"};
constexpr const char *counts[] = {"0", "1", "1009", "4099", "40009"};
constexpr const char *offsets[] = {"0", "1", "3"};
constexpr size_t numPlaces = 2; // apart, in place
constexpr size_t numRoots = 3;  // first, middle, last

enum Factor {
  schedule,
  world,
  protocol,
  type,
  op,
  count,
  offset,
  place,
  root,
  numFactors
};

const std::vector<size_t> &sizes() {
  static const std::vector<size_t> result = {
      schedules().size(),
      std::size(worlds),
      std::size(protocols),
      rcclx::runtime::elementNames().size(),
      rcclx::runtime::reductionNames().size(),
      std::size(counts),
      std::size(offsets),
      numPlaces,
      numRoots};
  return result;
}

const std::vector<Row> &fewRows() {
  static const std::vector<Row> rows = coverPairs(sizes(), protocol + 1);
  return rows;
}

/// All values of two sets of factors; the others go round meanwhile.
std::vector<Row> allRows(bool hasRoot) {
  std::vector<Row> rows;
  size_t turn = 0;
  auto product = [&](std::vector<Factor> factors) {
    size_t total = 1;
    for (Factor f : factors)
      total *= sizes()[f];
    for (size_t i = 0; i != total; ++i, ++turn) {
      Row row(numFactors);
      for (size_t f = 0; f != numFactors; ++f)
        row[f] = (turn * (2 * f + 1) + turn / sizes()[f]) % sizes()[f];
      size_t rest = i;
      for (Factor f : factors) {
        row[f] = rest % sizes()[f];
        rest /= sizes()[f];
      }
      rows.push_back(row);
    }
  };
  if (hasRoot)
    product({world, protocol, place, root});
  else
    product({world, protocol, place});
  product({type, op, protocol});
  return rows;
}

TEST(MatrixTest, coversAllPairs) {
  for (size_t a = 0; a != numFactors; ++a)
    for (size_t b = a + 1; b != numFactors; ++b) {
      std::set<std::pair<size_t, size_t>> seen;
      for (const Row &row : fewRows())
        seen.insert({row[a], row[b]});
      EXPECT_EQ(seen.size(), sizes()[a] * sizes()[b]) << a << " " << b;
    }
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Of three kinds: a cycle that turns backwards, the mirror, and the mirror but
/// for the ends, which stay.
std::string permutation(uint32_t ranks, size_t kind) {
  std::string text;
  for (uint32_t r = 0; r != ranks; ++r) {
    uint32_t to = kind == 0 ? (r + ranks - 1) % ranks : ranks - 1 - r;
    if (kind == 2 && (r == 0 || r == ranks - 1))
      to = r;
    text += (r ? "," : "") + std::to_string(to);
  }
  return text;
}

class ScheduleTest : public ::testing::TestWithParam<size_t> {
protected:
  std::string path() const { return schedules()[GetParam()]; }
  bool implements(const char *contract) const {
    std::ifstream in(path());
    std::stringstream text;
    text << in.rdbuf();
    return text.str().find(std::string("implements ") + contract + " ") !=
           std::string::npos;
  }
  bool hasRoot() const {
    return implements("broadcast") || implements("reduce") ||
           implements("gather") || implements("scatter");
  }

  std::vector<std::string> environment() {
    return {"RCCLX_COMPILER_LIBRARY=" RCCLX_COMPILER,
            "RCCLX_CACHE_DIR=" + (scratch / "cache")};
  }
  void expectRun(std::vector<std::string> more) {
    more.insert(more.begin(), {"run", path(), "--iterations", "3"});
    std::string shown;
    for (const std::string &word : more)
      shown += word + " ";
    Process process(more, environment());
    EXPECT_EQ(process.wait(), 0) << shown << "\n" << process.errors();
  }

  void expectRun(const Row &row, size_t number) {
    uint32_t ranks = worlds[row[world]];
    std::vector<std::string> arguments = {
        "--ranks",    std::to_string(ranks),
        "--protocol", protocols[row[protocol]],
        "--type",     std::string(rcclx::runtime::elementNames()[row[type]]),
        "--op",       std::string(rcclx::runtime::reductionNames()[row[op]]),
        "--count",    counts[row[count]],
        "--offset",   offsets[row[offset]],
        "--seed",     std::to_string(number)};
    if (row[place] != 0)
      arguments.push_back("--in-place");
    if (number % 2 != 0)
      arguments.push_back("--special");
    if (hasRoot()) {
      uint32_t roots[numRoots] = {0, ranks / 2, ranks - 1};
      arguments.insert(arguments.end(),
                       {"--root", std::to_string(roots[row[root]])});
    }
    if (implements("permute"))
      arguments.insert(arguments.end(),
                       {"--permutation", permutation(ranks, row[root])});
    expectRun(arguments);
  }

  Scratch scratch;
};

TEST_P(ScheduleTest, matrix) {
  size_t number = 0;
  if (rcclx::fullTests())
    for (const Row &row : allRows(hasRoot()))
      expectRun(row, ++number);
  else
    for (const Row &row : fewRows())
      if (row[schedule] == GetParam())
        expectRun(row, ++number);
}

TEST_P(ScheduleTest, asProcesses) {
  expectRun({"--ranks", "5", "--count", "70001", "--procs"});
}

TEST_P(ScheduleTest, manyTiles) {
  expectRun({"--ranks", "8", "--count", "1000003", "--type", "f16"});
}

TEST_P(ScheduleTest, aWarmCacheLoadsNoCompiler) {
  std::vector<std::string> arguments = {"run", path(), "--count", "100",
                                        "--procs"};
  Process cold(arguments, environment());
  EXPECT_EQ(cold.wait(), 0) << cold.errors();
  // Without the library's path there is no way to LLVM.
  Process warm(arguments, {"RCCLX_COMPILER_LIBRARY=/none.so",
                           "RCCLX_CACHE_DIR=" + (scratch / "cache")});
  EXPECT_EQ(warm.wait(), 0) << warm.errors();
  EXPECT_NE(warm.output().find("cached"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, ScheduleTest, ::testing::Range<size_t>(0, schedules().size()),
    [](auto &info) {
      return std::filesystem::path(schedules()[info.param]).stem().string();
    });

//===----------------------------------------------------------------------===//
// What the command says
//===----------------------------------------------------------------------===//

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

struct Refusal {
  std::vector<std::string> arguments;
  const char *message;
};

TEST(CommandTest, refusals) {
  const std::string ring = RCCLX_SCHEDULES "/all_reduce_ring.mlir";
  const std::string broadcast = RCCLX_SCHEDULES "/broadcast_direct.mlir";
  const std::string permute = RCCLX_SCHEDULES "/permute_direct.mlir";
  const Refusal refusals[] = {
      // Labelled once.
      {{"run", ring, "--ranks", "2", "--count", "288230376151711743"},
       "rcclx: error: expected a count "},
      {{"run", ring, "--ranks", "2", "--root", "1"},
       "all_reduce has no root; expected root 0, found 1"},
      {{"run", ring, "--ranks", "2", "--permutation", "1,0"},
       "all_reduce has no permutation"},
      {{"run", broadcast, "--ranks", "3", "--root", "3"},
       "rcclx: error: root 3; expected a rank within 0 to 2"},
      {{"run", broadcast, "--ranks", "3", "--root", "256"}, "--root 256"},
      {{"run", permute, "--ranks", "3", "--permutation", "0,1"},
       "a permutation of 2 entries; expected one per rank, 3"},
      {{"run", permute, "--ranks", "3", "--permutation", "1,1,0"},
       "the permutation has 1 twice"},
      {{"run", permute, "--ranks", "3", "--permutation", "1,3,0"},
       "the permutation has 3 in it"},
      {{"run", permute, "--ranks", "3", "--permutation", "1,x,0"},
       "--permutation x: not a number"},
      {{"verify", broadcast, "--ranks", "3", "--root", "3"},
       "expected a root within 0 to 2, found 3"},
      {{"verify", ring, "--ranks", "3", "--root", "1"},
       "all_reduce has no root; expected root 0, found 1"},
      {{"verify", permute, "--ranks", "3", "--permutation", "2,2,0"},
       "expected a permutation of 0 to 2, found 2 twice"},
  };
  Scratch scratch;
  for (const Refusal &refusal : refusals) {
    Process process(refusal.arguments,
                    {"RCCLX_COMPILER_LIBRARY=" RCCLX_COMPILER,
                     "RCCLX_CACHE_DIR=" + (scratch / "cache")});
    EXPECT_EQ(process.wait(), 2) << refusal.message;
    EXPECT_NE(process.errors().find(refusal.message), std::string::npos)
        << process.errors();
  }
}

TEST(CommandTest, verifyProvesEveryRoot) {
  Process process({"verify", RCCLX_SCHEDULES "/broadcast_binomial.mlir",
                   "--ranks", "16,17"},
                  {"RCCLX_COMPILER_LIBRARY=" RCCLX_COMPILER});
  EXPECT_EQ(process.wait(), 0) << process.errors();
  EXPECT_NE(process.output().find("ms, every root"), std::string::npos);
  EXPECT_NE(process.output().find("ms, root 0"), std::string::npos);
}

} // namespace
