//===- main.cpp - The rcclx command ---------------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Commands.h"

#include "rcclx/Runtime/Options.h"
#include "rcclx/Runtime/UniqueHandle.h"
#include "rcclx/rcclx.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>

using namespace rcclx::runtime;

int rcclx::tool::printError(const Status &status) {
  // The compiler's diagnostics say file, line and "error:" themselves.
  const char *prefix = status.code() == Code::Schedule ? "" : "rcclx: error: ";
  fmt::print(stderr, "{}{}\n", prefix, status.message());
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

static std::string environmentHelp() {
  std::string text = "Environment:\n";
  for (const OptionDoc &option : optionDocs())
    text += fmt::format("  {:<24} {}\n", option.variable, option.documentation);
  text += "\nExit status: 0 success; 1 a wrong result, or a rank failed; 2 bad "
          "input.\n";
  return text;
}

int main(int argc, char **argv) {
  CLI::App app(
      "rcclx: a compiler and runtime for GPU collectives. A collective "
      "is a short .mlir file;\nrcclx proves it, compiles it to one "
      "kernel, and runs it.",
      "rcclx");
  app.set_version_flag("--version",
                       fmt::format("rcclx {}.{}.{}", RCCLX_VERSION_MAJOR,
                                   RCCLX_VERSION_MINOR, RCCLX_VERSION_PATCH));
  app.require_subcommand(1);
  app.footer(environmentHelp());
  int exitStatus = rcclx::tool::exitOk;
  rcclx::tool::addRunCommand(app, exitStatus);
  rcclx::tool::addRankCommand(app, exitStatus);
  rcclx::tool::addVerifyCommand(app, exitStatus);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    // CLI11 misses the subcommand before it sees the word that is none.
    if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-')
      fmt::print(stderr,
                 "rcclx: error: unknown command \"{}\"; known are run and "
                 "verify\n",
                 argv[1]);
    else
      fmt::print(stderr, "rcclx: error: {}\n", error.what());
    return rcclx::tool::exitBadInput;
  } catch (const std::bad_alloc &) {
    fmt::print(stderr, "rcclx: error: out of memory\n");
    return rcclx::tool::exitBadInput;
  }
  return exitStatus;
}
