//===- Job.h - The ranks of a job as processes ------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_FAULTS_JOB_H
#define RCCLX_TESTS_FAULTS_JOB_H

#include "RuntimeTesting.h"

#include "rcclx/Runtime/UniqueHandle.h"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace rcclx::faults {

using Seconds = std::chrono::seconds;

/// One process, with its output.
class Child {
public:
  /// Starts `command`; `environment` (NAME=VALUE) comes on top of this
  /// process's, without what launchers have set there.
  Child(std::vector<std::string> command, std::vector<std::string> environment);
  Child(Child &&other) noexcept
      : id(std::exchange(other.id, -1)), input(std::move(other.input)),
        output(std::move(other.output)), text(std::move(other.text)),
        state(other.state) {}
  ~Child();

  /// Reads until it has ended; false when it has not by then.
  bool waitUntil(std::chrono::steady_clock::time_point end);
  bool wait(Seconds limit = Seconds(60)) {
    return waitUntil(std::chrono::steady_clock::now() + limit);
  }
  /// Reads until `line` came; false when the process ends before.
  bool waitFor(const std::string &line, Seconds limit = Seconds(60));
  void closeInput() { input.reset(); }

  bool killed() const;
  /// The exit status, or -1.
  int status() const;
  bool said(const std::string &line) const {
    return text.find(line) != std::string::npos;
  }
  /// The line that begins so; "" where there is none.
  std::string line(const std::string &begin) const;
  const std::string &all() const { return text; }
  pid_t pid() const { return id; }

private:
  bool readSome(std::chrono::steady_clock::time_point end);

  pid_t id = -1;
  runtime::UniqueFd input, output; // this end of its stdin and stdout
  std::string text;
  int state = -1;
};

/// A new unique id in hex.
std::string newId();

} // namespace rcclx::faults

#endif // RCCLX_TESTS_FAULTS_JOB_H
