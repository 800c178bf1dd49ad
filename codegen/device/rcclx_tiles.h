//===- rcclx_tiles.h - Tiles, slots and arrival counters --------*- C++ -*-===//
//
// Part of rcclx. The arithmetic that both ends of a message share. It depends
// on nothing but its arguments: kernels and the proof of kernels
// (rcclx-verify-kernel) compile these very functions.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TILES_H
#define RCCLX_TILES_H

#include "rcclx_index.h"

namespace rx {

/// Tiles of the longest slice, num/den of a block of `granules`. At least one,
/// so that empty messages are sent like others.
RX_FN u64 tileCount(u64 granules, u64 num, u64 den, u64 tileSize) {
  u64 longest = (granules * num + den - 1) / den;
  u64 n = (longest + tileSize - 1) / tileSize;
  return n ? n : 1;
}

/// What one block does of one tile of a slice: granules lo to hi. Offsets in a
/// slot count from `origin`.
struct Range {
  u64 origin, lo, hi;
};

/// What block `block` of `blocks` does of tile `tile` of slice (a, l, d).
/// Depends only on what both ends of a message agree on.
RX_FN Range tileRange(u64 granules, u64 tile, u64 a, u64 l, u64 d, u64 tileSize,
                      u32 block, u32 blocks) {
  u64 start = d ? a * granules / d : 0, end = d ? (a + l) * granules / d : 0;
  Range r;
  r.origin = start + tile * tileSize;
  if (r.origin > end)
    r.origin = end;
  u64 last = r.origin + tileSize < end ? r.origin + tileSize : end;
  // A block's part of a slot is the same in every tile, also in a shorter last
  // one: credits go from block to block.
  u64 full = end - start < tileSize ? end - start : tileSize;
  u64 each = (full + blocks - 1) / blocks;
  r.lo = r.origin + block * each;
  r.hi = r.lo + each < last ? r.lo + each : last;
  return r;
}

/// Which of the slots of a pair holds a tile of a message. Depends on tag and
/// tile only, at either end.
RX_FN u64 slotIndex(u64 tag, u64 tile, u64 depth) {
  return tag * depth + tile % depth;
}

/// Where a tile of a message stands among all of a call.
RX_FN u64 messageIndex(u64 tag, u64 tile, u64 tags) {
  return tile * tags + tag;
}

/// Whether a later tile of the call needs the slot of this one.
RX_FN bool isSlotNeeded(u64 tile, u64 depth, u64 tiles) {
  return tile + depth < tiles;
}

/// Arrival counters: 40 bits of the pair's call number, then 24 bits of the
/// position in the call, from 1.
RX_FN u64 position(u64 call, u64 index) { return call << 24 | (index + 1); }

/// Whether a counter has passed `wanted`. The peer may be one call ahead, never
/// two (it waits for this rank's `started` word), so a word left by any other
/// call is older.
RX_FN bool passed(u64 word, u64 wanted) {
  u64 ahead = (word >> 24) - (wanted >> 24) & 0xffffffffffu;
  return ahead == 1 || (ahead == 0 && word >= wanted);
}

} // namespace rx

#endif // RCCLX_TILES_H
