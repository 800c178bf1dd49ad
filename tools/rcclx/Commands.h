//===- Commands.h - The subcommands of rcclx --------------------*- C++ -*-===//
//
// Part of rcclx. One file per subcommand: it adds its options to the parser and
// a callback that stores its exit status.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_COMMANDS_H
#define RCCLX_TOOLS_RCCLX_COMMANDS_H

#include "rcclx/Runtime/Status.h"

#include <CLI/CLI.hpp>

namespace rcclx::tool {

enum ExitStatus { exitOk = 0, exitWrong = 1, exitBadInput = 2 };

void addRunCommand(CLI::App &app, int &exitStatus);
/// The hidden command that a process of `rcclx run --procs` runs.
void addRankCommand(CLI::App &app, int &exitStatus);
void addVerifyCommand(CLI::App &app, int &exitStatus);

/// Writes the one message of a failed command to stderr and returns its exit
/// status: exitWrong where a run failed, exitBadInput for everything that the
/// user can correct.
int printError(const runtime::Status &status);

/// Reads a schedule. InvalidArgument, naming the path, when it cannot be read.
runtime::Expected<std::string> readSchedule(const std::string &path);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_COMMANDS_H
