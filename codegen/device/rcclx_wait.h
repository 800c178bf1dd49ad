//===- rcclx_wait.h - Kernel context and bounded waits ----------*- C++ -*-===//
//
// Part of rcclx. Every wait watches the abort word and the deadline. The first
// that fails makes the thread `dead`: later waits return at once and nothing
// more is sent, so that the whole kernel ends, not one wait after the other.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_WAIT_H
#define RCCLX_WAIT_H

#include "rcclx_numeric.h"
#include "rcclx_tiles.h"

namespace rx {

struct Context {
  Params *p;
  u64 since; // clock at the begin of the tile, or of the call
  u32 block;
  u32 thread;
  u32 dead;
#ifdef RX_STRICT_ORDER
  const u64 *seen[2 * RCCLX_MAX_WORLD];
  u32 seenCount = 0;
  bool released = false;
#endif
};

/// By value: of the four addresses, those that are not used are not loaded.
RX_FN rcclx_peer peer(const Context *c, u32 rank) {
  Params &p = *c->p;
  rcclx_peer result;
  if (p.world <= RCCLX_INLINE_PEERS) {
    result.in = p.peers[rank].in;
    result.out = p.peers[rank].out;
    result.window = p.peers[rank].window;
    result.call = p.peers[rank].call;
  } else {
    const rcclx_peer *table = p.peer_table + rank;
    result.in = loadPlain(&table->in);
    result.out = loadPlain(&table->out);
    result.window = loadPlain(&table->window);
    result.call = loadPlain(&table->call);
  }
  return result;
}

RX_FN bool bit(const u64 RX_PARAM_SPACE *mask, u32 i) {
  return mask[i / 64] >> (i % 64) & 1;
}

/// Number of the call that runs, as this pair counts: the words change at the
/// end of a kernel only, so any thread of the block may read them in it.
RX_FN u64 callNumber(const Context *c, u32 rank) {
  return loadPlain(peer(c, rank).call + c->block) + 1;
}

/// A thread that has waited in vain leaves its reason, once per communicator.
RX_COLD void fail(Context *c, u32 code, u32 kind, u32 rank) {
  c->dead = 1;
  rcclx_control *control = c->p->control;
  if (claim(&control->failure, 0,
            code | kind << 8 | static_cast<u64>(rank + 1) << 16))
    storeRelaxed(&control->failure_call, callNumber(c, rank));
}

/// Whether the thread must give up: called between looks at what it waits for.
RX_COLD bool giveUp(Context *c, u32 looks, u32 kind, u32 rank) {
  Params &p = *c->p;
  pause(p, looks);
  if (looks % looksPerCheck != looksPerCheck - 1)
    return false;
  // Relaxed: both are hints to stop; no data depends on them.
  if (loadRelaxed(&p.control->abort)) {
    fail(c, RCCLX_FAILURE_ABORT, kind, rank);
    return true;
  }
  // From the tile's begin: a long call that goes on is no failure. Only one
  // wait of a thread can expire, since the thread is dead then.
  if (clock(p) - c->since > loadRelaxed(&p.control->timeout_ticks)) {
    fail(c, RCCLX_FAILURE_DEADLINE, kind, rank);
    return true;
  }
  return false;
}

/// Before every access that another rank may see. Kernels of tests give way
/// here, not in waits only, so that every interleaving can be had.
#ifndef RX_PREEMPT
RX_FN void preempt(const Context *) {}
RX_FN Group getPacket(const Context *, const char *p) { return loadPacket(p); }
RX_FN void putPacket(const Context *, char *p, Group g) { storePacket(p, g); }
#else
RX_FN void preempt(const Context *c) { c->p->host.yield(); }
// Only 8 bytes are whole: half a packet may be seen, either half first.
RX_FN Group getPacket(const Context *c, const char *p) {
  const u64 *halves = reinterpret_cast<const u64 *>(p);
  struct {
    u64 half[2];
  } v;
  u32 first = clock(*c->p) & 1;
  v.half[first] = loadRelaxed(halves + first);
  preempt(c);
  v.half[1 - first] = loadRelaxed(halves + 1 - first);
  return __builtin_bit_cast(Group, v);
}
RX_FN void putPacket(const Context *c, char *p, Group g) {
  u64 *halves = reinterpret_cast<u64 *>(p);
  struct Halves {
    u64 half[2];
  } v = __builtin_bit_cast(Halves, g);
  u32 first = clock(*c->p) & 1;
  storeRelaxed(halves + first, v.half[first]);
  preempt(c);
  storeRelaxed(halves + 1 - first, v.half[1 - first]);
}
#endif

//===----------------------------------------------------------------------===//
// Order, where `acquire` and `release` stand
//===----------------------------------------------------------------------===//

#ifndef RX_STRICT_ORDER
RX_FN u64 look(const u64 *word) { return loadSignal(word); }
RX_FN void saw(Context *, const u64 *) {}
RX_FN void tell(const Context *, u64 *word, u64 v) { storeSignal(word, v); }
RX_FN void orderAcquire(Context *) { fenceAcquire(); }
RX_FN void orderRelease(Context *) { fenceRelease(); }
RX_FN void enterLoop(const Context *) {}
RX_FN void orderEnd(Context *) {}
#else
// For ThreadSanitizer, which does not understand fences, on the host, where
// accesses have more order than fences give on a GPU: waits and signals are
// relaxed, and what `acquire` and `release` order is said access by access. So
// a kernel that lacks one of them has a race that is found.
RX_FN u64 look(const u64 *word) { return loadRelaxed(word); }
RX_FN void orderAcquire(Context *c) {
  for (u32 i = 0; i < c->seenCount; ++i)
    loadSignal(c->seen[i]);
  c->seenCount = 0;
  c->released = false;
}
RX_FN void saw(Context *c, const u64 *word) {
  if (c->seenCount == sizeof(c->seen) / sizeof(*c->seen))
    orderAcquire(c); // no false alarm, at the price of a missed one
  c->seen[c->seenCount++] = word;
}
RX_FN void orderRelease(Context *c) { c->released = true; }
RX_FN void tell(const Context *c, u64 *word, u64 v) {
  if (c->released)
    storeSignal(word, v);
  else
    storeRelaxed(word, v);
}
/// What an element loop does is not covered by an earlier release.
RX_FN void enterLoop(const Context *c) {
  const_cast<Context *>(c)->released = false;
}
/// The next kernel begins with an acquire: it covers this one's last waits.
RX_FN void orderEnd(Context *c) { orderAcquire(c); }
#endif

/// Waits until *word has passed `wanted`. `acquire` must follow before what it
/// announces is read.
RX_FN void waitFor(Context *c, const u64 *word, u64 wanted, u32 kind,
                   u32 rank) {
  if (c->dead)
    return;
  for (u32 looks = 0; !passed(look(word), wanted); ++looks)
    if (giveUp(c, looks, kind, rank))
      return;
  saw(c, word);
}

RX_FN u64 *blockWord(const Context *c, char *region, u32 offset) {
  return reinterpret_cast<u64 *>(region + offset) + c->block;
}

} // namespace rx

#endif // RCCLX_WAIT_H
