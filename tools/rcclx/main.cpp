//===- main.cpp - The rcclx command ---------------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Commands.h"

#include "rcclx/Runtime/UniqueHandle.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <new>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

using namespace rcclx::runtime;

void rcclx::tool::writeError(std::string_view text) {
  while (!text.empty()) {
    ssize_t put = write(STDERR_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return;
    text.remove_prefix(size_t(put));
  }
}

Status rcclx::tool::flushOutput() {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout))
    return Status();
  return systemError(errno ? errno : EIO, "standard output");
}

int rcclx::tool::printError(const Status &status) {
  // The compiler's diagnostics say file, line and "error:" themselves, and only
  // the latter where no line is at fault.
  std::string_view message = status.message();
  constexpr std::string_view label = "error: ";
  if (message.starts_with(label))
    message.remove_prefix(label.size());
  else if (status.code() == Code::Schedule) {
    writeError(fmt::format("{}\n", message));
    message = {};
  }
  if (!message.empty())
    complain("{}", message);
  return exitStatusOf(status);
}

int rcclx::tool::exitStatusOf(const Status &status) {
  switch (status.code()) {
  case Code::Remote:
  case Code::Timeout:
  case Code::Aborted:
  case Code::Internal:
    return exitWrong;
  default:
    return exitBadInput;
  }
}

Expected<std::string> rcclx::tool::readSchedule(const std::string &path) {
  auto fail = [&](int errnum) -> Status {
    return Status(Code::InvalidArgument, systemError(errnum, path).message());
  };
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info;
  if (!fd || fstat(fd.get(), &info) != 0)
    return fail(errno);
  if (S_ISDIR(info.st_mode))
    return fail(EISDIR);
  std::string text;
  char buffer[65536];
  constexpr size_t limit = 64u << 20;
  while (ssize_t got = read(fd.get(), buffer, sizeof(buffer))) {
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fail(errno);
    text.append(buffer, size_t(got));
    if (text.size() > limit)
      return makeError(Code::InvalidArgument, "{}: above {} bytes", path,
                       limit);
  }
  return text;
}

/// Files that are opened later must not get the numbers of the standard ones:
/// messages would go into them. Writing to what is put there fails, as it would
/// without.
static void occupyStandardFiles() {
  int fd;
  do
    fd = open("/dev/null", O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0)
    close(fd);
}

static std::string commandNames(const CLI::App &app) {
  std::string names;
  for (const CLI::App *command : app.get_subcommands({}))
    if (!command->get_group().empty()) // not hidden
      names += (names.empty() ? "" : ", ") + command->get_name();
  return names;
}

static int outOfMemory() {
  rcclx::tool::writeError("rcclx: error: out of memory\n");
  return rcclx::tool::exitBadInput;
}

int main(int argc, char **argv) {
  occupyStandardFiles();
  CLI::App app(
      "rcclx: a compiler and runtime for GPU collectives. A collective "
      "is a short .mlir file;\nrcclx proves it, compiles it to one "
      "kernel, and runs it.",
      "rcclx");
  app.set_version_flag("--version", rcclx::tool::versionText);
  app.require_subcommand(1);
  app.footer(std::string("`rcclx COMMAND --help` says more of each; `rcclx "
                         "env` lists the environment variables.\n\n") +
             rcclx::tool::exitStatusHelp);
  int exitStatus = rcclx::tool::exitOk;
  rcclx::tool::addRunCommand(app, exitStatus);
  rcclx::tool::addRankCommand(app, exitStatus);
  rcclx::tool::addBenchCommand(app, exitStatus);
  rcclx::tool::addBenchRankCommand(app, exitStatus);
  rcclx::tool::addVerifyCommand(app, exitStatus);
  rcclx::tool::addCompileCommand(app, exitStatus);
  rcclx::tool::addInspectCommand(app, exitStatus);
  rcclx::tool::addEnvCommand(app, exitStatus);
  rcclx::tool::addCompletionCommand(app, exitStatus);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) { // --help, --version
      app.exit(error, std::cout, std::cerr);
      std::cout.flush();
      Status status = rcclx::tool::flushOutput();
      return status.isOk() ? rcclx::tool::exitOk
                           : rcclx::tool::printError(status);
    }
    // CLI11 misses the subcommand before it sees the word that is none.
    if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-')
      rcclx::tool::complain("unknown command \"{}\"; known are {}", argv[1],
                            commandNames(app));
    else
      rcclx::tool::complain("{}", error.what());
    return rcclx::tool::exitBadInput;
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  } catch (const std::length_error &) { // of a container
    return outOfMemory();
  }
  return exitStatus;
}
