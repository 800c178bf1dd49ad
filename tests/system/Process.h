//===- Process.h - Programs that a test starts ------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_SYSTEM_PROCESS_H
#define RCCLX_TESTS_SYSTEM_PROCESS_H

#include "RuntimeTesting.h"

#include <sys/types.h>
#include <vector>

namespace rcclx::testing {

/// One run of the rcclx command, with its output in files.
class Process {
public:
  /// Starts `rcclx ARGUMENTS`. `environment` (NAME=VALUE) replaces all RCCLX_*
  /// variables of this process. A shell runs `script` if there is one: it
  /// starts the command as `exec "$0" "$@"`.
  Process(std::vector<std::string> arguments,
          std::vector<std::string> environment, const std::string &script = "");
  /// Kills it if it still runs.
  ~Process();

  /// Waits; the exit status, or 128 + signal, or -1 when it has not ended after
  /// a minute.
  int wait();
  pid_t pid() const { return id; }
  /// Processes that it has started and that run, in their order.
  std::vector<pid_t> children() const;
  std::string output() const { return read("out"); }
  std::string errors() const { return read("err"); }

private:
  std::string read(const std::string &file) const;

  runtime::testing::Scratch scratch;
  pid_t id = -1;
  int status = -1;
};

/// Whether process `id` exists and is no zombie.
bool isRunning(pid_t id);

} // namespace rcclx::testing

#endif // RCCLX_TESTS_SYSTEM_PROCESS_H
