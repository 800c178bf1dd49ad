//===- Processes.cpp - One process per rank -------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Processes.h"

#include "Commands.h"
#include "rcclx/Runtime/UniqueHandle.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace rcclx::tool {

using namespace runtime;

// Where a rank finds its job and leaves its result.
static constexpr int jobFd = 3;
static constexpr int resultFd = 4;

static std::string encodeJob(const RunOptions &options,
                             const rcclx_unique_id &id, uint32_t rank) {
  nlohmann::json job = {
      {"id", std::vector<unsigned char>(id.bytes, id.bytes + 128)},
      {"rank", rank},
      {"name", options.scheduleName},
      {"symbol", options.symbol},
      {"ranks", options.ranks},
      {"count", options.count},
      {"element", int(options.element)},
      {"reduction", int(options.reduction)},
      {"protocol", options.protocol},
      {"device", options.device},
      {"cache", options.cacheDir},
      {"timeout", options.timeoutMs},
      {"seed", options.seed},
      {"offset", options.offset},
      {"iterations", options.iterations},
      {"inPlace", options.inPlace},
      {"special", options.special}};
  std::string head =
      job.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  // The schedule follows as it is: its bytes need not be UTF-8.
  return head + '\n' + options.schedule;
}

static bool decodeJob(const std::string &text, RunOptions &options,
                      rcclx_unique_id &id, uint32_t &rank) {
  size_t line = text.find('\n');
  if (line == std::string::npos)
    return false;
  try {
    nlohmann::json job = nlohmann::json::parse(text.substr(0, line));
    std::vector<unsigned char> bytes = job.at("id");
    if (bytes.size() != sizeof(id.bytes))
      return false;
    memcpy(id.bytes, bytes.data(), bytes.size());
    rank = job.at("rank");
    options.scheduleName = job.at("name");
    options.symbol = job.at("symbol");
    options.ranks = job.at("ranks");
    options.count = job.at("count");
    options.element = Element(int(job.at("element")));
    options.reduction = Reduction(int(job.at("reduction")));
    options.protocol = job.at("protocol");
    options.device = job.at("device");
    options.cacheDir = job.at("cache");
    options.timeoutMs = job.at("timeout");
    options.seed = job.at("seed");
    options.offset = job.at("offset");
    options.iterations = job.at("iterations");
    options.inPlace = job.at("inPlace");
    options.special = job.at("special");
  } catch (const nlohmann::json::exception &) {
    return false;
  }
  options.schedule = text.substr(line + 1);
  return true;
}

static std::string readToEnd(int fd) {
  std::string text;
  char buffer[65536];
  while (true) {
    ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return text;
    text.append(buffer, size_t(got));
  }
}

static void writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t put = write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return; // the reader is gone
    text.remove_prefix(size_t(put));
  }
}

namespace {
struct Child {
  pid_t pid = 0;
  UniqueFd result;
};
} // namespace

/// Starts one rank. The job lies in a memfd: no pipe can fill up.
static Expected<Child> startRank(const std::string &job) {
  UniqueFd jobFile(memfd_create("rcclx-job", MFD_CLOEXEC));
  int ends[2];
  if (!jobFile || pipe2(ends, O_CLOEXEC) != 0)
    return systemError(errno, "a rank's files");
  Child child;
  child.result.reset(ends[0]);
  UniqueFd writeEnd(ends[1]);
  writeAll(jobFile.get(), job);
  lseek(jobFile.get(), 0, SEEK_SET);
  // Above the numbers that the child uses, so that no dup2 hits the other.
  UniqueFd jobCopy(fcntl(jobFile.get(), F_DUPFD_CLOEXEC, 16));
  UniqueFd writeCopy(fcntl(writeEnd.get(), F_DUPFD_CLOEXEC, 16));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, jobCopy.get(), jobFd);
  posix_spawn_file_actions_adddup2(&actions, writeCopy.get(), resultFd);
  std::string parent = std::to_string(getpid());
  const char *argv[] = {"rcclx", "rank", parent.c_str(), nullptr};
  int failed = posix_spawn(&child.pid, "/proc/self/exe", &actions, nullptr,
                           const_cast<char *const *>(argv), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    return systemError(failed, "a rank's process");
  return child;
}

/// The result of a rank whose process has ended.
static RankResult collect(Child &child, uint32_t rank) {
  std::string text = readToEnd(child.result.get());
  int state = 0;
  while (waitpid(child.pid, &state, 0) < 0 && errno == EINTR) {
  }
  Expected<RankResult> result = RankResult::fromJson(text);
  if (result)
    return *std::move(result);
  RankResult lost;
  lost.status =
      WIFSIGNALED(state)
          ? makeError(Code::Remote,
                      "rank {} (process {}) was killed by signal "
                      "{} ({})",
                      rank, child.pid, WTERMSIG(state),
                      sigabbrev_np(WTERMSIG(state)))
          : makeError(Code::Remote, "rank {} (process {}) ended with status {}",
                      rank, child.pid, WEXITSTATUS(state));
  return lost;
}

Expected<std::vector<RankResult>> runProcesses(const RunOptions &options,
                                               const rcclx_unique_id &id) {
  std::vector<Child> children;
  Status failed;
  for (uint32_t rank = 0; rank != options.ranks && failed.isOk(); ++rank) {
    Expected<Child> child = startRank(encodeJob(options, id, rank));
    if (child)
      children.push_back(*std::move(child));
    else
      failed = child.status();
  }
  if (!failed.isOk())
    for (Child &child : children)
      kill(child.pid, SIGKILL); // they would wait for the missing ranks
  std::vector<RankResult> results;
  for (uint32_t rank = 0; rank != children.size(); ++rank)
    results.push_back(collect(children[rank], rank));
  RCCLX_RETURN_IF_ERROR(failed);
  return results;
}

Expected<std::vector<RankResult>> runThreads(const RunOptions &options,
                                             const rcclx_unique_id &id) {
  std::vector<RankResult> results(options.ranks);
  std::vector<std::thread> threads;
  WorkloadCache workloads;
  Status failed;
  for (uint32_t rank = 0; rank != options.ranks; ++rank) {
    try {
      threads.emplace_back([&, rank] {
        try {
          results[rank] = runRank(options, id, rank, workloads);
        } catch (const std::bad_alloc &) {
          results[rank].status = Status(Code::System, "out of memory");
        }
      });
    } catch (const std::system_error &error) {
      failed = systemError(error.code().value(), "a rank's thread");
      break; // those that run end at their deadline
    }
  }
  for (std::thread &thread : threads)
    thread.join();
  RCCLX_RETURN_IF_ERROR(failed);
  return results;
}

void addRankCommand(CLI::App &app, int &exitStatus) {
  auto *command = app.add_subcommand("rank")->group(""); // hidden
  auto parent = std::make_shared<pid_t>(0);
  command->add_option("parent", *parent)->required();
  command->callback([parent, &exitStatus] {
    // Asked for after the start, so the parent may be gone already.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    RunOptions options;
    rcclx_unique_id id;
    uint32_t rank;
    if (getppid() != *parent ||
        !decodeJob(readToEnd(jobFd), options, id, rank)) {
      fmt::print(stderr, "rcclx: error: \"rank\" is for `rcclx run --procs`\n");
      exitStatus = exitBadInput;
      return;
    }
    fcntl(resultFd, F_SETFD, FD_CLOEXEC);
    WorkloadCache workloads;
    RankResult result;
    try {
      result = runRank(options, id, rank, workloads);
    } catch (const std::bad_alloc &) {
      result.status = Status(Code::System, "out of memory");
    }
    writeAll(resultFd, result.toJson());
  });
}

} // namespace rcclx::tool
