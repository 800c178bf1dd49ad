//===- CompileCommand.cpp - rcclx compile ---------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "Commands.h"
#include "PlanOutput.h"

#include "rcclx/Runtime/CompilerLibrary.h"
#include "rcclx/Runtime/Plan.h"

#include <cstdio>
#include <sys/stat.h>

namespace rcclx::tool {

using namespace runtime;

namespace {
struct CompileArguments {
  PlanRequest request;
  std::string output;
  std::string ranks = "8";
  std::string count = "1M";
  std::string types = "f32";
  std::string ops = "sum";
  std::string targets = "host";
  std::string cpu = "x86-64-v3";
};
} // namespace

static constexpr std::string_view cpuLevels[] = {"x86-64", "x86-64-v2",
                                                 "x86-64-v3", "x86-64-v4"};

static const char *const description =
    "Proves a schedule and compiles it to a plan: a directory that `rcclx run "
    "--plan` and\nprograms run on machines without a compiler. It holds an "
    "object for every target.";

static const char *const examples =
    "Several --ranks, --type or --op give a folder of plans, named "
    "COLLECTIVE-RANKS-TYPE-OP.\nA plan is written under another name and then "
    "put in its place in one step. An older plan\nis replaced; anything else "
    "that is there is not.\n\n"
    "Examples:\n"
    "  rcclx compile examples/schedules/all_reduce_two_shot.mlir -o plan "
    "--ranks 8 --type bf16 \\\n"
    "      --target host,gfx942,gfx950\n"
    "  rcclx compile my.mlir -o plans --ranks 2..8 --type f32,bf16\n\n";

static Expected<PlanTargets> parseTargets(const CompileArguments &arguments) {
  PlanTargets targets;
  targets.hostCpu = arguments.cpu;
  for (const std::string &name : splitList(arguments.targets)) {
    if (name.empty())
      return makeError(Code::InvalidArgument,
                       "--target {}: not a list of targets, such as "
                       "host,gfx942",
                       arguments.targets);
    std::string target = name == "host" ? hostTarget : name;
    if (std::ranges::find(targets.names, target) == targets.names.end())
      targets.names.push_back(std::move(target));
  }
  return targets;
}

static std::string describe(const std::string &place, const Manifest &plan) {
  std::string objects;
  uint64_t microseconds = 0;
  for (const PlanObject &object : plan.objects)
    objects += fmt::format("{}{} ({} bytes)", objects.empty() ? "" : ", ",
                           object.target, object.file.bytes);
  for (const CompileStage &stage : plan.compile)
    microseconds += stage.microseconds;
  return fmt::format("{}: {} for {} rank{}, {}, {}, proved; {}; {:.0f} ms\n",
                     place, plan.name, plan.world, plan.world == 1 ? "" : "s",
                     name(plan.element), name(plan.reduction), objects,
                     double(microseconds) * 1e-3);
}

/// Compiles one plan to `place`, or into folder `place` under its own name.
static Status compileOne(const CompilerLibrary &compiler,
                         const PlanRequest &request, const PlanTargets &targets,
                         std::string place, bool isFolder) {
  RCCLX_ASSIGN_OR_RETURN(
      PlanOutput output,
      PlanOutput::create(isFolder ? place : parentOf(place)));
  RCCLX_RETURN_IF_ERROR(compiler.compile(request, targets, output.directory()));
  // What is published can be read.
  Expected<std::shared_ptr<const Plan>> plan = Plan::open(output.directory());
  if (!plan)
    return plan.status().annotate("just compiled");
  const Manifest &manifest = (*plan)->manifest;
  if (isFolder)
    place += fmt::format("/{}-{}-{}-{}", manifest.name, manifest.world,
                         name(manifest.element), name(manifest.reduction));
  RCCLX_RETURN_IF_ERROR(output.publish(place));
  fputs(describe(place, manifest).c_str(), stdout);
  return flushOutput();
}

static Status compile(CompileArguments &arguments) {
  PlanRequest &request = arguments.request;
  RCCLX_ASSIGN_OR_RETURN(std::vector<uint32_t> worlds,
                         parseRanks(arguments.ranks));
  RCCLX_ASSIGN_OR_RETURN(request.count, parseCount(arguments.count));
  RCCLX_ASSIGN_OR_RETURN(PlanTargets targets, parseTargets(arguments));
  RCCLX_ASSIGN_OR_RETURN(request.schedule, readSchedule(request.scheduleName));
  std::vector<std::string> types = splitList(arguments.types);
  std::vector<std::string> ops = splitList(arguments.ops);
  bool isFolder = worlds.size() * types.size() * ops.size() > 1;
  std::string place = arguments.output;
  while (place.size() > 1 && place.ends_with('/'))
    place.pop_back();
  if (place.empty())
    return makeError(Code::InvalidArgument, "-o: the name is empty");
  if (!isFolder) // before the work
    RCCLX_RETURN_IF_ERROR(checkReplaceable(place));
  else if (mkdir(place.c_str(), 0700) != 0 && errno != EEXIST)
    return systemError(errno, place);
  RCCLX_ASSIGN_OR_RETURN(const Options *options, processOptions());
  CompilerLibrary compiler = CompilerLibrary::find(*options);
  for (uint32_t world : worlds)
    for (const std::string &type : types)
      for (const std::string &op : ops) {
        request.world = world;
        request.element = *parseElement(type);
        request.reduction = *parseReduction(op);
        if (!countFits(request.count, world, request.element))
          return makeError(Code::InvalidArgument,
                           "--count {}: with {} ranks of {} this exceeds 2^63 "
                           "bytes",
                           request.count, world, type);
        RCCLX_RETURN_IF_ERROR(
            compileOne(compiler, request, targets, place, isFolder));
      }
  return Status();
}

void addCompileCommand(CLI::App &app, int &exitStatus) {
  auto arguments = std::make_shared<CompileArguments>();
  CLI::App *command = app.add_subcommand("compile", description);
  command->group(groupSchedules);
  command->footer(std::string(examples) + exitStatusHelp);
  addScheduleArgument(*command, arguments->request.scheduleName)->required();
  command->add_option("-o,--output", arguments->output, "The plan to write")
      ->required()
      ->type_name(typeDirectory);
  command
      ->add_option("--ranks", arguments->ranks,
                   "Number of ranks, or a list of numbers: 8, 2..64 [8]")
      ->type_name(typeRanks);
  addChoice(*command, "--type", arguments->types, elementNames(),
            "Element type, or a list of them [f32]", /*isList=*/true);
  addChoice(*command, "--op", arguments->ops, reductionNames(),
            "Reduction, or a list of them [sum]", /*isList=*/true);
  addCountOption(*command, arguments->count);
  command
      ->add_option("--target", arguments->targets,
                   "What to make objects for, with commas between: host, "
                   "gfx942, sm_90, ... An unknown one gives the list [host]")
      ->type_name(typeText);
  addChoice(*command, "--cpu", arguments->cpu, cpuLevels,
            "The least processor that the host's object runs on [x86-64-v3]");
  addSymbolOption(*command, arguments->request.symbol);
  addProtocolOption(*command, arguments->request.protocol);
  addRootOption(*command, arguments->request.root);
  addPermutationOption(*command, arguments->request.permutation);
  command->callback([arguments, &exitStatus] {
    Status status = compile(*arguments);
    exitStatus = status.isOk() ? exitOk : printError(status);
  });
}

} // namespace rcclx::tool
