//===- rcclx-mutate.cpp - Are all wrong mutants refused -------------------===//
//
// Part of rcclx. Makes every mutant of schedules and of their kernels, asks the
// proof, and runs them. Exit status 1: one that the proof let pass is wrong.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Results.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

using namespace llvm;
using namespace rcclx::mutants;

static cl::OptionCategory category("rcclx-mutate options");
static cl::list<std::string> schedules(cl::Positional, cl::cat(category),
                                       cl::desc("[SCHEDULE.mlir...]"));
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
static cl::opt<std::string>
    resultsFolder("results", cl::cat(category),
                  cl::desc("keep the fates in this folder; a form that it has "
                           "is not swept again"));
static cl::opt<std::string>
    report("report", cl::cat(category),
           cl::desc("write a report of all that --results has to this file"));
static cl::opt<bool> proveAgain(
    "reprove", cl::cat(category),
    cl::desc("ask the proof again of all mutants that --results has"));
static cl::opt<bool> list("list", cl::cat(category),
                          cl::desc("print every mutant and its fate"));

namespace {
/// Copies of the options: lld, in this process, resets them.
struct Request {
  SweepOptions sweep;
  std::vector<std::string> paths, forms;
  std::string results, report;
  bool reprove = false, list = false;
};
} // namespace

static Error writeReportFile(const Request &request) {
  Expected<std::vector<FormResult>> results = readResults(request.results);
  if (!results)
    return results.takeError();
  std::error_code error;
  raw_fd_ostream stream(request.report, error);
  if (error)
    return createStringError(error, request.report);
  char date[32];
  time_t now = time(nullptr);
  strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&now));
  stream << writeReport(*results, date);
  return Error::success();
}

static Error reproveAll(const Request &request, bool &missed) {
  Expected<std::vector<FormResult>> results = readResults(request.results);
  if (!results)
    return results.takeError();
  for (const std::string &path : request.paths) {
    Expected<std::unique_ptr<Program>> program = Program::open(path);
    if (!program)
      return program.takeError();
    for (FormResult &result : *results) {
      if (result.program != (*program)->getName())
        continue;
      if (Error error = reprove(**program, result))
        return error;
      errs() << summarize(result) << "\n";
      outs() << listMissed(result);
      missed |= !listMissed(result).empty();
      if (Error error = writeResult(result, request.results))
        return error;
    }
  }
  return Error::success();
}

/// Sets `missed` where a wrong mutant was proved.
static Error sweepAll(const Request &request, const std::string &runner,
                      const std::string &directory, bool &missed) {
  for (const std::string &path : request.paths) {
    Expected<std::unique_ptr<Program>> program = Program::open(path);
    if (!program)
      return program.takeError();
    for (const std::string &form : request.forms) {
      if (!request.results.empty() &&
          hasResult((*program)->getName(), form, request.results))
        continue;
      Judge judge(runner, directory, request.sweep.seed);
      Expected<FormResult> result =
          form == "schedule"
              ? sweepSchedule(**program, judge, request.sweep)
              : sweepKernels(**program, judge, form, request.sweep);
      if (!result)
        return result.takeError();
      errs() << summarize(*result) << "\n";
      outs() << (request.list ? listAll(*result) : listMissed(*result));
      missed |= !listMissed(*result).empty();
      if (!request.results.empty())
        if (Error error = writeResult(*result, request.results))
          return error;
    }
  }
  return Error::success();
}

int main(int argc, char **argv) {
  // clang, Polly and others have theirs.
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "mutants of schedules and kernels\n");
  Request request;
  if (!worlds.empty())
    request.sweep.worlds.assign(worlds.begin(), worlds.end());
  if (sample)
    request.sweep.sample = sample;
  request.sweep.seed = seed;
  request.paths.assign(schedules.begin(), schedules.end());
  request.forms.assign(forms.begin(), forms.end());
  if (request.forms.empty())
    request.forms = {"schedule", "flag", "ll", "sentinel"};
  request.results = resultsFolder;
  request.report = report;
  request.reprove = proveAgain;
  request.list = list;

  auto fail = [](Error error) {
    errs() << "rcclx-mutate: error: " << toString(std::move(error)) << "\n";
    return 2;
  };
  SmallString<128> directory;
  if (std::error_code error =
          sys::fs::createUniqueDirectory("rcclx-mutants", directory))
    return fail(createStringError(error, "no temporary folder"));
  auto remove =
      scope_exit([&] { (void)sys::fs::remove_directories(directory); });
  SmallString<128> runner(sys::path::parent_path(sys::fs::getMainExecutable(
      argv[0], reinterpret_cast<void *>(&sweepAll))));
  sys::path::append(runner, "rcclx-mutant-run");
  bool missed = false;
  if (Error error = request.reprove ? reproveAll(request, missed)
                                    : sweepAll(request, std::string(runner),
                                               std::string(directory), missed))
    return fail(std::move(error));
  if (!request.report.empty())
    if (Error error = writeReportFile(request))
      return fail(std::move(error));
  return missed ? 1 : 0;
}
