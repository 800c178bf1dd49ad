//===- Process.cpp - Programs that a test starts --------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Process.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace rcclx::testing {

static std::vector<char *> pointers(std::vector<std::string> &strings) {
  std::vector<char *> result;
  for (std::string &text : strings)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

Process::Process(std::vector<std::string> arguments,
                 std::vector<std::string> environment,
                 const std::string &script) {
  const char *program = RCCLX_TOOL;
  if (script.empty()) {
    arguments.insert(arguments.begin(), "rcclx");
  } else {
    program = "/bin/sh";
    arguments.insert(arguments.begin(), {"sh", "-c", script, RCCLX_TOOL});
  }
  for (char **entry = environ; *entry; ++entry)
    if (!std::string_view(*entry).starts_with("RCCLX_"))
      environment.push_back(*entry);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, (scratch / "out").c_str(),
                                   O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, (scratch / "err").c_str(),
                                   O_WRONLY | O_CREAT, 0600);
  int failed =
      posix_spawn(&id, program, &actions, nullptr, pointers(arguments).data(),
                  pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(failed, 0);
}

Process::~Process() {
  if (status == -1 && id > 0) {
    kill(id, SIGKILL);
    waitpid(id, &status, 0);
  }
}

int Process::wait() {
  auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  int state;
  while (waitpid(id, &state, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end)
      return -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  status = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
  return status;
}

std::vector<pid_t> Process::children() const {
  std::ifstream list(fmt::format("/proc/{0}/task/{0}/children", id));
  std::vector<pid_t> result;
  for (pid_t child; list >> child;)
    if (isRunning(child))
      result.push_back(child);
  std::sort(result.begin(), result.end());
  return result;
}

std::string Process::read(const std::string &file) const {
  std::ifstream in(scratch / file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

bool isRunning(pid_t id) {
  std::ifstream stat(fmt::format("/proc/{}/stat", id));
  std::string text;
  std::getline(stat, text);
  size_t name = text.rfind(')');
  return name != std::string::npos && text.size() > name + 2 &&
         text[name + 2] != 'Z' && text[name + 2] != 'X';
}

} // namespace rcclx::testing
