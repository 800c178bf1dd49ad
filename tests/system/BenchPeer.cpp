//===- BenchPeer.cpp - Peers of rcclx bench, for its tests ----------------===//
//
// Part of rcclx. An all-reduce through the harness's own exchange, and what can
// go wrong with a peer, chosen by BENCH_PEER_FAULT.
//
//===----------------------------------------------------------------------===//
#include "rcclx_bench_peer.h"

#include <cstdlib>
#include <unistd.h>
#include <vector>

enum Fault { None, Wrong, RefusesToStart, Fails, Dies, Hangs, OtherVersion };
static constexpr Fault fault = BENCH_PEER_FAULT;

namespace {
struct State {
  const rcclx_bench_group *group;
};
struct Operation {
  const rcclx_bench_group *group;
  rcclx_bench_call call;
};
} // namespace

static bool isVictim(const rcclx_bench_group *group) {
  return group->rank + 1 == group->world;
}

static const char *create(const rcclx_bench_group *group, void **state) {
  if (fault == RefusesToStart && isVictim(group))
    return "no network";
  *state = new State{group};
  return nullptr;
}

static const char *describe(void *) { return "a peer for tests"; }

static const char *variant(void *, rcclx_bench_collective collective, size_t,
                           uint32_t index) {
  // The first one is not for this size.
  static const char *const names[] = {"", "slow", "fast"};
  return collective == RCCLX_BENCH_ALL_REDUCE && index < 3 ? names[index]
                                                           : nullptr;
}

static const char *open(void *state, const rcclx_bench_call *call,
                        void **operation) {
  *operation = new Operation{static_cast<State *>(state)->group, *call};
  return nullptr;
}

static const char *run(void *rawOperation) {
  auto *operation = static_cast<Operation *>(rawOperation);
  const rcclx_bench_group *group = operation->group;
  const rcclx_bench_call &call = operation->call;
  if (isVictim(group)) {
    if (fault == Fails)
      return "the cable is loose";
    if (fault == Dies)
      _exit(7);
    if (fault == Hangs)
      while (true)
        pause();
  }
  if (call.variant == 0)
    return "a variant for another size";
  if (call.variant == 1)
    usleep(2000);
  std::vector<float> all(call.count * group->world);
  if (group->exchange(group->context, call.input, call.count * sizeof(float),
                      all.data()) != 0)
    return "a rank is lost";
  for (size_t i = 0; i != call.count; ++i) {
    call.output[i] = 0;
    for (size_t rank = 0; rank != group->world; ++rank)
      call.output[i] += all[rank * call.count + i];
  }
  if (fault == Wrong && isVictim(group))
    call.output[call.count - 1] += 0x1p-18f;
  return nullptr;
}

static void close(void *operation) {
  delete static_cast<Operation *>(operation);
}
static void destroy(void *state) { delete static_cast<State *>(state); }

extern "C" __attribute__((visibility("default"))) const rcclx_bench_peer *
rcclx_bench_peer_query() {
  static const rcclx_bench_peer peer = {
      fault == OtherVersion ? 0 : RCCLX_BENCH_PEER_VERSION,
      "other",
      create,
      describe,
      variant,
      open,
      run,
      close,
      destroy};
  return &peer;
}
