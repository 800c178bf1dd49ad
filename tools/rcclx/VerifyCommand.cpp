//===- VerifyCommand.cpp - rcclx verify -----------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Commands.h"

#include "rcclx/Runtime/CompilerLibrary.h"
#include "rcclx_params.h"

#include <charconv>
#include <cstdio>
#include <vector>

namespace rcclx::tool {

using namespace runtime;

namespace {
struct VerifyArguments {
  std::string schedule;
  std::string ranks = "2..16";
  std::string symbol;
  uint32_t slots = 0;
};
} // namespace

static const char *const description =
    "Proves a schedule for several numbers of ranks: that the result is right, "
    "that all messages\nmatch, and that no run deadlocks, races, or writes an "
    "output twice or never. Prints a line\nper number of ranks; stops at the "
    "first that cannot be proved, with the place in the file\nand a "
    "counter-example.";

static const char *const examples =
    "Examples:\n"
    "  rcclx verify examples/schedules/all_reduce_two_shot.mlir --ranks 2..64\n"
    "  rcclx verify my.mlir --ranks 3,5,8..10 --slots 1\n\n";

/// "8", "2..64", or several of these with commas between.
static Expected<std::vector<uint32_t>> parseRanks(const std::string &text) {
  Status bad = makeError(Code::InvalidArgument,
                         "--ranks {}: not a list of numbers from 1 to {}, such "
                         "as 8 or 2..64",
                         text, RCCLX_MAX_WORLD);
  std::vector<uint32_t> worlds;
  std::string_view left = text;
  auto number = [&](uint32_t &out) {
    auto [rest, error] =
        std::from_chars(left.data(), left.data() + left.size(), out);
    if (error != std::errc() || out < 1 || out > RCCLX_MAX_WORLD)
      return false;
    left.remove_prefix(size_t(rest - left.data()));
    return true;
  };
  while (true) {
    uint32_t first, last;
    if (!number(first))
      return bad;
    last = first;
    if (left.starts_with("..")) {
      left.remove_prefix(2);
      if (!number(last) || last < first)
        return bad;
    }
    for (uint32_t world = first; world <= last; ++world)
      worlds.push_back(world);
    if (left.empty())
      return worlds;
    if (left[0] != ',')
      return bad;
    left.remove_prefix(1);
  }
}

static Status verify(const VerifyArguments &arguments) {
  RCCLX_ASSIGN_OR_RETURN(std::vector<uint32_t> worlds,
                         parseRanks(arguments.ranks));
  RCCLX_ASSIGN_OR_RETURN(std::string text, readSchedule(arguments.schedule));
  RCCLX_ASSIGN_OR_RETURN(const Options *options, processOptions());
  CompilerLibrary compiler = CompilerLibrary::find(*options);
  for (uint32_t world : worlds) {
    RCCLX_ASSIGN_OR_RETURN(ProofResult proof,
                           compiler.verify(text, arguments.schedule,
                                           arguments.symbol, world,
                                           arguments.slots));
    std::string line = fmt::format(
        "{:>4} rank{}  proved  {} operations, {} messages, at least {} "
        "slot{}, {:.1f} ms\n",
        world, world == 1 ? ", " : "s,", proof.operations, proof.messages,
        proof.leastSlots, proof.leastSlots == 1 ? "" : "s",
        double(proof.microseconds) * 1e-3);
    fputs(line.c_str(), stdout);
    RCCLX_RETURN_IF_ERROR(flushOutput());
  }
  return Status();
}

void addVerifyCommand(CLI::App &app, int &exitStatus) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App *command = app.add_subcommand("verify", description);
  command->footer(std::string(examples) + exitStatusHelp);
  command->add_option("schedule", arguments->schedule, "The .mlir file")
      ->required()
      ->type_name("SCHEDULE");
  command->add_option("--ranks", arguments->ranks,
                      "Numbers of ranks: 8, 2..64, or a list [2..16]");
  addUnsigned(*command, "--slots", arguments->slots,
              "Messages that may be under way per pair of ranks; more wait for "
              "the reader [2]");
  command->add_option("--symbol", arguments->symbol,
                      "Which collective, where the file has several");
  command->callback([arguments, &exitStatus] {
    Status status = verify(*arguments);
    exitStatus = status.isOk() ? exitOk : printError(status);
  });
}

} // namespace rcclx::tool
