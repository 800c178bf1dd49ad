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
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/prctl.h>
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
  kernel.grid = entry.at("grid");
  kernel.edges = entry.at("edges");
  kernel.readers = entry.at("readers");
  return kernel;
}

static std::string readAll(int fd, int timeoutMs, bool &late) {
  std::string text;
  pollfd poll = {fd, POLLIN, 0};
  char buffer[1024];
  for (;;) {
    late = ::poll(&poll, 1, timeoutMs) == 0;
    if (late)
      return text;
    ssize_t n = read(fd, buffer, sizeof(buffer));
    if (n <= 0)
      return text;
    text.append(buffer, size_t(n));
  }
}

/// Runs `kernel` in a child.
static std::string contain(const TrialSettings &settings,
                           const TrialKernel &kernel, KernelFunction function,
                           Calls &calls) {
  int ends[2];
  if (pipe(ends) != 0)
    die("no pipe");
  pid_t child = fork();
  if (child < 0)
    die("no process");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    std::string answer = tryKernel(settings, kernel, function, calls);
    ssize_t written = write(ends[1], answer.data(), answer.size());
    _exit(written == ssize_t(answer.size()) ? 0 : 1);
  }
  close(ends[1]);
  bool late = false;
  // A wait that fails ends by itself; this is for loops without one.
  std::string answer =
      readAll(ends[0], int(10 * settings.timeoutMs + 2000), late);
  close(ends[0]);
  if (late)
    kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (late)
    return "hang\tthe kernel does not end";
  if (WIFSIGNALED(status))
    return std::string("crash\t") + strsignal(WTERMSIG(status));
  if (answer.empty())
    return "crash\tended without an answer";
  return answer;
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

  std::map<std::tuple<Contract, uint32_t, uint32_t>, std::unique_ptr<Calls>>
      calls;
  for (const json &entry : job.at("kernels")) {
    TrialKernel kernel = readKernel(entry);
    auto function =
        reinterpret_cast<KernelFunction>(dlsym(library, kernel.symbol.c_str()));
    if (!function)
      die("no kernel " + kernel.symbol);
    auto &own = calls[{kernel.contract, kernel.world, kernel.root}];
    if (!own)
      own = std::make_unique<Calls>(settings, kernel);
    std::string answer = contain(settings, kernel, function, *own);
    for (char &c : answer)
      c = c == '\n' ? ' ' : c;
    puts(answer.c_str());
    fflush(stdout);
  }
  return 0;
}
