//===- VerifyCommand.cpp - rcclx verify -----------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "Commands.h"
#include "rcclx/Runtime/CompilerLibrary.h"
#include "rcclx_params.h"

#include <cstdio>
#include <optional>

namespace rcclx::tool {

using namespace runtime;

namespace {
struct VerifyArguments {
  std::string schedule;
  std::string ranks = "2..16";
  std::string symbol;
  uint32_t slots = 0;
  std::optional<uint32_t> root;
  std::vector<uint32_t> permutation;
  bool scheduleOnly = false;
};
} // namespace

/// Larger worlds are proved for root 0 where none is named.
static constexpr uint32_t maxEveryRoot = 16;

static const char *const description =
    "Proves a schedule for several numbers of ranks: that the result is right, "
    "that all messages\nmatch, and that no run deadlocks, races, or writes an "
    "output twice or never. Then\nproves the kernels that it is lowered to, "
    "by the default protocol and, on up to 16 ranks,\nby ll and sentinel. "
    "Prints a line per number of ranks; stops at the first that cannot be\n"
    "proved, with the place in the file and a counter-example.";

static const char *const examples =
    "Examples:\n"
    "  rcclx verify examples/schedules/all_reduce_two_shot.mlir --ranks 2..64\n"
    "  rcclx verify my.mlir --ranks 3,5,8..10 --slots 1\n\n";

static Status verify(const VerifyArguments &arguments) {
  RCCLX_ASSIGN_OR_RETURN(std::vector<uint32_t> worlds,
                         parseRanks(arguments.ranks));
  RCCLX_ASSIGN_OR_RETURN(std::string text, readSchedule(arguments.schedule));
  RCCLX_ASSIGN_OR_RETURN(const Options *options, processOptions());
  CompilerLibrary compiler = CompilerLibrary::find(*options);
  for (uint32_t world : worlds) {
    std::optional<uint32_t> root = arguments.root;
    if (!root && world > maxEveryRoot)
      root = 0;
    RCCLX_ASSIGN_OR_RETURN(
        ProofResult proof,
        compiler.verify(text, arguments.schedule, arguments.symbol, world,
                        arguments.slots, root, arguments.permutation,
                        arguments.scheduleOnly));
    std::string roots, kernels;
    if (proof.roots != 0)
      roots = root ? fmt::format(", root {}", *root) : ", every root";
    if (proof.kernels != 0)
      kernels = fmt::format("; {} lowered form{}, {:.1f} ms", proof.kernels,
                            proof.kernels == 1 ? "" : "s",
                            double(proof.kernelMicroseconds) * 1e-3);
    std::string line = fmt::format(
        "{:>4} rank{}  proved  {} operations, {} messages, at least {} "
        "slot{}, {:.1f} ms{}{}\n",
        world, world == 1 ? ", " : "s,", proof.operations, proof.messages,
        proof.leastSlots, proof.leastSlots == 1 ? "" : "s",
        double(proof.microseconds) * 1e-3, roots, kernels);
    fputs(line.c_str(), stdout);
    RCCLX_RETURN_IF_ERROR(flushOutput());
    if (!proof.notLowered.empty())
      fmt::print(stderr,
                 "{}\nnote: the schedule is proved for {} ranks, but "
                 "not lowered\n",
                 proof.notLowered, world);
  }
  return Status();
}

void addVerifyCommand(CLI::App &app, int &exitStatus) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App *command = app.add_subcommand("verify", description);
  command->group(groupSchedules);
  command->footer(std::string(examples) + exitStatusHelp);
  addScheduleArgument(*command, arguments->schedule)->required();
  command
      ->add_option("--ranks", arguments->ranks,
                   "Numbers of ranks: 8, 2..64, or a list [2..16]")
      ->type_name(typeRanks);
  addUnsigned(*command, "--slots", arguments->slots,
              "Messages that may be under way per pair of ranks; more wait for "
              "the reader [2]");
  addSymbolOption(*command, arguments->symbol);
  command
      ->add_option_function<std::string>(
          "--root",
          [arguments](const std::string &given) {
            arguments->root =
                uint32_t(parseUnsigned("--root", given, RCCLX_MAX_WORLD - 1));
          },
          "Root of a broadcast, reduce, gather or scatter [each rank in turn, "
          "of up to 16 ranks; else 0]")
      ->type_name(typeUnsigned);
  addPermutationOption(*command, arguments->permutation);
  command->add_flag("--schedule-only", arguments->scheduleOnly,
                    "Do not lower the schedule and prove its kernels");
  command->callback([arguments, &exitStatus] {
    Status status = verify(*arguments);
    exitStatus = status.isOk() ? exitOk : printError(status);
  });
}

} // namespace rcclx::tool
