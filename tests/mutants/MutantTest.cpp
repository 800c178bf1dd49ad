//===- MutantTest.cpp - Wrong mutants are refused -------------------------===//
//
// Part of rcclx. A seeded part of all mutants; with --full, each of them.
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "FullTests.h"
#include "Report.h"
#include "Results.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>

using namespace rcclx;
using namespace rcclx::mutants;

namespace {

/// A folder for a judge's files.
class Folder {
public:
  Folder() {
    if (std::error_code error =
            llvm::sys::fs::createUniqueDirectory("rcclx-mutants", path))
      ADD_FAILURE() << error.message();
  }
  ~Folder() { (void)llvm::sys::fs::remove_directories(path); }
  std::string get() const { return std::string(path); }

private:
  llvm::SmallString<128> path;
};

//===----------------------------------------------------------------------===//
// The judge finds what it is for
//===----------------------------------------------------------------------===//

class JudgeTest : public ::testing::Test {
protected:
  Verdict judgeBody(const std::string &body,
                    const std::string &contract = "all_gather") {
    Compiled kernel;
    kernel.edges = {{0, 1}, {0, 1}};
    kernel.readers = {{}, {}};
    kernel.source = "extern \"C\" RX_KERNEL(1) void rcclx_mutant(RX_PARAMS p, "
                    "rcclx_u32 block) {\n"
                    "  rx::Context c = rx::begin(p, block);\n" +
                    body + "\n}\n";
    size_t number = judge.add(kernel, {contract, 2, 0, {}});
    if (llvm::Error error = judge.run())
      ADD_FAILURE() << llvm::toString(std::move(error));
    return judge.get(number);
  }

  Folder folder;
  Judge judge{RCCLX_MUTANT_RUN, folder.get(), 1};
};

/// An all-gather of two ranks: each reads the other's block from a slot.
const char gather[] = R"(
  rx::open<1>(&c);
  u32 peer = 1 - p.rank;
  rx::Range r = rx::range<rx::F32, 4, 1>(&c, 0, 0, 1, 1);
  r.hi = (p.count + 3) / 4;
  for (size_t g = 0; g < r.hi; ++g) {
    rx::Group v = rx::load<rx::F32>(rx::input(&c), g);
    rx::store<rx::F32>(v, rx::outputBlock<rx::F32>(&c, p.rank), g);
    rx::send<rx::F32, rx::LL>(&c, v, rx::slotTo<rx::LL, 4, 2>(&c, peer, 0, 0), r, g);
  }
  for (size_t g = 0; g < r.hi; ++g)
    rx::store<rx::F32>(rx::recv<rx::F32, rx::LL>(&c, rx::slotFrom<rx::LL, 4, 2>(&c, peer, 0, 0), r, g, peer),
                       rx::outputBlock<rx::F32>(&c, peer), g);
  EXTRA
  rx::close<1>(&c);
)";

std::string withExtra(llvm::StringRef extra) {
  std::string text = std::string("typedef rcclx_u32 u32;") + gather;
  text.replace(text.find("EXTRA"), 5, extra.str());
  return text;
}

TEST_F(JudgeTest, right) {
  Verdict verdict = judgeBody(withExtra(""));
  EXPECT_EQ(verdict.kind, Verdict::Right) << verdict.detail;
}

TEST_F(JudgeTest, wrongElement) {
  Verdict verdict = judgeBody(
      withExtra("if (p.count > 100) p.output[p.count * 4 + 77] ^= 1;"));
  EXPECT_EQ(verdict.kind, Verdict::Wrong);
  EXPECT_NE(verdict.detail.find("element 19"), std::string::npos)
      << verdict.detail;
}

TEST_F(JudgeTest, nothingWritten) {
  EXPECT_EQ(judgeBody("").kind, Verdict::Wrong);
}

TEST_F(JudgeTest, memoryBesideOutput) {
  Verdict verdict = judgeBody(withExtra("p.output[p.count * 8] = 0;"));
  EXPECT_EQ(verdict.kind, Verdict::Wrong);
  EXPECT_NE(verdict.detail.find("beside"), std::string::npos);
}

TEST_F(JudgeTest, inputChanged) {
  Verdict verdict =
      judgeBody(withExtra("const_cast<char *>(p.input)[0] ^= 1;"));
  EXPECT_EQ(verdict.kind, Verdict::Wrong);
  EXPECT_NE(verdict.detail.find("input"), std::string::npos);
}

TEST_F(JudgeTest, messageLeft) {
  Verdict verdict = judgeBody(withExtra(
      "rx::send<rx::F32, rx::LL>(&c, rx::Group{}, rx::slotTo<rx::LL, 4, 2>(&c, "
      "peer, 5, 0), r, 0);"));
  EXPECT_EQ(verdict.kind, Verdict::Wrong);
  EXPECT_NE(verdict.detail.find("left"), std::string::npos) << verdict.detail;
}

TEST_F(JudgeTest, callsDoNotAdvance) {
  std::string body = withExtra("");
  body.resize(body.find("rx::close"));
  EXPECT_NE(judgeBody(body).kind, Verdict::Right);
}

TEST_F(JudgeTest, waitInVain) {
  Verdict verdict =
      judgeBody(withExtra("if (p.rank == 0) rx::waitMessage<1>(&c, 1, 0, 0);"));
  EXPECT_EQ(verdict.kind, Verdict::Hang);
  EXPECT_NE(verdict.detail.find("waits for rank"), std::string::npos)
      << verdict.detail;
}

TEST_F(JudgeTest, endlessLoop) {
  EXPECT_EQ(judgeBody("for (;;) p.host.clock_ns();").kind, Verdict::Hang);
}

TEST_F(JudgeTest, crash) {
  Verdict verdict = judgeBody(withExtra("*(volatile char *)8 = 1;"));
  EXPECT_EQ(verdict.kind, Verdict::Crash);
}

TEST_F(JudgeTest, barrierLeftEarly) {
  EXPECT_EQ(judgeBody("rx::open<1>(&c); rx::close<1>(&c);", "barrier").kind,
            Verdict::Wrong);
}

TEST_F(JudgeTest, equalKernelsRunOnce) {
  judgeBody(withExtra(""));
  judgeBody(withExtra(""));
  EXPECT_EQ(judge.getNumRun(), 1u);
}

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

std::unique_ptr<Program> openProgram(llvm::StringRef name) {
  llvm::Expected<std::unique_ptr<Program>> program =
      Program::open((llvm::Twine(RCCLX_SCHEDULES "/") + name + ".mlir").str());
  if (!program) {
    ADD_FAILURE() << llvm::toString(program.takeError());
    return nullptr;
  }
  return std::move(*program);
}

TEST(MutationsTest, sameEachTime) {
  auto kinds = [](Program &program) {
    std::vector<std::string> result;
    for (const Mutation &m : program.findScheduleMutations())
      result.push_back(std::to_string(m.op) + m.getKind());
    return result;
  };
  std::unique_ptr<Program> a = openProgram("all_reduce_ring"),
                           b = openProgram("all_reduce_ring");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(kinds(*a), kinds(*b));
  EXPECT_GT(kinds(*a).size(), 200u);
}

/// Every operation of the kernel dialect that may be dropped or changed is.
TEST(MutationsTest, everyOperation) {
  for (const char *name : {"all_reduce_two_shot", "all_reduce_one_shot_pull"}) {
    std::unique_ptr<Program> program = openProgram(name);
    ASSERT_TRUE(program);
    ASSERT_FALSE(bool(program->lowerToKernel({3, "flag"})));
    std::set<std::string> kinds;
    for (const Mutation &m : program->findKernelMutations())
      kinds.insert(m.getKind());
    for (const char *kind :
         {"open: drop", "close: drop", "acquire: drop", "release: drop",
          "store: drop", "scf.for: lower + 1"})
      EXPECT_TRUE(kinds.count(kind)) << name << " lacks " << kind;
    bool pulls = llvm::StringRef(name).ends_with("pull");
    for (const char *kind :
         pulls ? std::initializer_list<const char *>{"wait_pull: drop",
                                                     "post_pull: drop",
                                                     "post_window: drop",
                                                     "wait_window: drop",
                                                     "drain_window: drop"}
               : std::initializer_list<const char *>{
                     "wait_message: drop", "post_message: drop",
                     "wait_credit: drop", "post_credit: drop",
                     "post_message: tag + 1", "send: by ll", "recv: by ll"})
      EXPECT_TRUE(kinds.count(kind)) << name << " lacks " << kind;
  }
}

/// A receive that is lost: the proof refuses it, and it is wrong.
TEST(MutationsTest, knownWrong) {
  std::unique_ptr<Program> program = openProgram("all_reduce_one_shot");
  ASSERT_TRUE(program);
  Folder folder;
  Judge judge(RCCLX_MUTANT_RUN, folder.get(), 1);
  SweepOptions options;
  options.worlds = {3};
  llvm::Expected<FormResult> result = sweepSchedule(*program, judge, options);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  bool found = false;
  for (const Mutant &m : result->mutants)
    if (m.mutation.getKind() == "reduce: drop, keep acc") {
      found = true;
      EXPECT_EQ(m.getFate(), Fate::Caught);
    }
  EXPECT_TRUE(found);
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

TEST(ReportTest, explainsSurvivors) {
  FormResult result{"ring", "flag", 0, {}};
  auto explain = [&](const char *where, const char *what) {
    return explainSurvivor(result, {{0, 0, where, what, nullptr}, {}, ""});
  };
  EXPECT_NE(explain("wait_message", "duplicate"), "");
  EXPECT_NE(explain("drain_window", "duplicate"), "");
  EXPECT_EQ(explain("wait_message", "drop"), "");
  result.form = "schedule";
  EXPECT_EQ(explain("wait_message", "duplicate"), "");
}

TEST(ReportTest, reasonsHaveNoNumbers) {
  Mutant mutant;
  mutant.outcomes.resize(2);
  mutant.outcomes[1].refusal = "tag 12 to rank 3: -7";
  EXPECT_EQ(getReason(mutant), "tag N to rank N: -N");
}

/// Fates are the same after they were kept, and after the proof was asked
/// again.
TEST(ReportTest, keptAndProvedAgain) {
  std::unique_ptr<Program> program = openProgram("all_gather_direct");
  ASSERT_TRUE(program);
  Folder folder, results;
  SweepOptions options;
  options.worlds = {2, 3};
  options.sample = 8;
  for (const char *form : {"schedule", "ll"}) {
    Judge judge(RCCLX_MUTANT_RUN, folder.get(), 1);
    llvm::Expected<FormResult> result =
        llvm::StringRef(form) == "schedule"
            ? sweepSchedule(*program, judge, options)
            : sweepKernels(*program, judge, form, options);
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    EXPECT_FALSE(hasResult(result->program, form, results.get()));
    ASSERT_FALSE(bool(writeResult(*result, results.get())));
    EXPECT_TRUE(hasResult(result->program, form, results.get()));
  }
  llvm::Expected<std::vector<FormResult>> kept = readResults(results.get());
  ASSERT_TRUE(bool(kept)) << llvm::toString(kept.takeError());
  ASSERT_EQ(kept->size(), 2u);
  std::string before = writeReport(*kept, "today");
  for (FormResult &result : *kept) {
    for (Mutant &mutant : result.mutants)
      for (Outcome &outcome : mutant.outcomes)
        outcome.proved = !outcome.proved;
    llvm::Error error = reprove(*program, result);
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  }
  EXPECT_EQ(writeReport(*kept, "today"), before);

  (*kept)[0].mutants[0].mutation.what = "of another program";
  llvm::Error error = reprove(*program, (*kept)[0]);
  EXPECT_NE(llvm::toString(std::move(error)).find("has changed"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// All schedules
//===----------------------------------------------------------------------===//

std::vector<std::string> findSchedules() {
  std::vector<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(RCCLX_SCHEDULES, error), end;
       at != end && !error; at.increment(error))
    if (llvm::sys::path::extension(at->path()) == ".mlir")
      names.push_back(llvm::sys::path::stem(at->path()).str());
  llvm::sort(names);
  return names;
}

class SweepTest : public ::testing::TestWithParam<std::string> {};

TEST_P(SweepTest, missesNothing) {
  std::unique_ptr<Program> program = openProgram(GetParam());
  ASSERT_TRUE(program);
  Folder folder;
  SweepOptions options;
  options.sample = fewOrAll<size_t>(10, SIZE_MAX);
  for (const char *form : {"schedule", "flag", "ll", "sentinel"}) {
    Judge judge(RCCLX_MUTANT_RUN, folder.get(), options.seed);
    llvm::Expected<FormResult> result =
        llvm::StringRef(form) == "schedule"
            ? sweepSchedule(*program, judge, options)
            : sweepKernels(*program, judge, form, options);
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    EXPECT_EQ(listMissed(*result), "");
    std::cout << summarize(*result) << std::endl;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, SweepTest,
                         ::testing::ValuesIn(findSchedules()),
                         [](const auto &info) { return info.param; });

} // namespace
