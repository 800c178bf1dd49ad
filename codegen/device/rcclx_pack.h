//===- rcclx_pack.h - What one iteration of a loop does ---------*- C++ -*-===//
//
// Part of rcclx. A pack is `packGroups` groups that follow each other: one on
// GPUs, where threads are many; several on the host, so that the bounds of a
// range and of a buffer are looked at once for all of them. The last pack of a
// range may have fewer groups in it: the others are zero and are not stored or
// sent.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_PACK_H
#define RCCLX_PACK_H

#include "rcclx_device.h"

namespace rx {

struct Pack {
  Group group[packGroups];
};

/// Granules from one pack of a thread to its next.
template <u32 Threads> RX_FN size_t stride() { return Threads * packGroups; }

RX_FN bool isWhole(size_t g, u64 end) { return g + packGroups <= end; }

//===----------------------------------------------------------------------===//
// User buffers
//===----------------------------------------------------------------------===//

// One group in a pack is in its range, since the loop is: nothing to look at
// that the group's own function does not.

/// Whether a pack lies in its range and has all its elements in the block.
template <typename T> RX_FN bool isWhole(size_t g, Range r, Buffer b) {
  u64 full = b.count / Elements<T>::perGroup;
  return isWhole(g, r.hi < full ? r.hi : full);
}

/// Granules g, g + 1, ... of a block; elements past its end read as zero.
template <typename T> RX_FN Pack load(Buffer b, Range r, size_t g) {
  Pack v;
  const char *p = b.base + g * groupBytes;
  if constexpr (packGroups == 1) {
    v.group[0] = load<T>(b, g);
  } else if (isWhole<T>(g, r, b) && wideAccess(p)) {
    for (u32 i = 0; i < packGroups; ++i)
      v.group[i] = loadGroup(p + i * groupBytes);
  } else {
    for (u32 i = 0; i < packGroups; ++i)
      v.group[i] = g + i < r.hi ? toGroup(loadRest<T>(b, g + i)) : Group{};
  }
  return v;
}
template <typename T> RX_FN void store(Pack v, Buffer b, Range r, size_t g) {
  char *p = b.base + g * groupBytes;
  if constexpr (packGroups == 1) {
    store<T>(v.group[0], b, g);
  } else if (isWhole<T>(g, r, b) && wideAccess(p)) {
    for (u32 i = 0; i < packGroups; ++i)
      storeGroup(p + i * groupBytes, v.group[i]);
  } else {
    for (u32 i = 0; i < packGroups; ++i)
      if (g + i < r.hi)
        storeRest<T>(v.group[i], b, g + i);
  }
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

template <typename T, typename Protocol>
RX_FN void send(const Context *c, Pack v, char *slot, Range r, size_t g) {
  if (packGroups == 1 || isWhole(g, r.hi)) {
    for (u32 i = 0; i < packGroups; ++i)
      send<T, Protocol>(c, v.group[i], slot, r, g + i);
  } else {
    for (u32 i = 0; i < packGroups; ++i)
      if (g + i < r.hi)
        sendRest<T, Protocol>(c, v.group[i], slot, r, g + i);
  }
}
template <typename T, typename Protocol>
RX_FN Pack recvPack(Context *c, char *slot, Range r, size_t g, size_t rank) {
  Pack v;
  if (packGroups == 1 || isWhole(g, r.hi)) {
    for (u32 i = 0; i < packGroups; ++i)
      v.group[i] = recv<T, Protocol>(c, slot, r, g + i, rank);
  } else {
    for (u32 i = 0; i < packGroups; ++i)
      v.group[i] = g + i < r.hi
                       ? toGroup(recvRest<T, Protocol>(c, slot, r, g + i, rank))
                       : Group{};
  }
  return v;
}

//===----------------------------------------------------------------------===//
// Element loops that move groups as they are
//===----------------------------------------------------------------------===//

// With protocols that leave arrival to a signal. Where one thread has long runs
// of granules (the host), it copies them at once.

/// Copies the granules of a range that have all their elements in a block of
/// `count`; `to` and `from` are where the thread's first granule lies. Returns
/// the granule to go on with.
template <typename T>
RX_FN size_t copyWhole(const Context *c, Range r, u64 count, char *to,
                       const char *from) {
  size_t g = first(c, r);
  if constexpr (packGroups > 1) {
    u64 full = count / Elements<T>::perGroup;
    u64 end = r.hi < full ? r.hi : full;
    if (g < end) {
      preempt(c);
      copyBytes(to, from, (end - g) * groupBytes);
      g = end;
    }
  }
  return g;
}

RX_FN char *firstOf(const Context *c, Range r, Buffer b) {
  return b.base + first(c, r) * groupBytes;
}
RX_FN char *firstOf(const Context *c, Range r, char *slot) {
  return slot + (first(c, r) - r.origin) * groupBytes;
}

/// From a block to a slot.
template <typename T, typename Protocol, u32 Threads>
RX_FN void put(const Context *c, Range r, Buffer from, char *slot) {
  size_t g =
      copyWhole<T>(c, r, from.count, firstOf(c, r, slot), firstOf(c, r, from));
  for (; g < limit(r); g += stride<Threads>())
    send<T, Protocol>(c, load<T>(from, r, g), slot, r, g);
}
/// From a slot to a block.
template <typename T, typename Protocol, u32 Threads>
RX_FN void take(Context *c, Range r, char *slot, size_t rank, Buffer to) {
  size_t g =
      copyWhole<T>(c, r, to.count, firstOf(c, r, to), firstOf(c, r, slot));
  for (; g < limit(r); g += stride<Threads>())
    store<T>(recvPack<T, Protocol>(c, slot, r, g, rank), to, r, g);
}
/// From a block to another.
template <typename T, u32 Threads>
RX_FN void copy(const Context *c, Range r, Buffer from, Buffer to) {
  size_t g =
      copyWhole<T>(c, r, to.count, firstOf(c, r, to), firstOf(c, r, from));
  for (; g < limit(r); g += stride<Threads>())
    store<T>(load<T>(from, r, g), to, r, g);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename T> RX_FN Pack prescale(const Context *c, Pack v) {
  for (u32 i = 0; i < packGroups; ++i)
    v.group[i] = prescale<T>(c, v.group[i]);
  return v;
}

template <typename T> struct PackAcc {
  Acc<T> group[packGroups];
};
template <typename T, typename Op> RX_FN PackAcc<T> identityPack() {
  PackAcc<T> a;
  for (u32 i = 0; i < packGroups; ++i)
    a.group[i] = identity<T, Op>();
  return a;
}
template <typename T, typename Op>
RX_FN PackAcc<T> reduce(PackAcc<T> a, Pack v) {
  for (u32 i = 0; i < packGroups; ++i)
    a.group[i] = reduce<T, Op>(a.group[i], v.group[i]);
  return a;
}
template <typename T> RX_FN Pack round(PackAcc<T> a) {
  Pack v;
  for (u32 i = 0; i < packGroups; ++i)
    v.group[i] = round<T>(a.group[i]);
  return v;
}
template <typename T, typename Op, u32 World> RX_FN Pack finish(PackAcc<T> a) {
  Pack v;
  for (u32 i = 0; i < packGroups; ++i)
    v.group[i] = finish<T, Op, World>(a.group[i]);
  return v;
}

} // namespace rx

#endif // RCCLX_PACK_H
