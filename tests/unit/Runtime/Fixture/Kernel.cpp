//===- Kernel.cpp - A hand-written host kernel for tests ------------------===//
//
// Part of rcclx. What the runtime needs of a plan, without a compiler: a
// one-shot all-reduce of f32 by sum, through the `flag` slots, that keeps the
// rules of rcclx_params.h (call numbers, started words, halves, bounded waits).
//
//===----------------------------------------------------------------------===//
#include "rcclx_params.h"

#include <cstring>

namespace {

struct Rank {
  const rcclx_kernel_params &p;
  rcclx_u64 start;

  const rcclx_peer &peer(rcclx_u32 r) const {
    return p.world <= RCCLX_INLINE_PEERS ? p.peers[r] : p.peer_table[r];
  }

  /// False when the wait ended in vain.
  bool waitAtLeast(const char *word, rcclx_u64 value, rcclx_u32 kind,
                   rcclx_u32 r, rcclx_u64 call) const {
    auto *address = reinterpret_cast<const rcclx_u64 *>(word);
    while (__atomic_load_n(address, __ATOMIC_ACQUIRE) < value) {
      rcclx_u64 code = RCCLX_FAILURE_NONE;
      if (__atomic_load_n(&p.control->abort, __ATOMIC_RELAXED))
        code = RCCLX_FAILURE_ABORT;
      else if (p.host.clock_ns() - start > p.control->timeout_ticks)
        code = RCCLX_FAILURE_DEADLINE;
      if (code != RCCLX_FAILURE_NONE) {
        __atomic_store_n(&p.control->failure_call, call, __ATOMIC_RELAXED);
        rcclx_u64 none = 0;
        __atomic_compare_exchange_n(&p.control->failure, &none,
                                    code | rcclx_u64(kind) << 8 |
                                        rcclx_u64(r + 1) << 16,
                                    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        return false;
      }
      p.host.yield();
    }
    return true;
  }
};

void storeRelease(char *word, rcclx_u64 value) {
  __atomic_store_n(reinterpret_cast<rcclx_u64 *>(word), value,
                   __ATOMIC_RELEASE);
}

} // namespace

extern "C" __attribute__((visibility("default"))) void
fixture_all_reduce(const rcclx_kernel_params &p, unsigned block) {
  if (block != 0)
    return;
  Rank self{p, p.host.clock_ns()};
  for (rcclx_u32 r = 0; r != p.world; ++r) {
    char *started = self.peer(r).out + RCCLX_STARTED;
    storeRelease(started + 8, p.plan_hash);
    storeRelease(started, self.peer(r).call[0] + 1);
  }
  bool alive = true;
  for (rcclx_u32 r = 0; alive && r != p.world; ++r) {
    const rcclx_peer &peer = self.peer(r);
    rcclx_u64 call = peer.call[0] + 1;
    alive = self.waitAtLeast(peer.in + RCCLX_STARTED, call - 1,
                             RCCLX_WAIT_STARTED, r, call);
    if (!alive)
      break;
    if (p.count)
      memcpy(peer.out + RCCLX_FLAG + (call & 1) * RCCLX_HALF_BYTES, p.input,
             p.count * sizeof(float));
    storeRelease(peer.out + RCCLX_SIGNAL, call);
  }
  for (rcclx_u32 r = 0; alive && r != p.world; ++r)
    alive = self.waitAtLeast(self.peer(r).in + RCCLX_SIGNAL,
                             self.peer(r).call[0] + 1, RCCLX_WAIT_MESSAGE, r,
                             self.peer(r).call[0] + 1);
  if (alive)
    for (rcclx_u64 i = 0; i != p.count; ++i) {
      float sum = -0.0f;
      for (rcclx_u32 r = 0; r != p.world; ++r) {
        const rcclx_peer &peer = self.peer(r);
        float x;
        memcpy(&x,
               peer.in + RCCLX_FLAG +
                   ((peer.call[0] + 1) & 1) * RCCLX_HALF_BYTES + i * 4,
               sizeof(x));
        sum += x;
      }
      memcpy(p.output + i * 4, &sum, sizeof(sum));
    }
  for (rcclx_u32 r = 0; r != p.world; ++r)
    ++self.peer(r).call[0];
}

/// Every block counts itself: `output` is an array of grid counters.
extern "C" __attribute__((visibility("default"))) void
fixture_blocks(const rcclx_kernel_params &p, unsigned block) {
  reinterpret_cast<rcclx_u64 *>(p.output)[block] += p.count;
}
