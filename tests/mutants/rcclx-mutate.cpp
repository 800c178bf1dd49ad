//===- rcclx-mutate.cpp - Are all wrong mutants refused -------------------===//
//
// Part of rcclx. Makes every mutant of schedules and of their kernels, asks the
// proof, and runs them. Exit status 1: one that the proof let pass is wrong.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace rcclx::mutants;

static cl::OptionCategory category("rcclx-mutate options");
static cl::list<std::string> schedules(cl::Positional, cl::cat(category),
                                       cl::OneOrMore,
                                       cl::desc("SCHEDULE.mlir..."));
static cl::list<unsigned> worlds("worlds", cl::cat(category),
                                 cl::CommaSeparated,
                                 cl::desc("numbers of ranks (2,3,5)"));
static cl::list<std::string>
    forms("forms", cl::cat(category), cl::CommaSeparated,
          cl::desc("schedule, flag, ll, sentinel (all of them)"));
static cl::opt<unsigned> sample("sample", cl::cat(category),
                                cl::desc("mutants of a form at most; 0: all"));
static cl::opt<unsigned> seed("seed", cl::cat(category), cl::init(1),
                              cl::desc("of the sample and of the data"));
static cl::opt<std::string> report("report", cl::cat(category),
                                   cl::desc("write the report to this file"));
static cl::opt<bool> list("list", cl::cat(category),
                          cl::desc("print every mutant and its fate"));

static int fail(const Twine &what) {
  errs() << "rcclx-mutate: error: " << what << "\n";
  return 2;
}

int main(int argc, char **argv) {
  // clang, Polly and others have theirs.
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "mutants of schedules and kernels\n");
  // Copies: lld, in this process, resets all options.
  SweepOptions options;
  if (!worlds.empty())
    options.worlds.assign(worlds.begin(), worlds.end());
  if (sample)
    options.sample = sample;
  options.seed = seed;
  std::vector<std::string> wanted(forms.begin(), forms.end());
  if (wanted.empty())
    wanted = {"schedule", "flag", "ll", "sentinel"};
  const std::vector<std::string> paths(schedules.begin(), schedules.end());
  const std::string reportPath = report;
  const bool listing = list;

  SmallString<128> directory;
  if (std::error_code error =
          sys::fs::createUniqueDirectory("rcclx-mutants", directory))
    return fail("no temporary directory: " + error.message());
  SmallString<128> runner(sys::path::parent_path(
      sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&fail))));
  sys::path::append(runner, "rcclx-mutant-run");
  std::vector<FormResult> results;
  int status = 0;
  for (const std::string &path : paths) {
    Expected<std::unique_ptr<Program>> program = Program::open(path);
    if (!program)
      return fail(toString(program.takeError()));
    for (const std::string &form : wanted) {
      Judge judge(std::string(runner), std::string(directory), options.seed);
      Expected<FormResult> result =
          form == "schedule" ? sweepSchedule(**program, judge, options)
                             : sweepKernels(**program, judge, form, options);
      if (!result)
        return fail(toString(result.takeError()));
      errs() << summarize(*result) << "\n";
      if (listing)
        outs() << listAll(*result);
      for (const Mutant &mutant : result->mutants)
        if (mutant.isMissed())
          status = 1;
      results.push_back(std::move(*result));
    }
  }
  sys::fs::remove_directories(directory);
  outs() << listMissed(results);
  if (!reportPath.empty()) {
    std::error_code error;
    raw_fd_ostream stream(reportPath, error);
    if (error)
      return fail(reportPath + ": " + error.message());
    stream << writeReport(results, options);
  }
  return status;
}
