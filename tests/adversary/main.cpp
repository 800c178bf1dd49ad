//===- main.cpp - A seeded adversary of kernels ---------------------------===//
//
// Part of rcclx. Runs plans, counts and data that change from call to call,
// with ranks that are late at random, and compares every byte with the oracle.
//
// Usage: Adversary --plans DIR --mode fibers|threads|api [options]
//   --world N        ranks (default 3)
//   --seed N         what is random (default: a new one, which is printed)
//   --calls N        calls at least (default 200)
//   --full-calls N   the same, for ./scripts/test.sh --full
//   --first-call N   number of the pairs' first call (fibers, threads)
//   --only TEXT      plans whose names have TEXT
//   --no-rest        does not look into slots at the end
//
// Exit status: 0 all calls were right, 1 one was not (a line says how to run it
// again), 2 the adversary could not run.
//
//===----------------------------------------------------------------------===//
#include "ApiRunner.h"
#include "FullTests.h"
#include "Runners.h"

#include <charconv>
#include <cstdio>
#include <cstring>

using namespace rcclx::adversary;

namespace {

struct Options {
  std::string plans, mode = "fibers", only;
  uint64_t world = 3, seed = std::random_device{}(), calls = 200;
  uint64_t fullCalls = 0;
  uint64_t firstCall = 1;
  bool rest = true;
};

uint64_t number(const char *name, const char *text) {
  uint64_t value = 0;
  const char *end = text + strlen(text);
  auto [rest, error] = std::from_chars(text, end, value);
  if (error != std::errc() || rest != end)
    giveUp(fmt::format("{} needs a number, found {}", name, text));
  return value;
}

Options parse(int argc, char **argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    std::string_view arg = argv[i];
    if (arg == "--no-rest") {
      o.rest = false;
      continue;
    }
    if (i + 1 == argc)
      giveUp(fmt::format("{} needs a value", arg));
    const char *value = argv[++i];
    if (arg == "--plans")
      o.plans = value;
    else if (arg == "--mode")
      o.mode = value;
    else if (arg == "--only")
      o.only = value;
    else if (arg == "--world")
      o.world = number(argv[i - 1], value);
    else if (arg == "--seed")
      o.seed = number(argv[i - 1], value);
    else if (arg == "--calls")
      o.calls = number(argv[i - 1], value);
    else if (arg == "--full-calls")
      o.fullCalls = number(argv[i - 1], value);
    else if (arg == "--first-call")
      o.firstCall = number(argv[i - 1], value);
    else
      giveUp(fmt::format("unknown option {}", arg));
  }
  if (o.plans.empty())
    giveUp("--plans is needed");
  if (rcclx::fullTests())
    o.calls = std::max(o.calls, o.fullCalls);
  return o;
}

[[noreturn]] void report(const Options &o, uint64_t call,
                         const std::string &what) {
  fmt::print("seed {}, call {}: {}\nagain: --plans {} --mode {} --world {} "
             "--first-call {} --seed {} --calls {}{}{}\n",
             o.seed, call, what, o.plans, o.mode, o.world, o.firstCall, o.seed,
             call + 1, o.only.empty() ? "" : " --only ", o.only);
  fflush(stdout);
  _exit(1); // threads may still wait in a broken kernel
}

} // namespace

int main(int argc, char **argv) {
  Options o = parse(argc, argv);
  fmt::print("seed {}\n", o.seed);
  fflush(stdout);
  std::vector<LoadedPlan> plans = loadPlans(o.plans, uint32_t(o.world));
  std::erase_if(plans, [&](const LoadedPlan &plan) {
    return plan.name.find(o.only) == std::string::npos;
  });
  if (plans.empty())
    giveUp("no plan is left");

  Random random(o.seed);
  Fibers fibers;
  Fabric fabric{uint32_t(o.world)};
  fabric.setCalls(o.firstCall - 1);
  std::unique_ptr<ApiRunner> api;
  if (o.mode == "api")
    api = std::make_unique<ApiRunner>(plans);
  else if (o.mode != "fibers" && o.mode != "threads")
    giveUp("unknown mode " + o.mode);

  uint64_t done = 0;
  while (done < o.calls) {
    // The ranks meet after a batch: its data is checked there.
    std::vector<Call> batch;
    uint64_t size = 1 + below(random, 24);
    for (uint64_t i = 0; i != size; ++i)
      batch.emplace_back(plans[below(random, plans.size())], random);
    uint64_t seed = random();
    RunResult failure = o.mode == "fibers"
                            ? runFibers(fibers, fabric, batch, seed)
                        : o.mode == "threads" ? runThreads(fabric, batch, seed)
                                              : api->run(batch, seed);
    for (size_t i = 0; i != batch.size() && (!failure || i < failure->call);
         ++i)
      if (std::string error = batch[i].check(); !error.empty())
        report(o, done + i, batch[i].describe() + ": " + error);
    if (failure)
      report(o, done + failure->call,
             batch[failure->call].describe() + ": " + failure->what);
    done += batch.size();
  }
  if (api && yieldsOfRuntime() == 0)
    giveUp("the runtime's waits do not come to the adversary any more");
  if (std::string dirty = fabric.checkAtRest(); o.rest && !dirty.empty())
    report(o, done - 1, dirty);
  fmt::print("{} calls of {} plans by {} ranks: all right\n", done,
             plans.size(), o.world);
  return 0;
}
