//===- Runners.cpp - Ways to run calls on all ranks -----------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Runners.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace rcclx::adversary {

using namespace runtime;

static std::string describeFailure(uint32_t rank,
                                   const rcclx_control &control) {
  uint64_t failure = control.failure;
  static constexpr const char *waits[] = {"nothing",   "started",
                                          "a message", "a credit",
                                          "a window",  "a window's reader"};
  return fmt::format("rank {} waits for {} of rank {} without end", rank,
                     waits[failure >> 8 & 7], (failure >> 16) - 1);
}

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

// Far more steps than any tile takes of a rank that is passed over.
static constexpr uint64_t fiberDeadline = 4'000'000;

RunResult runFibers(Fibers &fibers, Fabric &fabric, std::vector<Call> &calls,
                    uint64_t seed) {
  const uint32_t world = calls[0].plan().manifest().world;
  uint32_t blocks = 1;
  for (const Call &call : calls)
    blocks = std::max(blocks, call.plan().kind().grid);
  struct Rank {
    size_t current = ~size_t(0); // the call that runs
    uint32_t left = 0;           // blocks that have not ended it
    rcclx_kernel_params params;
  };
  std::vector<Rank> ranks(world);
  Random random(seed);
  RunResult result;

  auto start = [&](uint32_t r, size_t k) {
    rcclx_kernel_params &p = ranks[r].params;
    p = fabric.params(r, calls[k].plan().manifest());
    calls[k].fill(r, p);
    p.host = {Fibers::yield, Fibers::steps};
    p.host_spins = 0;
    fabric.control(r).timeout_ticks = fiberDeadline;
    ranks[r].left = p.grid;
    ranks[r].current = k;
  };
  auto body = [&](uint32_t r, uint32_t block) {
    Rank &rank = ranks[r];
    for (size_t k = 0; k != calls.size() && !result; ++k) {
      if (block == 0)
        start(r, k);
      while (rank.current + 1 <= k && !result)
        Fibers::yield();
      if (result || block >= calls[k].plan().kind().grid)
        continue;
      calls[k].plan().kernel()(rank.params, block);
      --rank.left;
      if (fabric.control(r).failure && !result) {
        result = RunFailure{k, describeFailure(r, fabric.control(r))};
        for (uint32_t other = 0; other != world; ++other)
          fabric.control(other).abort = 1;
      }
      // A kernel boundary: the next call begins when all blocks have ended.
      while (block == 0 && rank.left && !result)
        Fibers::yield();
    }
  };
  std::vector<std::function<void()>> bodies;
  for (uint32_t r = 0; r != world; ++r)
    for (uint32_t b = 0; b != blocks; ++b)
      bodies.push_back([&, r, b] { body(r, b); });
  fibers.run(std::move(bodies), random());
  return result;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static std::atomic<uint64_t> threadsSeeded = 0;
static thread_local Random threadRandom{++threadsSeeded};
static constexpr uint64_t threadDeadlineNs = 20'000'000'000;

void jitter() {
  Random &random = threadRandom;
  if (oneIn(random, 2000))
    std::this_thread::sleep_for(std::chrono::microseconds(below(random, 300)));
  else if (!oneIn(random, 8))
    syscall(SYS_sched_yield);
}

// The runtime's own wait is the adversary's, too.
static std::atomic<uint64_t> yields = 0;
uint64_t yieldsOfRuntime() { return yields; }
extern "C" int sched_yield() noexcept {
  yields.fetch_add(1, std::memory_order_relaxed); // a count, no order
  jitter();
  return 0;
}

static rcclx_u64 readClock() {
  return rcclx_u64(std::chrono::duration_cast<std::chrono::nanoseconds>(
                       std::chrono::steady_clock::now().time_since_epoch())
                       .count());
}

RunResult runThreads(Fabric &fabric, std::vector<Call> &calls, uint64_t seed) {
  const uint32_t world = calls[0].plan().manifest().world;
  uint32_t blocks = 1;
  for (const Call &call : calls)
    blocks = std::max(blocks, call.plan().kind().grid);
  std::mutex mutex; // of `result`
  RunResult result;
  std::atomic<bool> failed = false;

  auto body = [&](uint32_t r) {
    threadRandom.seed(seed + r);
    BlockTeam team;
    if (Status s = team.reserve(blocks); !s.isOk())
      giveUp(s.message());
    for (size_t k = 0; k != calls.size() && !failed; ++k) {
      rcclx_kernel_params p = fabric.params(r, calls[k].plan().manifest());
      calls[k].fill(r, p);
      p.host = {jitter, readClock};
      static constexpr uint32_t spins[] = {0, 1, 64};
      p.host_spins = spins[below(threadRandom, 3)];
      fabric.control(r).timeout_ticks = threadDeadlineNs;
      if (oneIn(threadRandom, 8))
        std::this_thread::sleep_for(
            std::chrono::microseconds(below(threadRandom, 500)));
      team.run(calls[k].plan().kernel(), p);
      if (fabric.control(r).failure && !failed.exchange(true)) {
        for (uint32_t other = 0; other != world; ++other)
          __atomic_store_n(&fabric.control(other).abort, 1, __ATOMIC_RELAXED);
        std::lock_guard lock(mutex);
        result = RunFailure{k, describeFailure(r, fabric.control(r))};
      }
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t r = 0; r != world; ++r)
    threads.emplace_back(body, r);
  for (std::thread &thread : threads)
    thread.join();
  return result;
}

} // namespace rcclx::adversary
