//===- BenchJob.cpp - The processes of `rcclx bench` ----------------------===//
//
// Part of rcclx. A launcher passes no descriptors on: ranks open the job's
// files through the parent's /proc entry. They are memory files, so nothing is
// left of them when the parent ends, however it does.
//
//===----------------------------------------------------------------------===//
#include "BenchJob.h"

#include "Clock.h"
#include "Commands.h"
#include "Meeting.h"
#include "RankBench.h"
#include "WriteAll.h"
#include "rcclx/Runtime/UniqueHandle.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sstream>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rcclx::tool {

using namespace runtime;

/// How long ranks may take to end by themselves after one has failed.
static constexpr uint64_t graceNs = 2'000'000'000;
/// Nothing is seen of ranks that connect, compile, or fill large buffers.
static constexpr uint64_t slackMs = 120'000;

static std::string readFrom(int fd, uint64_t offset) {
  std::string text;
  char buffer[65536];
  while (true) {
    ssize_t got =
        pread(fd, buffer, sizeof(buffer), off_t(offset + text.size()));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return text;
    text.append(buffer, size_t(got));
  }
}

namespace {
/// The memory files of a job: what to do, where to meet, what came out.
struct JobFiles {
  UniqueFd job, meeting, results;

  static Expected<JobFiles> create(const BenchOptions &options) {
    JobFiles files;
    files.job.reset(memfd_create("rcclx-bench-job", MFD_CLOEXEC));
    files.meeting.reset(memfd_create("rcclx-bench-meeting", MFD_CLOEXEC));
    files.results.reset(memfd_create("rcclx-bench-results", MFD_CLOEXEC));
    if (!files.job || !files.meeting || !files.results ||
        !writeAll(files.job.get(), options.toJson()))
      return systemError(errno, "the job's memory files");
    RCCLX_RETURN_IF_ERROR(Meeting::create(files.meeting.get(), options.world,
                                          options.arrayBytes));
    return files;
  }
};

/// Ends what still runs at the end of its scope.
class Children {
public:
  ~Children() {
    // A launcher ends its processes when it is asked to end, only.
    signalAll(SIGTERM);
    for (uint64_t start = nowNs(); reap() && nowNs() - start < graceNs;)
      usleep(10'000);
    signalAll(SIGKILL);
    for (pid_t child : running)
      waitpid(child, nullptr, 0);
  }

  Status start(std::vector<std::string> words, int deathSignal) {
    std::vector<char *> argv;
    for (std::string &word : words)
      argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0)
      return systemError(errno, "a process of the bench");
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, deathSignal);
      if (getppid() != parent)
        _exit(exitWrong);
      execvp(argv[0], argv.data());
      complain("{}", systemError(errno, argv[0]).message());
      _exit(127);
    }
    running.push_back(child);
    return Status();
  }

  /// Takes note of those that have ended; false when none is left.
  bool reap() {
    for (size_t i = 0; i != running.size();) {
      int state = 0;
      pid_t ended = waitpid(running[i], &state, WNOHANG);
      if (ended == 0 || (ended < 0 && errno == EINTR)) {
        ++i;
        continue;
      }
      if (ended > 0 && state != 0 && !badEnd)
        badEnd = WIFSIGNALED(state)
                     ? fmt::format("process {} was killed by signal {}", ended,
                                   WTERMSIG(state))
                     : fmt::format("process {} ended with status {}", ended,
                                   WEXITSTATUS(state));
      running.erase(running.begin() + int64_t(i));
    }
    return !running.empty();
  }

  /// How the first one that did not end well did.
  const std::optional<std::string> &firstBadEnd() const { return badEnd; }

private:
  void signalAll(int signal) {
    for (pid_t child : running)
      kill(child, signal);
  }

  std::vector<pid_t> running;
  std::optional<std::string> badEnd;
};

/// Passes on complete lines of the results, each once.
class ResultReader {
public:
  ResultReader(int fd, const std::function<void(const std::string &)> &report)
      : fd(fd), report(report) {}

  void poll() {
    std::string text = readFrom(fd, offset);
    size_t start = 0;
    for (size_t end; (end = text.find('\n', start)) != std::string::npos;
         start = end + 1)
      report(text.substr(start, end - start));
    offset += start;
    lines +=
        size_t(std::count(text.begin(), text.begin() + int64_t(start), '\n'));
  }
  size_t reported() const { return lines; }

private:
  int fd;
  const std::function<void(const std::string &)> &report;
  uint64_t offset = 0;
  size_t lines = 0;
};
} // namespace

static Expected<std::string> ownPath() {
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
  if (length <= 0 || size_t(length) == sizeof(program))
    return systemError(errno, "the path of this program");
  return std::string(program, size_t(length));
}

static Status startRanks(Children &children, const BenchOptions &options,
                         const std::string &launcher, const JobFiles &files) {
  std::vector<std::string> command;
  std::istringstream words(launcher);
  for (std::string word; words >> word;)
    command.push_back(word);
  if (!command.empty())
    command.insert(command.end(), {"-n", std::to_string(options.world)});
  RCCLX_ASSIGN_OR_RETURN(std::string program, ownPath());
  command.insert(command.end(),
                 {program, "bench-rank", std::to_string(getpid()),
                  std::to_string(files.job.get()),
                  std::to_string(files.meeting.get()),
                  std::to_string(files.results.get())});
  // SIGTERM: see ~Children().
  if (command[0] != program)
    return children.start(command, SIGTERM);
  for (uint32_t rank = 0; rank != options.world; ++rank)
    RCCLX_RETURN_IF_ERROR(children.start(command, SIGKILL));
  return Status();
}

Status runBenchJob(const BenchOptions &options, const std::string &launcher,
                   const std::function<void(const std::string &)> &report) {
  RCCLX_ASSIGN_OR_RETURN(JobFiles files, JobFiles::create(options));
  RCCLX_ASSIGN_OR_RETURN(Meeting meeting,
                         Meeting::map(files.meeting.get(), options.world,
                                      options.arrayBytes, options.timeoutMs));
  Children children;
  RCCLX_RETURN_IF_ERROR(startRanks(children, options, launcher, files));

  ResultReader results(files.results.get(), report);
  uint64_t progress = 0;
  uint64_t lastProgress = nowNs();
  std::optional<uint64_t> failedAt;
  while (children.reap()) {
    usleep(20'000);
    results.poll();
    uint64_t now = nowNs();
    if (uint64_t seen = meeting.progress(); seen != progress) {
      progress = seen;
      lastProgress = now;
    }
    if (now - lastProgress > (options.timeoutMs + slackMs) * 1'000'000)
      meeting.fail(makeError(Code::Timeout, "nothing was seen for {} ms of {}",
                             options.timeoutMs + slackMs,
                             meeting.stragglers()));
    if (!failedAt && (!meeting.failure().isOk() || children.firstBadEnd()))
      failedAt = now;
    if (failedAt && now - *failedAt > graceNs)
      break; // the rest is ended
  }
  results.poll();
  RCCLX_RETURN_IF_ERROR(meeting.failure());
  const size_t points = options.collectives.size() * options.sizes.size();
  if (!children.firstBadEnd() && results.reported() == 1 + points)
    return Status();
  std::string how = children.firstBadEnd().value_or("all processes ended");
  if (meeting.started() == 0 && !launcher.empty())
    return makeError(Code::Unavailable,
                     "the launcher \"{}\" started no rank: {}", launcher, how);
  return makeError(Code::Remote, "{}; unfinished: {}", how,
                   meeting.stragglers());
}

/// Opens a file of the parent's.
static UniqueFd openOf(const std::string &parent, const std::string &fd) {
  return UniqueFd(open(fmt::format("/proc/{}/fd/{}", parent, fd).c_str(),
                       O_RDWR | O_APPEND | O_CLOEXEC));
}

static int rankOfBench(const std::vector<std::string> &words) {
  UniqueFd job = openOf(words[0], words[1]);
  UniqueFd memory = openOf(words[0], words[2]);
  UniqueFd results = openOf(words[0], words[3]);
  if (!job || !memory || !results) {
    Status status = systemError(errno, "the files of process " + words[0]);
    complain("\"bench-rank\" is for `rcclx bench`; {}", status.message());
    return exitBadInput;
  }
  Expected<BenchOptions> options =
      BenchOptions::fromJson(readFrom(job.get(), 0));
  if (!options)
    return printError(options.status());
  Expected<Meeting> meeting = Meeting::map(
      memory.get(), options->world, options->arrayBytes, options->timeoutMs);
  if (!meeting)
    return printError(meeting.status());
  benchRank(*options, *meeting, [&](const std::string &line) {
    if (!writeAll(results.get(), line + '\n'))
      meeting->fail(systemError(errno, "the results of the bench"));
  });
  return exitOk;
}

void addBenchRankCommand(CLI::App &app, int &exitStatus) {
  auto *command = app.add_subcommand("bench-rank")->group(""); // hidden
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("files", *words)->required()->expected(4);
  command->callback([words, &exitStatus] { exitStatus = rankOfBench(*words); });
}

} // namespace rcclx::tool
