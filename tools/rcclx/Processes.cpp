//===- Processes.cpp - One process per rank -------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Processes.h"

#include "Commands.h"
#include "WriteAll.h"
#include "rcclx/Runtime/Options.h"
#include "rcclx/Runtime/UniqueHandle.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
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
      {"plan", options.plan},
      {"ranks", options.ranks},
      {"count", options.count},
      {"element", int(options.element)},
      {"reduction", int(options.reduction)},
      {"protocol", options.protocol},
      {"root", options.root},
      {"permutation", options.permutation},
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
    options.plan = job.at("plan");
    options.ranks = job.at("ranks");
    options.count = job.at("count");
    options.element = Element(int(job.at("element")));
    options.reduction = Reduction(int(job.at("reduction")));
    options.protocol = job.at("protocol");
    options.root = job.at("root");
    options.permutation = job.at("permutation").get<std::vector<uint32_t>>();
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

namespace {
struct Child {
  pid_t pid = 0;
  UniqueFd result;    // until its other end is closed
  std::string report; // what was read of it
  bool overdue = false;
};
} // namespace

/// A copy of `fd` above the numbers that the child uses, so that no dup2 there
/// hits the other file.
static UniqueFd copyAbove(int fd) {
  UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, std::max(jobFd, resultFd) + 1));
  if (!copy && errno == EINVAL)
    errno = EMFILE; // the limit is below the least number that was asked for
  return copy;
}

/// Starts one rank. The job lies in a memfd: no pipe can fill up.
static Expected<Child> startRank(const std::string &job) {
  auto failed = [](int errnum) {
    return systemError(errnum, "a rank's files");
  };
  UniqueFd jobFile(memfd_create("rcclx-job", MFD_CLOEXEC));
  int ends[2];
  if (!jobFile || pipe2(ends, O_CLOEXEC) != 0)
    return failed(errno);
  Child child;
  child.result.reset(ends[0]);
  UniqueFd writeEnd(ends[1]);
  if (!writeAll(jobFile.get(), job) || lseek(jobFile.get(), 0, SEEK_SET) != 0)
    return failed(errno);
  UniqueFd jobCopy = copyAbove(jobFile.get());
  if (!jobCopy)
    return failed(errno);
  UniqueFd writeCopy = copyAbove(writeEnd.get());
  if (!writeCopy)
    return failed(errno);
  posix_spawn_file_actions_t actions;
  if (int errnum = posix_spawn_file_actions_init(&actions))
    return failed(errnum);
  int errnum = posix_spawn_file_actions_adddup2(&actions, jobCopy.get(), jobFd);
  if (errnum == 0)
    errnum =
        posix_spawn_file_actions_adddup2(&actions, writeCopy.get(), resultFd);
  std::string parent = std::to_string(getpid());
  const char *argv[] = {"rcclx", "rank", parent.c_str(), nullptr};
  if (errnum == 0)
    errnum = posix_spawn(&child.pid, "/proc/self/exe", &actions, nullptr,
                         const_cast<char *const *>(argv), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (errnum != 0)
    return systemError(errnum, "a rank's process");
  return child;
}

/// The result of a rank that has closed its pipe: its process ends.
static RankResult resultOf(const Child &child, uint32_t rank) {
  int state = 0;
  while (waitpid(child.pid, &state, 0) < 0 && errno == EINTR) {
  }
  Expected<RankResult> reported = RankResult::fromJson(child.report);
  bool exitedWell = WIFEXITED(state) && WEXITSTATUS(state) == 0;
  // An error that it still could report says more than how it ended.
  if (reported && (exitedWell || !reported->status.isOk()))
    return *std::move(reported);
  RankResult lost;
  lost.ending = Ending::Died;
  const char *when = reported ? " after it had reported its result" : "";
  lost.status =
      WIFSIGNALED(state)
          ? makeError(Code::Remote,
                      "rank {} (process {}) was killed by signal {} ({}){}",
                      rank, child.pid, WTERMSIG(state),
                      sigabbrev_np(WTERMSIG(state)), when)
          : makeError(Code::Remote,
                      "rank {} (process {}) ended with status {}{}", rank,
                      child.pid, WEXITSTATUS(state), when);
  return lost;
}

namespace {
/// Waits for all ranks together. Ranks end by themselves, at their own
/// deadlines; one that is stopped, or hangs outside the runtime, does not. So
/// the first failure sets a deadline for all others.
class Collector {
public:
  Collector(std::vector<Child> &children, uint64_t graceMs)
      : children(children), graceMs(graceMs), results(children.size()) {}

  std::vector<RankResult> collect() {
    while (true) {
      std::vector<pollfd> files;
      std::vector<uint32_t> ranks;
      for (uint32_t rank = 0; rank != children.size(); ++rank)
        if (children[rank].result) {
          files.push_back({children[rank].result.get(), POLLIN, 0});
          ranks.push_back(rank);
        }
      if (files.empty())
        return std::move(results);
      if (poll(files.data(), files.size(), millisecondsLeft()) == 0)
        killOverdue();
      for (size_t i = 0; i != files.size(); ++i)
        if (files[i].revents != 0)
          readSome(ranks[i]);
    }
  }

private:
  using Clock = std::chrono::steady_clock;

  /// -1: no deadline.
  int millisecondsLeft() const {
    if (!deadline)
      return -1;
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
    return int(std::max<int64_t>(left.count(), 0));
  }

  void readSome(uint32_t rank) {
    Child &child = children[rank];
    char buffer[65536];
    ssize_t got = read(child.result.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR)
      return;
    if (got > 0) {
      child.report.append(buffer, size_t(got));
      return;
    }
    child.result.reset();
    results[rank] = resultOf(child, rank);
    if (child.overdue && results[rank].ending == Ending::Died) {
      results[rank].ending = Ending::Overdue;
      results[rank].status =
          makeError(Code::Timeout,
                    "rank {} (process {}) did not end within {} ms after rank "
                    "{} failed; killed",
                    rank, child.pid, graceMs, firstFailed);
    } else if (!results[rank].status.isOk() && !failed) {
      failed = true;
      firstFailed = rank;
      deadline = Clock::now() + std::chrono::milliseconds(graceMs);
    }
  }

  void killOverdue() {
    for (Child &child : children)
      if (child.result) {
        child.overdue = true;
        kill(child.pid, SIGKILL);
      }
    deadline.reset(); // their pipes close now
  }

  std::vector<Child> &children;
  const uint64_t graceMs;
  std::vector<RankResult> results;
  std::optional<Clock::time_point> deadline;
  bool failed = false;
  uint32_t firstFailed = 0;
};
} // namespace

Expected<std::vector<RankResult>> runProcesses(const RunOptions &options,
                                               const rcclx_unique_id &id) {
  // A rank's own deadlines run from its last progress; what it does between
  // them (checks, clean-up) is given these seconds.
  constexpr uint64_t slackMs = 10'000;
  uint64_t timeoutMs = options.timeoutMs;
  if (timeoutMs == 0) {
    RCCLX_ASSIGN_OR_RETURN(const Options *settings, processOptions());
    timeoutMs = settings->timeoutMs.value;
  }
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
  std::vector<RankResult> results =
      Collector(children, std::min(timeoutMs, maxTimeoutMs) + slackMs)
          .collect();
  RCCLX_RETURN_IF_ERROR(failed);
  return results;
}

/// As runRank, where memory may run out.
static RankResult runWithinMemory(const RunOptions &options,
                                  const rcclx_unique_id &id, uint32_t rank,
                                  WorkloadCache &workloads) {
  try {
    return runRank(options, &id, rank, workloads);
  } catch (const std::bad_alloc &) {
  } catch (const std::length_error &) { // of a container
  }
  RankResult result;
  result.status = Status(Code::System, "out of memory");
  return result;
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
        results[rank] = runWithinMemory(options, id, rank, workloads);
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
    // The parent has said what is unknown in the environment.
    (void)processOptions(/*warns=*/false);
    RunOptions options;
    rcclx_unique_id id;
    uint32_t rank;
    if (getppid() != *parent ||
        !decodeJob(readToEnd(jobFd), options, id, rank)) {
      complain("\"rank\" is for `rcclx run --procs`");
      exitStatus = exitBadInput;
      return;
    }
    fcntl(resultFd, F_SETFD, FD_CLOEXEC);
    WorkloadCache workloads;
    RankResult result = runWithinMemory(options, id, rank, workloads);
    if (!writeAll(resultFd, result.toJson()))
      exitStatus = exitWrong; // the parent sees that the report is missing
  });
}

} // namespace rcclx::tool
