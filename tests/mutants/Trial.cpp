//===- Trial.cpp - Whether a kernel computes what it should ---------------===//
//
// Part of rcclx. A missing wait is wrong only where the other rank is late, so
// in every call another rank is slow: before it begins, and at every message.
//
//===----------------------------------------------------------------------===//
#include "Trial.h"

#include "Arena.h"
#include "Reference.h"
#include "exec/Oracle.h"

#include <atomic>
#include <barrier>
#include <cstring>
#include <ctime>
#include <random>
#include <sched.h>
#include <sys/prctl.h>
#include <thread>
#include <utility>

using namespace rcclx::mutants;
using namespace rcclx::tool;
using namespace rcclx::runtime;

static constexpr uint32_t callsPerCount = 4;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Calls::Calls(const TrialSettings &settings, const TrialKernel &kernel) {
  manifest.contract = kernel.contract;
  manifest.world = kernel.world;
  manifest.element = settings.options.element;
  manifest.reduction = settings.options.reduction;
  manifest.root = kernel.root;
  manifest.permutation = kernel.permutation;
  // A slice may be a part of `world`: tiles are counted in that.
  uint64_t tile = uint64_t(settings.tileGroups) * 16 /
                  elementBytes(manifest.element) * kernel.world;
  const uint64_t counts[] = {3, tile + 7, (settings.depth + 2) * tile + 9};
  for (uint64_t count : counts)
    for (uint32_t i = 0; i != callsPerCount; ++i) {
      Call &call = calls.emplace_back();
      call.options = settings.options;
      call.options.ranks = kernel.world;
      call.options.count = count;
      call.options.root = kernel.root;
      call.options.permutation = kernel.permutation;
      call.options.seed = settings.options.seed * 1000 + calls.size();
      call.workload = std::make_unique<Workload>(call.options, manifest);
    }
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

namespace {
/// How the current thread is held up.
struct Pace {
  std::minstd_rand random;
  bool slow = false;
  bool waits = false; // called `yield` last
  uint32_t looks = 0; // of the wait
};
} // namespace
static thread_local Pace pace;

static void sleepFor(long microseconds) {
  timespec time = {0, microseconds * 1000};
  nanosleep(&time, nullptr);
}

static uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

/// Called before every message and tile, and now and then by waits.
static rcclx_u64 readClock() {
  uint32_t random = uint32_t(pace.random() >> 8);
  if (pace.slow && random % 16 == 0)
    sleepFor(20);
  else if (random % 64 == 1)
    sched_yield();
  if (!std::exchange(pace.waits, false))
    pace.looks = 0;
  return now();
}

/// Called by waits. The longer one takes, the longer it sleeps.
static void yield() {
  pace.waits = true;
  if (++pace.looks < 4)
    sched_yield();
  else
    sleepFor(std::min<long>(10 * pace.looks, 1000));
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

namespace {
/// One call of one rank. A rank without input or output has empty buffers.
struct CallRecord {
  std::unique_ptr<GuardedBuffer> input, output;
  uint64_t entered = 0, left = 0;
};

class Trial {
public:
  Trial(const TrialSettings &settings, const TrialKernel &kernel,
        KernelFunction function, Calls &calls)
      : settings(settings), kernel(kernel), function(function), calls(calls),
        arena(kernel.world), records(kernel.world) {
    for (uint32_t rank = 0; rank != kernel.world; ++rank) {
      arena.control(rank).timeout_ticks =
          uint64_t(settings.timeoutMs) * 1'000'000;
      for (Calls::Call &call : calls.calls)
        records[rank].push_back(makeRecord(call, rank));
    }
  }

  std::string run() {
    prctl(PR_SET_TIMERSLACK, 1000); // of all threads: sleeps are short
    std::vector<std::unique_ptr<std::barrier<>>> kernelEnds;
    for (uint32_t rank = 0; rank != kernel.world; ++rank)
      kernelEnds.push_back(std::make_unique<std::barrier<>>(kernel.grid));
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank != kernel.world; ++rank)
      for (uint32_t block = 0; block != kernel.grid; ++block)
        threads.emplace_back(
            [&, rank, block] { runBlock(rank, block, *kernelEnds[rank]); });
    for (std::thread &thread : threads)
      thread.join();
    std::string found = describeFailure();
    for (size_t call = 0; found.empty() && call != calls.calls.size(); ++call)
      found = checkCall(call);
    if (found.empty())
      if (std::string left = arena.findLeftOver(); !left.empty())
        found = "wrong\t" + left;
    return found.empty() ? "right" : found;
  }

private:
  CallRecord makeRecord(const Calls::Call &call, uint32_t rank) const {
    uint64_t in = call.workload->inputSize(rank);
    uint64_t out = outputBytes(calls.manifest, rank, call.options.count);
    CallRecord record{std::make_unique<GuardedBuffer>(in, 0),
                      std::make_unique<GuardedBuffer>(out, 0)};
    if (in)
      memcpy(record.input->data(), call.workload->inputs()[rank], in);
    return record;
  }

  void runBlock(uint32_t rank, uint32_t block, std::barrier<> &kernelEnd) {
    pace.random.seed(
        uint32_t(settings.options.seed * 7919 + rank * 31 + block));
    rcclx_kernel_params params = arena.params(
        rank, kernel.grid, kernel.edges[rank], kernel.readers[rank]);
    params.host = {yield, readClock};
    for (size_t call = 0; call != calls.calls.size(); ++call) {
      CallRecord &record = records[rank][call];
      pace.slow = call % kernel.world == rank;
      if (pace.slow)
        sleepFor(200);
      params.input = record.input->size() ? record.input->data() : nullptr;
      params.output = record.output->size() ? record.output->data() : nullptr;
      params.count = calls.calls[call].options.count;
      if (block == 0)
        record.entered = now();
      function(params, block);
      kernelEnd.arrive_and_wait();
      if (block == 0)
        record.left = now();
      // Nobody waits longer than the first.
      if (arena.control(rank).failure)
        for (uint32_t peer = 0; peer != kernel.world; ++peer)
          std::atomic_ref(arena.control(peer).abort)
              .store(1, std::memory_order_relaxed);
      // A dead kernel returns at once; all blocks of the rank see it.
      if (arena.control(rank).failure)
        return;
    }
  }

  std::string describeFailure() const {
    for (uint32_t rank = 0; rank != kernel.world; ++rank)
      if (uint64_t failure = arena.control(rank).failure;
          (failure & 0xff) == RCCLX_FAILURE_DEADLINE)
        return fmt::format("hang\trank {} waits for rank {}", rank,
                           (failure >> 16) - 1);
    return "";
  }

  std::string checkCall(size_t number) {
    Calls::Call &call = calls.calls[number];
    for (uint32_t rank = 0; rank != kernel.world; ++rank) {
      CallRecord &record = records[rank][number];
      std::string wrong;
      if (!record.output->guardsIntact() || !record.input->guardsIntact())
        wrong = "memory beside a buffer was written";
      if (wrong.empty() && record.input->size() &&
          memcmp(record.input->data(), call.workload->inputs()[rank],
                 record.input->size()) != 0)
        wrong = "the input was changed";
      if (wrong.empty()) {
        ReferenceResult result =
            checkReference(*call.workload, call.options, rank,
                           record.output->data(), 2 * kernel.world);
        wrong = result.wrong;
        if (wrong.empty() && !result.checked &&
            kernel.contract != Contract::Barrier)
          wrong = "no reference knows this contract";
      }
      if (wrong.empty())
        wrong = checkTogether(rank, number);
      if (!wrong.empty())
        return fmt::format("wrong\tcall {} ({} elements), rank {}: {}", number,
                           call.options.count, rank, wrong);
    }
    return "";
  }

  /// All ranks have the same bits; nobody leaves a barrier early.
  std::string checkTogether(uint32_t rank, size_t number) {
    const CallRecord &record = records[rank][number];
    const CallRecord &first = records[0][number];
    if (kernel.contract == Contract::AllReduce &&
        memcmp(record.output->data(), first.output->data(),
               record.output->size()) != 0)
      return "other bits than on rank 0";
    if (kernel.contract == Contract::Barrier)
      for (uint32_t other = 0; other != kernel.world; ++other)
        if (record.left < records[other][number].entered)
          return fmt::format("left before rank {} had entered", other);
    return "";
  }

  const TrialSettings &settings;
  const TrialKernel &kernel;
  const KernelFunction function;
  Calls &calls;
  Arena arena;
  std::vector<std::vector<CallRecord>> records; // by rank
};
} // namespace

std::string rcclx::mutants::tryKernel(const TrialSettings &settings,
                                      const TrialKernel &kernel,
                                      KernelFunction function, Calls &calls) {
  return Trial(settings, kernel, function, calls).run();
}
