//===- MutantRun.cpp - Runs kernels that may be wrong ---------------------===//
//
// Part of rcclx. Usage: rcclx-mutant-run JOB.json. Each kernel of the job's
// shared object runs in a process of its own, which may crash or never end. One
// line per kernel goes to stdout: right, wrong, hang or crash, a tab, and why.
//
//===----------------------------------------------------------------------===//
#include "Trial.h"

#include <csignal>
#include <cstdio>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace rcclx::mutants;
using namespace rcclx::runtime;
using json = nlohmann::json;

[[noreturn]] static void die(const std::string &what) {
  fprintf(stderr, "rcclx-mutant-run: error: %s\n", what.c_str());
  exit(2);
}

static TrialKernel readKernel(const json &entry) {
  TrialKernel kernel;
  kernel.symbol = entry.at("symbol");
  auto contract = parseContract(entry.at("contract").get<std::string>());
  if (!contract)
    die("unknown contract " + entry.at("contract").dump());
  kernel.contract = *contract;
  kernel.world = entry.at("world");
  kernel.root = entry.at("root");
  kernel.permutation = entry.at("permutation").get<std::vector<uint32_t>>();
  kernel.grid = entry.at("grid");
  kernel.edges = entry.at("edges");
  kernel.readers = entry.at("readers");
  return kernel;
}

namespace {
/// A kernel that runs in a child.
struct Child {
  pid_t process = 0;
  int answers = -1; // the pipe
  uint64_t deadlineMs = 0;
  std::string answer;
};
} // namespace

static uint64_t nowMs() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000 + uint64_t(time.tv_nsec) / 1'000'000;
}

static Child start(const TrialSettings &settings, const TrialKernel &kernel,
                   KernelFunction function, Calls &calls) {
  int ends[2];
  if (pipe(ends) != 0)
    die("no pipe");
  Child child;
  child.process = fork();
  if (child.process < 0)
    die("no process");
  if (child.process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    // What libc says of memory that a mutant broke is expected.
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    // Loops without a wait: many times what a trial takes, however busy the
    // machine is.
    rlim_t seconds = 1 + settings.timeoutMs / 1000;
    rlimit limit = {seconds, seconds + 1};
    setrlimit(RLIMIT_CPU, &limit);
    std::string answer = tryKernel(settings, kernel, function, calls);
    ssize_t written = write(ends[1], answer.data(), answer.size());
    _exit(written == ssize_t(answer.size()) ? 0 : 1);
  }
  close(ends[1]);
  child.answers = ends[0];
  // A wait that fails ends by itself, and a loop without one at its limit of
  // time on a processor: this is for both together.
  child.deadlineMs = nowMs() + 50 * settings.timeoutMs + 10000;
  return child;
}

/// Takes what `child` has written, or ends it where it is late. True: it has
/// ended, and its answer is complete.
static bool proceed(Child &child, bool readable) {
  bool late = !readable && nowMs() >= child.deadlineMs;
  if (!readable && !late)
    return false;
  char buffer[1024];
  ssize_t n = late ? 0 : read(child.answers, buffer, sizeof(buffer));
  if (n > 0) {
    child.answer.append(buffer, size_t(n));
    return false;
  }
  close(child.answers);
  if (late)
    kill(child.process, SIGKILL);
  int status = 0;
  waitpid(child.process, &status, 0);
  if (late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
    child.answer = "hang\tthe kernel does not end";
  else if (WIFSIGNALED(status))
    child.answer = std::string("crash\t") + strsignal(WTERMSIG(status));
  else if (child.answer.empty())
    child.answer = "crash\tended without an answer";
  for (char &c : child.answer)
    c = c == '\n' ? ' ' : c;
  return true;
}

/// Runs `numKernels` kernels, a few at a time: most of those that hang sleep.
static std::vector<std::string>
runAll(size_t numKernels, const std::function<Child(size_t)> &startOne) {
  static constexpr size_t atOnce = 3;
  std::vector<std::string> answers(numKernels);
  std::map<size_t, Child> running;
  for (size_t next = 0; next != numKernels || !running.empty();) {
    while (next != numKernels && running.size() < atOnce) {
      running[next] = startOne(next);
      ++next;
    }
    std::vector<pollfd> polled;
    uint64_t first = ~uint64_t(0);
    for (auto &[number, child] : running) {
      polled.push_back({child.answers, POLLIN, 0});
      first = std::min(first, child.deadlineMs);
    }
    uint64_t now = nowMs();
    poll(polled.data(), polled.size(), first > now ? int(first - now) : 0);
    size_t i = 0;
    for (auto at = running.begin(); at != running.end();) {
      if (proceed(at->second, polled[i++].revents != 0)) {
        answers[at->first] = at->second.answer;
        at = running.erase(at);
      } else {
        ++at;
      }
    }
  }
  return answers;
}

int main(int argc, char **argv) {
  if (argc != 2)
    die("usage: rcclx-mutant-run JOB.json");
  std::ifstream file(argv[1]);
  json job = json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (job.is_discarded())
    die(std::string("cannot read ") + argv[1]);
  TrialSettings settings;
  auto element = parseElement(job.at("element").get<std::string>());
  auto reduction = parseReduction(job.at("reduction").get<std::string>());
  if (!element || !reduction)
    die("unknown element type or reduction");
  settings.options.element = *element;
  settings.options.reduction = *reduction;
  settings.options.seed = job.at("seed");
  settings.tileGroups = job.at("tile_groups");
  settings.depth = job.at("depth");
  settings.timeoutMs = job.at("timeout_ms");
  std::string object = job.at("object");
  void *library = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    die(dlerror());

  std::vector<TrialKernel> kernels;
  std::map<std::tuple<Contract, uint32_t, uint32_t>, std::unique_ptr<Calls>>
      calls;
  for (const json &entry : job.at("kernels")) {
    const TrialKernel &kernel = kernels.emplace_back(readKernel(entry));
    auto &own = calls[{kernel.contract, kernel.world, kernel.root}];
    if (!own)
      own = std::make_unique<Calls>(settings, kernel);
  }
  for (const std::string &answer : runAll(kernels.size(), [&](size_t number) {
         const TrialKernel &kernel = kernels[number];
         auto function = reinterpret_cast<KernelFunction>(
             dlsym(library, kernel.symbol.c_str()));
         if (!function)
           die("no kernel " + kernel.symbol);
         return start(settings, kernel, function,
                      *calls[{kernel.contract, kernel.world, kernel.root}]);
       }))
    puts(answer.c_str());
  return 0;
}
