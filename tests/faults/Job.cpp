//===- Job.cpp - The ranks of a job as processes --------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Job.h"

#include "rcclx/Runtime/Launcher.h"
#include "rcclx/rcclx.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rcclx::faults {

static std::vector<char *> pointers(std::vector<std::string> &strings) {
  std::vector<char *> result;
  for (std::string &text : strings)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Whether a launcher of this very test may have set it.
static bool isOfALauncher(std::string_view entry) {
  std::string_view name = entry.substr(0, entry.find('='));
  return std::ranges::find(runtime::launcherVariables(), name) !=
         runtime::launcherVariables().end();
}

Child::Child(std::vector<std::string> command,
             std::vector<std::string> environment) {
  for (char **entry = environ; *entry; ++entry)
    if (!isOfALauncher(*entry))
      environment.push_back(*entry);
  int in[2], out[2];
  EXPECT_EQ(pipe2(in, O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, out[1], 2);
  EXPECT_EQ(posix_spawnp(&id, command[0].c_str(), &actions, nullptr,
                         pointers(command).data(),
                         pointers(environment).data()),
            0);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  input.reset(in[1]);
  output.reset(out[0]);
}

Child::~Child() {
  if (id > 0 && state == -1) {
    kill(id, SIGKILL);
    waitpid(id, &state, 0);
  }
}

/// False at the end of the output, and when the time is over.
bool Child::readSome(std::chrono::steady_clock::time_point end) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(
      end - std::chrono::steady_clock::now());
  pollfd entry = {output.get(), POLLIN, 0};
  if (poll(&entry, 1, int(std::max<int64_t>(left.count(), 0))) != 1)
    return false;
  char buffer[4096];
  ssize_t got = read(output.get(), buffer, sizeof(buffer));
  if (got > 0)
    text.append(buffer, size_t(got));
  return got > 0;
}

bool Child::waitUntil(std::chrono::steady_clock::time_point end) {
  while (readSome(end)) {
  }
  // Its output has ended, and so will it; or it is late.
  while (state == -1) {
    if (waitpid(id, &state, WNOHANG) == id)
      break;
    state = -1;
    if (std::chrono::steady_clock::now() > end + Seconds(1))
      return false;
    usleep(500);
  }
  return true;
}

bool Child::waitFor(const std::string &line, Seconds limit) {
  auto end = std::chrono::steady_clock::now() + limit;
  while (!said(line))
    if (!readSome(end))
      return said(line);
  return true;
}

bool Child::killed() const { return state != -1 && WIFSIGNALED(state); }
int Child::status() const {
  return state != -1 && WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

std::string Child::line(const std::string &begin) const {
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, begin.size(), begin) == 0)
      return text.substr(at, end - at);
    at = end + 1;
  }
  return "";
}

std::string newId() {
  rcclx_unique_id id;
  EXPECT_EQ(rcclx_unique_id_create(&id), RCCLX_OK);
  std::string text;
  for (unsigned char byte : id.bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

} // namespace rcclx::faults
