//===- rcclx_device.h - What generated kernels call -------------*- C++ -*-===//
//
// Part of rcclx. Kernels are pure functions of (parameters, block): no global,
// static or thread-local state. Each function states its memory order; the
// targets state the scope (system) of the fences. Rules by number are those of
// docs/Protocols.md.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_DEVICE_H
#define RCCLX_DEVICE_H

#include "rcclx_wait.h"

namespace rx {

//===----------------------------------------------------------------------===//
// Ranks, tiles and ranges
//===----------------------------------------------------------------------===//

template <typename T> RX_FN u64 granules(const Context *c) {
  return (c->p->count + Elements<T>::perGroup - 1) / Elements<T>::perGroup;
}

/// Tiles of the longest slice, Num/Den of a block.
template <typename T, u32 Tile, u64 Num, u64 Den>
RX_FN size_t tiles(const Context *c) {
  return tileCount(granules<T>(c), Num, Den, Tile);
}

/// Tile `tile` of slice (a, l, d). The grid is cut into Groups block groups of
/// equal size.
template <typename T, u32 Tile, u32 Groups>
RX_FN Range range(const Context *c, size_t tile, size_t a, size_t l, size_t d) {
  u32 blocks = c->p->grid / Groups;
  return tileRange(granules<T>(c), tile, a, l, d, Tile, c->block % blocks,
                   blocks);
}
RX_FN size_t first(const Context *c, Range r) {
  enterLoop(c);
  return r.lo + c->thread * packGroups;
}
RX_FN size_t limit(Range r) { return r.hi; }

RX_FN size_t ownRank(const Context *c) { return c->p->rank; }

template <u32 Groups, u32 Group> RX_FN bool inGroup(const Context *c) {
  return c->block / (c->p->grid / Groups) == Group;
}

/// Asked before each tile. Addresses of the last tile's peers are forgotten, or
/// all of them would be held in registers over all stages.
RX_FN bool alive(Context *c) {
  c->p = forget(c->p);
  c->since = clock(*c->p);
  return !c->dead;
}

//===----------------------------------------------------------------------===//
// User buffers
//===----------------------------------------------------------------------===//

/// One block of a buffer, `count` elements from `base`.
struct Buffer {
  char *base;
  u64 count;
};
RX_FN Buffer input(const Context *c) {
  return Buffer{const_cast<char *>(c->p->input), c->p->count};
}
RX_FN Buffer output(const Context *c) {
  return Buffer{c->p->output, c->p->count};
}
template <typename T> RX_FN Buffer inputBlock(const Context *c, size_t block) {
  Buffer b = input(c);
  b.base += block * b.count * T::bytes;
  return b;
}
template <typename T> RX_FN Buffer outputBlock(const Context *c, size_t block) {
  Buffer b = output(c);
  b.base += block * b.count * T::bytes;
  return b;
}

/// Scratch blocks start at granules, whatever the count.
template <typename T>
RX_FN Buffer scratchBlock(const Context *c, size_t block) {
  return Buffer{c->p->scratch + block * granules<T>(c) * groupBytes,
                c->p->count};
}

template <typename T> RX_FN typename T::Word loadElement(const char *p) {
  return loadPlain(reinterpret_cast<const typename Elements<T>::Memory *>(p));
}
template <typename T> RX_FN void storeElement(char *p, typename T::Word v) {
  typedef typename Elements<T>::Memory Memory;
  storePlain(reinterpret_cast<Memory *>(p), static_cast<Memory>(v));
}

/// The first `n` elements of a group; the others are zero and not touched.
template <typename T> RX_FN Group loadElements(const char *p, u64 n) {
  Group v = {{0, 0, 0, 0}};
  for (u32 i = 0; i < Elements<T>::perGroup; ++i)
    if (i < n)
      Elements<T>::put(v, i, loadElement<T>(p + i * T::bytes));
  return v;
}
template <typename T> RX_FN void storeElements(Group v, char *p, u64 n) {
  for (u32 i = 0; i < Elements<T>::perGroup; ++i)
    if (i < n)
      storeElement<T>(p + i * T::bytes, Elements<T>::get(v, i));
}

/// Granule g of a block; elements past the end read as zero. A misaligned
/// buffer keeps the map and narrows its accesses.
template <typename T> RX_FN Group load(Buffer b, size_t g) {
  const char *p = b.base + g * groupBytes;
  u64 left = b.count - g * Elements<T>::perGroup;
  if (left >= Elements<T>::perGroup && wideAccess(p))
    return loadGroup(p);
  return loadElements<T>(p, left);
}
template <typename T> RX_FN void store(Group v, Buffer b, size_t g) {
  char *p = b.base + g * groupBytes;
  u64 left = b.count - g * Elements<T>::perGroup;
  if (left >= Elements<T>::perGroup && wideAccess(p))
    storeGroup(p, v);
  else
    storeElements<T>(v, p, left);
}

/// The same, out of line.
template <typename T> RX_COLD ColdGroup loadRest(Buffer b, size_t g) {
  return fromGroup(load<T>(b, g));
}
template <typename T> RX_COLD void storeRest(Group v, Buffer b, size_t g) {
  store<T>(v, b, g);
}

/// A group of the input, as premul_sum takes it.
template <typename T> RX_FN Group prescale(const Context *c, Group g) {
  return multiply<T>(g, scaleOf<typename T::Acc>(c->p->scale));
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Where a message's tile lies.
template <typename Protocol, u32 Tile, u32 Depth>
RX_FN u64 slotOffset(size_t tag, size_t tile) {
  return slotIndex(tag, tile, Depth) * Tile * Protocol::bytesPerGroup;
}
template <typename Protocol>
RX_FN char *half(const Context *c, char *region, u32 rank) {
  return region + Protocol::offset +
         (callNumber(c, rank) & 1) * RCCLX_HALF_BYTES;
}
/// This rank's slot at `rank`; for Direct, the own window.
template <typename Protocol, u32 Tile, u32 Depth>
RX_FN char *slotTo(const Context *c, size_t rank, size_t tag, size_t tile) {
  u64 offset = slotOffset<Protocol, Tile, Depth>(tag, tile);
  if constexpr (Protocol::inWindow)
    return c->p->window + offset;
  else
    return half<Protocol>(c, peer(c, rank).out, rank) + offset;
}
/// `rank`'s slot here; for Direct, its window.
template <typename Protocol, u32 Tile, u32 Depth>
RX_FN char *slotFrom(const Context *c, size_t rank, size_t tag, size_t tile) {
  u64 offset = slotOffset<Protocol, Tile, Depth>(tag, tile);
  if constexpr (Protocol::inWindow)
    return peer(c, rank).window + offset;
  else
    return half<Protocol>(c, peer(c, rank).in, rank) + offset;
}

//===----------------------------------------------------------------------===//
// Groups in slots
//===----------------------------------------------------------------------===//

/// `ll`: two packets of 8 bytes of data, each half with its own flag, so that
/// 8-byte atomicity is enough. At rest a slot is zero, and so is its flag.
constexpr u32 llFlag = 1;

/// `sentinel`: the data itself, inverted, so that a slot at rest (zero) reads
/// as the all-ones NaN, which `canonical` never leaves in a message.
template <typename T> RX_FN Group encodeSentinel(Group g) {
  Group v = canonicalGroup<T>(g);
  for (u32 i = 0; i < 4; ++i)
    v.word[i] = ~v.word[i];
  return v;
}
/// The last element of each 8-byte half is looked at, of an f64 its upper half:
/// no canonical value has all ones there. A half arrives whole.
template <typename T> RX_FN bool arrived(const Group &g) {
  constexpr u32 bits = T::bytes < 4 ? T::bytes * 8 : 32;
  constexpr u32 top = ~0u << (32 - bits);
  return (g.word[1] & top) != 0 && (g.word[3] & top) != 0;
}

/// Puts a group at offset g - origin of a slot. LL and Sentinel: relaxed, the
/// arrival is in the data. Flag and Direct: plain; `release` and a signal
/// follow. A dead thread sends nothing: what it holds may be wrong.
template <typename T, typename Protocol>
RX_FN void send(const Context *c, Group v, char *slot, Range r, size_t g) {
  char *p = slot + (g - r.origin) * Protocol::bytesPerGroup;
  preempt(c);
  if constexpr (Protocol::flagInPacket) {
    if (c->dead)
      return;
    putPacket(c, p, Group{{v.word[0], llFlag, v.word[1], llFlag}});
    preempt(c);
    putPacket(c, p + 16, Group{{v.word[2], llFlag, v.word[3], llFlag}});
  } else if constexpr (Protocol::flagInData) {
    if (c->dead)
      return;
    putPacket(c, p, encodeSentinel<T>(v));
  } else {
    storeGroup(p, v);
  }
}

/// Takes a group out of a slot. LL and Sentinel wait for it, relaxed (data and
/// arrival are one access), and leave the slot zero. Flag and Direct: plain;
/// the stage has waited and acquired.
template <typename T, typename Protocol>
RX_FN Group recv(Context *c, char *slot, Range r, size_t g, size_t rank) {
  char *p = slot + (g - r.origin) * Protocol::bytesPerGroup;
  if constexpr (Protocol::flagInPacket) {
    Group low = getPacket(c, p), high = getPacket(c, p + 16);
    for (u32 looks = 0;
         !c->dead && !(low.word[1] & low.word[3] & high.word[1] & high.word[3]);
         ++looks) {
      giveUp(c, looks, RCCLX_WAIT_MESSAGE, rank);
      low = getPacket(c, p);
      high = getPacket(c, p + 16);
    }
    preempt(c);
    putPacket(c, p, Group{{0, 0, 0, 0}});
    putPacket(c, p + 16, Group{{0, 0, 0, 0}});
    return Group{{low.word[0], low.word[2], high.word[0], high.word[2]}};
  } else if constexpr (Protocol::flagInData) {
    Group v = getPacket(c, p);
    for (u32 looks = 0; !c->dead && !arrived<T>(v); ++looks) {
      giveUp(c, looks, RCCLX_WAIT_MESSAGE, rank);
      v = getPacket(c, p);
    }
    preempt(c);
    putPacket(c, p, Group{{0, 0, 0, 0}});
    for (u32 i = 0; i < 4; ++i)
      v.word[i] = ~v.word[i];
    return v;
  } else {
    preempt(c);
    return loadGroup(p);
  }
}

/// The same, out of line.
template <typename T, typename Protocol>
RX_COLD void sendRest(const Context *c, Group v, char *slot, Range r,
                      size_t g) {
  send<T, Protocol>(c, v, slot, r, g);
}
template <typename T, typename Protocol>
RX_COLD ColdGroup recvRest(Context *c, char *slot, Range r, size_t g,
                           size_t rank) {
  return fromGroup(recv<T, Protocol>(c, slot, r, g, rank));
}

//===----------------------------------------------------------------------===//
// Order between ranks
//===----------------------------------------------------------------------===//

/// Orders what the whole block did before what the signals after it announce.
/// Every thread releases at system scope before the barrier: a release by the
/// one that signals does not cover the others' stores on every target.
/// One thread of the block that has given up makes the block dead: it has left
/// out a part of what would be announced.
RX_FN void release(Context *c) {
  orderRelease(c);
  c->dead = blockBarrierAny(c->dead != 0);
}
/// Orders the waits before it ahead of the accesses after it.
RX_FN void acquire(Context *c) { orderAcquire(c); }

template <u32 Tags> RX_FN u64 index(size_t tag, size_t tile) {
  return messageIndex(tag, tile, Tags);
}

/// `release` came before. One thread signals for the block.
RX_FN void announce(const Context *c, u64 *word, u64 value) {
  preempt(c);
  if (c->thread == 0 && !c->dead && !anyFailed(&c->p->control->failure))
    tell(c, word, value);
}

/// A `flag` message, or an empty one, has been written to `rank`.
template <u32 Tags>
RX_FN void postMessage(const Context *c, size_t rank, size_t tag, size_t tile) {
  announce(c, blockWord(c, peer(c, rank).out, RCCLX_SIGNAL),
           position(callNumber(c, rank), index<Tags>(tag, tile)));
}
/// Waits for it; `acquire` follows.
template <u32 Tags>
RX_FN void waitMessage(Context *c, size_t rank, size_t tag, size_t tile) {
  waitFor(c, blockWord(c, peer(c, rank).in, RCCLX_SIGNAL),
          position(callNumber(c, rank), index<Tags>(tag, tile)),
          RCCLX_WAIT_MESSAGE, rank);
}

/// This rank has read (and, but for `flag`, reset) a tile from `rank`: its slot
/// may be written again. Sent only where a later tile needs the slot.
template <u32 Tags, u32 Depth>
RX_FN void postCredit(const Context *c, size_t rank, size_t tag, size_t tile,
                      size_t tiles) {
  if (isSlotNeeded(tile, Depth, tiles))
    announce(c, blockWord(c, peer(c, rank).out, RCCLX_CREDIT),
             position(callNumber(c, rank), index<Tags>(tag, tile)));
}
/// Waits until `rank` has taken the tile that used this slot before.
template <u32 Tags, u32 Depth>
RX_FN void waitCredit(Context *c, size_t rank, size_t tag, size_t tile) {
  if (tile >= Depth)
    waitFor(c, blockWord(c, peer(c, rank).in, RCCLX_CREDIT),
            position(callNumber(c, rank), index<Tags>(tag, tile - Depth)),
            RCCLX_WAIT_CREDIT, rank);
}

/// The window holds a tile for all its readers.
template <u32 Tags>
RX_FN void postWindow(const Context *c, size_t tag, size_t tile) {
  for (u32 r = 0; r < c->p->world; ++r)
    if (bit(c->p->readers, r))
      announce(c, blockWord(c, peer(c, r).out, RCCLX_PULL_SIGNAL),
               position(callNumber(c, r), index<Tags>(tag, tile)));
}
/// Waits until all readers have read the tile that used this part of the window
/// before.
template <u32 Tags, u32 Depth>
RX_FN void waitWindow(Context *c, size_t tag, size_t tile) {
  if (tile < Depth)
    return;
  for (u32 r = 0; r < c->p->world; ++r)
    if (bit(c->p->readers, r))
      waitFor(c, blockWord(c, peer(c, r).in, RCCLX_PULL_CREDIT),
              position(callNumber(c, r), index<Tags>(tag, tile - Depth)),
              RCCLX_WAIT_PULL_CREDIT, r);
}
/// Waits for `rank`'s window to hold a tile; `acquire` follows.
template <u32 Tags>
RX_FN void waitPull(Context *c, size_t rank, size_t tag, size_t tile) {
  waitFor(c, blockWord(c, peer(c, rank).in, RCCLX_PULL_SIGNAL),
          position(callNumber(c, rank), index<Tags>(tag, tile)),
          RCCLX_WAIT_PULL, rank);
}
/// This rank has read the tile from `rank`'s window.
template <u32 Tags>
RX_FN void postPull(const Context *c, size_t rank, size_t tag, size_t tile) {
  announce(c, blockWord(c, peer(c, rank).out, RCCLX_PULL_CREDIT),
           position(callNumber(c, rank), index<Tags>(tag, tile)));
}
/// Exit synchronisation: the window is free for the next call.
template <u32 Tags>
RX_FN void drainWindow(Context *c, size_t tag, size_t tiles) {
  waitWindow<Tags, 0>(c, tag, tiles - 1);
}

//===----------------------------------------------------------------------===//
// Begin and end of a call
//===----------------------------------------------------------------------===//

/// Tells every peer of the plan that call n of the pair has started, and waits
/// until the peer has started call n-1: then its call n-2 has ended and half
/// n mod 2 of its slots is clean, whatever plan used it (rules 1 and 2).
/// The `started` store is ordered after the resets of call n-1 by the kernel
/// boundary; the acquire orders this call's first slot writes after the wait.
RX_FN Context begin(const rcclx_kernel_params &p, u32 blockArgument) {
  Context c;
  c.p = kernelParams(p);
  c.since = clock(*c.p);
  c.block = blockIndex(blockArgument);
  c.thread = threadIndex();
  c.dead = 0;
  return c;
}

template <u32 Threads> RX_FN void open(Context *c) {
  Params &p = *c->p;
  // The host has no kernel boundary: the signals order its resets.
  fenceRelease();
  for (u32 r = c->thread; r < p.world; r += Threads)
    if (bit(p.edges, r)) {
      u64 *started = reinterpret_cast<u64 *>(peer(c, r).out + RCCLX_STARTED) +
                     2 * c->block;
      preempt(c);
      storeRelaxed(started + 1, p.plan_hash);
      storeSignal(started, callNumber(c, r));
    }
  for (u32 r = c->thread; r < p.world; r += Threads)
    if (bit(p.edges, r)) {
      const u64 *started =
          reinterpret_cast<u64 *>(peer(c, r).in + RCCLX_STARTED) + 2 * c->block;
      u64 n = callNumber(c, r);
      for (u32 looks = 0; !c->dead && loadSignal(started) + 1 < n; ++looks)
        giveUp(c, looks, RCCLX_WAIT_STARTED, r);
    }
  blockBarrier();
  fenceAcquire();
}

/// Advances the pair call numbers of this block's words (rule 1). A dead call
/// advances nothing: the communicator is dead.
template <u32 Threads> RX_FN void close(Context *c) {
  Params &p = *c->p;
  blockBarrier();
  orderEnd(c);
  if (c->dead)
    return;
  for (u32 r = 0; r < p.world; ++r)
    if (bit(p.edges, r)) {
      u64 *call = peer(c, r).call;
      u64 n = callNumber(c, r);
      blockBarrier();
      for (u32 w = c->block + c->thread * p.grid; w < RCCLX_MAX_BLOCKS;
           w += Threads * p.grid)
        storePlain(call + w, n);
    }
}

} // namespace rx

#endif // RCCLX_DEVICE_H
