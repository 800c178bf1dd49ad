//===- BenchCommand.cpp - rcclx bench -------------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "BenchJob.h"
#include "BenchReport.h"
#include "Commands.h"
#include "Data.h"
#include "Machine.h"
#include "Sizes.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace rcclx::tool {

using namespace runtime;

namespace {
/// The options as they were typed.
struct BenchArguments {
  BenchOptions options;
  std::vector<std::string> paths;
  std::string collectives;
  std::string ranks = "2,4,8";
  std::string sizes = "4K..64M*4";
  std::string array = "64M";
  std::string peers;
  std::string pin = "none";
  std::string launcher;
  std::string json;
};
} // namespace

static const char *const description =
    "Measures schedules against other libraries, in the same processes and in "
    "alternation,\nand checks every output. Schedules of one collective are "
    "variants of rcclx; of each\nlibrary the variant that is fastest in a "
    "short sweep is measured. Times are medians\nfrom the first rank's start "
    "to the last one's end.";

static const char *const examples =
    "Examples:\n"
    "  rcclx bench examples/schedules --ranks 4 --peers gloo\n"
    "  rcclx bench examples/schedules --collective all_reduce --peers "
    "openmpi,gloo \\\n"
    "    --launcher \"mpirun --oversubscribe --bind-to none\" --json "
    "bench.json\n\n";

/// The .mlir files among `paths`; of a folder all.
static Expected<std::vector<std::string>>
filesOf(const std::vector<std::string> &paths) {
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path); // reading it says what is wrong
      continue;
    }
    std::vector<std::string> found;
    for (const auto &entry : std::filesystem::directory_iterator(path, error))
      if (entry.path().extension() == ".mlir")
        found.push_back(entry.path().string());
    if (error)
      return systemError(error.value(), path);
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

/// Reads the schedules; leaves out those of collectives that are not measured.
static Status readSchedules(BenchArguments &arguments) {
  BenchOptions &options = arguments.options;
  bool all = arguments.collectives.empty();
  if (!all)
    for (const std::string &collective : splitList(arguments.collectives))
      options.collectives.push_back(*parseContract(collective)); // of the list
  RCCLX_ASSIGN_OR_RETURN(std::vector<std::string> files,
                         filesOf(arguments.paths));
  for (const std::string &path : files) {
    BenchSchedule schedule = {path, std::filesystem::path(path).stem(), "", {}};
    RCCLX_ASSIGN_OR_RETURN(schedule.text, readSchedule(path));
    RCCLX_ASSIGN_OR_RETURN(schedule.contract, contractOf(path, schedule.text));
    auto &wanted = options.collectives;
    bool known = std::find(wanted.begin(), wanted.end(), schedule.contract) !=
                 wanted.end();
    if (!known && all && canBench(schedule.contract)) {
      wanted.push_back(schedule.contract);
      known = true;
    }
    if (known)
      options.schedules.push_back(std::move(schedule));
  }
  for (Contract contract : options.collectives)
    if (std::none_of(
            options.schedules.begin(), options.schedules.end(),
            [&](auto &schedule) { return schedule.contract == contract; }))
      return makeError(Code::InvalidArgument, "no schedule implements {}",
                       name(contract));
  if (options.schedules.empty())
    return makeError(Code::InvalidArgument,
                     "no schedule of a collective that can be measured");
  return Status();
}

static Status complete(BenchArguments &arguments,
                       std::vector<uint32_t> &worlds) {
  BenchOptions &options = arguments.options;
  RCCLX_RETURN_IF_ERROR(readSchedules(arguments));
  RCCLX_ASSIGN_OR_RETURN(worlds, parseRanks(arguments.ranks));
  for (uint32_t world : worlds)
    if (world < 2 || world > maxBenchWorld)
      return makeError(Code::InvalidArgument,
                       "--ranks {}: 2 to {} are possible", arguments.ranks,
                       maxBenchWorld);
  RCCLX_ASSIGN_OR_RETURN(options.sizes, parseSizes("--sizes", arguments.sizes));
  for (uint32_t world : worlds)
    for (Contract contract : options.collectives)
      for (uint64_t bytes : options.sizes)
        if (!sizeFits(contract, world, bytes))
          return makeError(Code::InvalidArgument,
                           "--sizes {}: {} of {} ranks needs a multiple of {} "
                           "bytes, not {}",
                           arguments.sizes, name(contract), world,
                           contract == Contract::AllReduce ? 4 : 4 * world,
                           bytes);
  RCCLX_ASSIGN_OR_RETURN(std::vector<uint64_t> arrays,
                         parseSizes("--array", arguments.array));
  constexpr uint64_t page = 4096;
  if (arrays.size() != 1 || arrays[0] % page != 0)
    return makeError(Code::InvalidArgument,
                     "--array {}: not one multiple of {} bytes",
                     arguments.array, page);
  options.arrayBytes = arrays[0];
  if (!arguments.peers.empty())
    options.peers = splitList(arguments.peers);
  options.pin = arguments.pin == "core";
  if (options.rounds == 0 || options.maxRounds < options.rounds)
    return makeError(Code::InvalidArgument,
                     "--rounds {}: must be 1 to --max-rounds, which is {}",
                     options.rounds, options.maxRounds);
  if (!options.plans.empty() && !options.protocol.empty())
    return makeError(Code::InvalidArgument,
                     "--protocol {}: the plans of --plans have theirs",
                     options.protocol);
  if (options.timeoutMs == 0)
    return makeError(Code::InvalidArgument, "--timeout-ms 0: 1 at least");
  return Status();
}

/// Opened before anything is measured, so that nothing is measured in vain.
static Expected<std::ofstream> openJson(const std::string &path) {
  std::ofstream out;
  if (path.empty())
    return out;
  out.open(path, std::ios::binary | std::ios::trunc);
  if (!out)
    return systemError(errno, "--json " + path);
  return out;
}

static Status writeJson(std::ofstream &out, const BenchReport &report) {
  if (!out.is_open())
    return Status();
  out << report.toJson();
  out.close();
  return out ? Status() : systemError(errno, "the file of --json");
}

static int run(BenchArguments &arguments) {
  std::vector<uint32_t> worlds;
  if (Status status = complete(arguments, worlds); !status.isOk())
    return printError(status);
  Expected<std::ofstream> json = openJson(arguments.json);
  if (!json)
    return printError(json.status());
  nlohmann::ordered_json machine = describeMachine();
  fputs(machineText(machine).c_str(), stdout);
  BenchReport report(std::move(machine), arguments.launcher);
  Status status;
  for (uint32_t world : worlds) {
    arguments.options.world = world;
    status = runBenchJob(arguments.options, arguments.launcher,
                         [&](const std::string &line) {
                           fputs(report.add(line).c_str(), stdout);
                           fflush(stdout);
                         });
    if (!status.isOk())
      break;
  }
  // What was measured before a failure is kept.
  status = status.join(writeJson(*json, report));
  if (!status.isOk())
    return printError(status);
  Status flushed = flushOutput();
  return flushed.isOk() ? exitOk : printError(flushed);
}

void addBenchCommand(CLI::App &app, int &exitStatus) {
  auto arguments = std::make_shared<BenchArguments>();
  BenchOptions &options = arguments->options;
  CLI::App *command = app.add_subcommand("bench", description);
  command->group(groupSchedules);
  command->footer(std::string(examples) + exitStatusHelp);
  command
      ->add_option("schedules", arguments->paths,
                   "The .mlir files, or folders of them")
      ->required()
      ->type_name(typeSchedule);
  static constexpr std::string_view collectives[] = {
      "all_reduce", "all_gather", "reduce_scatter", "all_to_all"};
  addChoice(*command, "--collective", arguments->collectives, collectives,
            "Which [all of the schedules']", /*isList=*/true);
  command
      ->add_option("--ranks", arguments->ranks,
                   "Numbers of processes, 2 to 32 [2,4,8]")
      ->type_name(typeRanks);
  command->add_option("--sizes", arguments->sizes,
                      "Bytes of the larger side of one rank, as nccl-tests "
                      "count them; a..b: powers of 2 times a, a..b*4: of 4 "
                      "[4K..64M*4]");
  command->add_option("--peers", arguments->peers,
                      "Other libraries: openmpi, gloo, or paths of modules");
  command->add_option("--launcher", arguments->launcher,
                      "Starts the processes as `LAUNCHER -n RANKS ...`; "
                      "openmpi needs its mpirun [none]");
  static constexpr std::string_view pins[] = {"none", "core"};
  addChoice(*command, "--pin", arguments->pin, pins,
            "core: rank r to the r-th processor [none]");
  addUnsigned(*command, "--rounds", options.rounds,
              "Measured rounds at least [15]", 1'000'000);
  addUnsigned(*command, "--max-rounds", options.maxRounds,
              "Measured rounds at most [1000]", 1'000'000);
  addUnsigned(*command, "--milliseconds", options.milliseconds,
              "Time of measured rounds at each size, within these bounds [500]",
              86'400'000);
  addUnsigned(*command, "--sweeps", options.sweeps,
              "Rounds that choose each library's variant [5]", 1000);
  addUnsigned(*command, "--warmups", options.warmups, "Rounds before them [2]",
              1000);
  addUnsigned(*command, "--seed", options.seed, "Seed of the data [1]");
  addUnsigned(*command, "--timeout-ms", options.timeoutMs,
              "Deadline of every wait for another rank [60000]", 86'400'000);
  addProtocolOption(*command, options.protocol);
  command
      ->add_option("--cache-dir", options.cacheDir,
                   "Where compiled plans are kept [RCCLX_CACHE_DIR]")
      ->type_name(typeDirectory);
  command
      ->add_option("--plans", options.plans,
                   "Plans that `rcclx compile` wrote, as "
                   "DIR/SCHEDULE-RANKS-COUNT, instead of compiling")
      ->type_name(typeDirectory);
  command->add_option("--array", arguments->array,
                      "Bytes of an array for the memory's bandwidth: more than "
                      "the caches hold [64M]");
  command->add_flag("--samples", options.samples,
                    "Keep every time in the JSON file");
  command->add_option("--json", arguments->json, "Also write a JSON file");
  command->callback([arguments, &exitStatus] { exitStatus = run(*arguments); });
}

} // namespace rcclx::tool
