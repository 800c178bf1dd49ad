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
void addBenchCommand(CLI::App &app, int &exitStatus);
/// The hidden command that a process of `rcclx bench` runs.
void addBenchRankCommand(CLI::App &app, int &exitStatus);
void addVerifyCommand(CLI::App &app, int &exitStatus);
void addCompileCommand(CLI::App &app, int &exitStatus);
void addInspectCommand(CLI::App &app, int &exitStatus);
void addEnvCommand(CLI::App &app, int &exitStatus);
void addCompletionCommand(CLI::App &app, int &exitStatus);

/// What `rcclx --version` prints: also the compiler's, which is loaded for it.
std::string versionText();

// Headings of the list of commands.
inline constexpr char groupSchedules[] = "Schedules and plans";
inline constexpr char groupInstallation[] = "This installation";

/// What the help texts say of these.
inline constexpr char exitStatusHelp[] =
    "Exit status: 0 success; 1 a wrong result, or a rank failed or was late; 2 "
    "everything\nthat the user can correct: bad input (a missing file, a "
    "syntax error, a schedule that\nis not proved, an impossible option), or a "
    "machine that refuses (no compiler, limits,\nmemory, a cache of another "
    "user).\n";

/// Writes `text` to stderr. There is nobody to tell when that fails.
void writeError(std::string_view text);

/// Writes "rcclx: error: ", the formatted message and a newline to stderr.
template <typename... Args>
void complain(fmt::format_string<Args...> format, Args &&...args) {
  writeError("rcclx: error: " +
             fmt::format(format, std::forward<Args>(args)...) + "\n");
}

/// Writes what stdout still buffers. System when any output was lost.
runtime::Status flushOutput();

/// Writes the one message of a failed command to stderr and returns its exit
/// status: exitWrong where a run failed, exitBadInput for everything that the
/// user can correct.
int printError(const runtime::Status &status);
/// That exit status alone.
int exitStatusOf(const runtime::Status &status);

/// Reads a schedule. InvalidArgument, naming the path, when it cannot be read.
runtime::Expected<std::string> readSchedule(const std::string &path);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_COMMANDS_H
