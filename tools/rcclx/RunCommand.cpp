//===- RunCommand.cpp - rcclx run -----------------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "Check.h"
#include "Commands.h"
#include "Launched.h"
#include "Processes.h"
#include "Report.h"
#include "rcclx/Runtime/Options.h"
#include "rcclx/Runtime/Plan.h"

#include <cstdio>
#include <sys/resource.h>

namespace rcclx::tool {

using namespace runtime;

namespace {
/// The options as they were typed.
struct RunArguments {
  RunOptions options;
  int64_t ranks = 8;
  bool ranksGiven = false;
  std::string count = "1M";
  std::string type = "f32";
  std::string op = "sum";
  std::optional<LauncherJob> job; // that this process is a rank of
};
} // namespace

static constexpr std::string_view deviceNames[] = {"host", "hip", "cuda"};
// All their times are kept for the median.
static constexpr uint32_t maxIterations = 1'000'000;
// Elements: every buffer is longer by so many.
static constexpr uint64_t maxOffset = 1u << 20;

static const char *const description =
    "Proves and compiles a schedule, runs it on every rank over real data, and "
    "checks every\nelement: bit for bit against the arithmetic that was "
    "proved, "
    "and against a\nreference in wider floats that knows nothing of the "
    "schedule. "
    "Prints what was proved, where the time\nto compile went, latency and "
    "bandwidth.";

static const char *const examples =
    "Examples:\n"
    "  rcclx run examples/schedules/all_reduce_two_shot.mlir\n"
    "  rcclx run examples/schedules/all_reduce_ring.mlir --ranks 5 --count "
    "1000 "
    "--type bf16 --op avg\n"
    "  rcclx run examples/schedules/all_gather_direct.mlir --procs --in-place "
    "--json\n\n";

/// Of a plan that is run as it is: what it says of ranks and types.
static Status readPlan(RunOptions &options) {
  RCCLX_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                         Plan::load(options.plan, hostTarget));
  options.ranks = plan->manifest.world;
  options.element = plan->manifest.element;
  options.reduction = plan->manifest.reduction;
  options.root = plan->manifest.root;
  return Status();
}

/// Whether this process is a rank that a launcher has started. Where the user
/// says how many ranks to run, or how, it is not.
static Status findLauncher(RunArguments &arguments) {
  RunOptions &options = arguments.options;
  if (arguments.ranksGiven || options.procs)
    return Status();
  RCCLX_ASSIGN_OR_RETURN(const Options *settings, processOptions());
  Expected<std::optional<LauncherJob>> job = findJob(settings->launcher);
  if (!job)
    return makeError(job.status().code(),
                     "{}; with --ranks, this command starts ranks of its own",
                     job.status().message());
  arguments.job = *std::move(job);
  if (!arguments.job)
    return Status();
  options.launcher = arguments.job->launcher;
  options.ranks = arguments.job->world;
  return Status();
}

static Status complete(RunArguments &arguments) {
  RunOptions &options = arguments.options;
  RCCLX_RETURN_IF_ERROR(processOptions().status());
  if (options.plan.empty() == options.scheduleName.empty())
    return Status(Code::InvalidArgument,
                  "run: expected a schedule, or --plan and none");
  if (arguments.ranks < 1 || arguments.ranks > RCCLX_MAX_WORLD)
    return makeError(Code::InvalidArgument, "--ranks {}: 1 to {} are possible",
                     arguments.ranks, RCCLX_MAX_WORLD);
  options.ranks = uint32_t(arguments.ranks);
  RCCLX_RETURN_IF_ERROR(findLauncher(arguments));
  RCCLX_ASSIGN_OR_RETURN(options.count, parseCount(arguments.count));
  options.element = *parseElement(arguments.type);
  options.reduction = *parseReduction(arguments.op);
  if (!options.plan.empty())
    RCCLX_RETURN_IF_ERROR(readPlan(options));
  if (!countFits(options.count, options.ranks, options.element))
    return makeError(Code::InvalidArgument,
                     "--count {}: with {} ranks of {} this exceeds 2^63 bytes",
                     arguments.count, options.ranks, arguments.type);
  if (!options.plan.empty())
    return Status();
  RCCLX_ASSIGN_OR_RETURN(options.schedule, readSchedule(options.scheduleName));
  return Status();
}

/// 256 ranks in one process need some 1000 descriptors, the usual soft limit.
static void raiseFileLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
      limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit); // else a clear error follows
  }
}

/// Lower is closer to the cause. What a rank found wrong by itself explains the
/// rest; then a process that is gone; Remote names the rank that another one
/// lost, and Timeout only says that somebody was late.
static int distanceFromCause(const RankResult &result) {
  switch (result.ending) {
  case Ending::Died:
    return 1;
  case Ending::Overdue:
    return 2;
  case Ending::Reported:
    break;
  }
  switch (result.status.code()) {
  case Code::Remote:
    return 3;
  case Code::Timeout:
    return 4;
  default:
    return 0;
  }
}

/// The error to show of several ranks': the one closest to the cause, of the
/// lowest rank where several are. OK when all are.
static Status firstError(const std::vector<RankResult> &results) {
  const RankResult *first = nullptr;
  for (const RankResult &result : results)
    if (!result.status.isOk() &&
        (!first || distanceFromCause(result) < distanceFromCause(*first)))
      first = &result;
  return first ? first->status : Status();
}

/// Prints the report, or what went wrong; `reports`: of a launcher's ranks, one
/// speaks for all.
static int finish(const RunOptions &options,
                  const Expected<std::vector<RankResult>> &results,
                  bool reports) {
  if (!results)
    return printError(results.status());
  if (Status status = firstError(*results); !status.isOk())
    return reports ? printError(status) : exitStatusOf(status);
  if (!reports)
    return (*results)[0].wrong.empty() ? exitOk : exitWrong;
  std::string wrong = checkTogether(*results);
  std::string report = options.json ? reportJson(options, *results, wrong)
                                    : reportTable(options, *results, wrong);
  fputs(report.c_str(), stdout);
  Status flushed = flushOutput();
  int lost = flushed.isOk() ? exitOk : printError(flushed);
  if (wrong.empty())
    return lost;
  complain("wrong result: {}", wrong);
  return exitWrong;
}

static int run(RunArguments &arguments) {
  if (Status status = complete(arguments); !status.isOk())
    return printError(status);
  const RunOptions &options = arguments.options;
  if (arguments.job)
    return finish(options, runLaunched(options, *arguments.job),
                  arguments.job->rank == 0);
  rcclx_unique_id id;
  if (rcclx_result result = rcclx_unique_id_create(&id); result != RCCLX_OK)
    return printError(Status(Code(result), rcclx_last_error()));
  raiseFileLimit();
  // No thread exists yet in either case: processes are started by a program
  // that has one thread.
  Expected<std::vector<RankResult>> results =
      options.procs ? runProcesses(options, id) : runThreads(options, id);
  return finish(options, results, true);
}

void addRunCommand(CLI::App &app, int &exitStatus) {
  auto arguments = std::make_shared<RunArguments>();
  RunOptions &options = arguments->options;
  CLI::App *command = app.add_subcommand("run", description);
  command->group(groupSchedules);
  command->footer(std::string(examples) + exitStatusHelp);
  addScheduleArgument(*command, options.scheduleName);
  CLI::Option *plan =
      command
          ->add_option("--plan", options.plan,
                       "Instead of a schedule: a plan of `rcclx compile`, "
                       "which says what these options do: ranks, type, op, "
                       "symbol, protocol, root, permutation")
          ->type_name(typeDirectory);
  plan->excludes(command
                     ->add_option("--ranks", arguments->ranks,
                                  "Number of ranks, 1 to 256 [8, or one as "
                                  "which mpirun, srun or torchrun started this "
                                  "process]")
                     ->type_name(typeUnsigned));
  addCountOption(*command, arguments->count);
  plan->excludes(addChoice(*command, "--type", arguments->type, elementNames(),
                           "Element type [f32]"));
  plan->excludes(addChoice(*command, "--op", arguments->op, reductionNames(),
                           "Reduction [sum]"));
  plan->excludes(addSymbolOption(*command, options.symbol));
  plan->excludes(addProtocolOption(*command, options.protocol));
  plan->excludes(addRootOption(*command, options.root));
  plan->excludes(addPermutationOption(*command, options.permutation));
  addChoice(*command, "--device", options.device, deviceNames,
            "What to run on [host]");
  addUnsigned(*command, "--iterations", options.iterations,
              "Timed calls after the first; 0: none [20]", maxIterations);
  addUnsigned(*command, "--seed", options.seed, "Seed of the data [1]");
  addUnsigned(*command, "--offset", options.offset,
              "Shift buffers by so many elements from 64-byte alignment [0]",
              maxOffset);
  addUnsigned(*command, "--timeout-ms", options.timeoutMs,
              "Deadline of every wait [RCCLX_TIMEOUT_MS]", maxTimeoutMs);
  command
      ->add_option("--cache-dir", options.cacheDir,
                   "Where compiled plans are kept [RCCLX_CACHE_DIR]")
      ->type_name(typeDirectory);
  command->add_flag("--in-place", options.inPlace,
                    "Let the input be the output, or this rank's block of it");
  command->add_flag("--special", options.special,
                    "Mix NaN, infinities, signed zeros, denormals and extreme "
                    "integers into the data");
  command->add_flag("--procs", options.procs,
                    "One process per rank instead of one thread");
  command->add_flag("--json", options.json, "Print one JSON object");
  command->callback([arguments, command, &exitStatus] {
    arguments->ranksGiven = command->count("--ranks") != 0;
    exitStatus = run(*arguments);
  });
}

} // namespace rcclx::tool
