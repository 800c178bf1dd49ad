//===- InspectCommand.cpp - rcclx inspect ---------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "Commands.h"

#include "rcclx/Runtime/Plan.h"

#include <algorithm>
#include <cstdio>

namespace rcclx::tool {

using namespace runtime;

static const char *const description =
    "Shows what a plan of `rcclx compile`, or an entry of the cache, is: its "
    "contract, hash,\ntargets, mapping and memory. Checks every file of it.";

static const char *const examples = "Examples:\n"
                                    "  rcclx inspect plan\n"
                                    "  rcclx inspect plan --json\n\n";

static std::string plural(uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

static std::string describeKind(const PlanKind &kind) {
  std::string protocols;
  for (const std::string &protocol : kind.protocols)
    protocols += (protocols.empty() ? "" : ", ") + protocol;
  return fmt::format("{} of {}, tiles of {} bytes, {} in flight; {}",
                     plural(kind.grid, "block"), plural(kind.threads, "thread"),
                     uint64_t(kind.tileGroups) * 16, kind.depth,
                     protocols.empty() ? "no messages" : protocols);
}

static std::string describeObject(const Plan &plan, const PlanObject &object) {
  std::string text =
      fmt::format("{}, {} bytes", object.file.file, object.file.bytes);
  if (!object.compiler.empty())
    text += ", by " + object.compiler;
  if (!object.cpu.empty())
    text += ", for " + object.cpu;
  if (object.target == hostTarget)
    text += plan.checkProcessor(object.target).isOk()
                ? "; runs on this processor"
                : "; `rcclx run --plan` refuses it here";
  return text;
}

/// What a call needs beside its buffers and the communicator's slots.
static std::string describeMemory(const Manifest &plan) {
  std::string text;
  uint64_t bytes = elementBytes(plan.element);
  if (plan.hasScratch)
    text += fmt::format("scratch of {} bytes per element of the count",
                        plan.world * bytes);
  if (plan.stagedInPlace)
    text += fmt::format("{}in place, a copy of the input: {} bytes per element",
                        text.empty() ? "" : "; ",
                        inputBlocks(plan.contract, plan.world) * bytes);
  return text.empty() ? "none beside the slots" : text;
}

static std::string describe(const Plan &plan) {
  const Manifest &manifest = plan.manifest;
  std::string text =
      fmt::format("{}: {}, {}, {}, {}\n", manifest.name,
                  name(manifest.contract), plural(manifest.world, "rank"),
                  name(manifest.element), name(manifest.reduction));
  auto row = [&](std::string_view title, const std::string &value) {
    text += fmt::format("  {:<12}{}\n", title, value);
  };
  if (hasRoot(manifest.contract))
    row("root", fmt::format("{}", manifest.root));
  if (manifest.contract == Contract::Permute)
    row("permutation", fmt::format("{}", fmt::join(manifest.permutation, ",")));
  row("hash", fmt::format("{:016x}", manifest.hash));
  row("proved", fmt::format("{}, {}, at least {}",
                            plural(manifest.proof.operations, "operation"),
                            plural(manifest.proof.messages, "message"),
                            plural(manifest.proof.leastSlots, "slot")));
  row("largest", plural(manifest.maxCount, "element"));
  row("memory", describeMemory(manifest));
  for (const PlanKind &kind : manifest.kinds)
    row(kind.kind, describeKind(kind));
  for (const PlanObject &object : manifest.objects)
    row(object.target, describeObject(plan, object));
  return text + "every file equals its checksum\n";
}

static Status inspect(const std::string &path, bool json) {
  RCCLX_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, Plan::open(path));
  fputs(json ? plan->manifestText.c_str() : describe(*plan).c_str(), stdout);
  return flushOutput();
}

void addInspectCommand(CLI::App &app, int &exitStatus) {
  struct Arguments {
    std::string plan;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("inspect", description);
  command->group(groupSchedules);
  command->footer(std::string(examples) + exitStatusHelp);
  command->add_option("plan", arguments->plan, "The plan's directory")
      ->required()
      ->type_name(typeDirectory);
  command->add_flag("--json", arguments->json,
                    "Print the plan's manifest.json, checked");
  command->callback([arguments, &exitStatus] {
    Status status = inspect(arguments->plan, arguments->json);
    exitStatus = status.isOk() ? exitOk : printError(status);
  });
}

} // namespace rcclx::tool
