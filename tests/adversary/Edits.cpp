//===- Edits.cpp - Kernels that are wrong on purpose ----------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Edits.h"

namespace rcclx::adversary {

// What the adversary must find (tests/adversary/CMakeLists.txt): each wait,
// reset and half of docs/Protocols.md, left out.
static constexpr Edit wrong[] = {
    {"no-ll-reset",
     R"(    putPacket(c, p, Group{{0, 0, 0, 0}});
    putPacket(c, p + 16, Group{{0, 0, 0, 0}});
)",
     ""},
    {"no-sentinel-reset",
     R"(    putPacket(c, p, Group{{0, 0, 0, 0}});
    for)",
     "    for"},
    // What others do instead of a reset: clear the slots of the last call by
    // the count of this one.
    {"clear-by-count",
     R"(    putPacket(c, p, Group{{0, 0, 0, 0}});
    for)",
     "    for",
     R"(  // The host has no kernel boundary: the signals order its resets.
)",
     R"(
  for (u32 r = 0; r < p.world; ++r)
    if (bit(p.edges, r)) {
      char *last = peer(c, r).in + RCCLX_SENTINEL +
                   (~callNumber(c, r) & 1) * RCCLX_HALF_BYTES;
      for (u64 at = 0; at < p.count * 32 && at < RCCLX_HALF_BYTES; at += 16)
        storePacket(last + at, Group{{0, 0, 0, 0}});
    }
)"},
    {"half-of-a-packet", "(g.word[1] & top) != 0 && (g.word[3] & top) != 0",
     "(g.word[3] & top) != 0"},
    {"half-of-the-flags",
     "!(low.word[1] & low.word[3] & high.word[1] & high.word[3])",
     "!(low.word[1] & high.word[3])"},
    {"no-started-wait", "!c->dead && loadSignal(started) + 1 < n;",
     "!c->dead && loadSignal(started) + 1 < n && false;"},
    {"no-credit-wait",
     R"(  if (tile >= Depth)
    waitFor(c, blockWord(c, peer(c, rank).in, RCCLX_CREDIT))",
     R"(  if (tile >= Depth && false)
    waitFor(c, blockWord(c, peer(c, rank).in, RCCLX_CREDIT))"},
    {"no-message-wait",
     R"(  waitFor(c, blockWord(c, peer(c, rank).in, RCCLX_SIGNAL))",
     R"(  if (false)
    waitFor(c, blockWord(c, peer(c, rank).in, RCCLX_SIGNAL))"},
    {"no-pull-wait",
     R"(  waitFor(c, blockWord(c, peer(c, rank).in, RCCLX_PULL_SIGNAL))",
     R"(  if (false)
    waitFor(c, blockWord(c, peer(c, rank).in, RCCLX_PULL_SIGNAL))"},
    {"no-window-wait", "  if (tile < Depth)\n    return;",
     "  if (tile < Depth || Depth)\n    return;"},
    {"no-drain", "  waitWindow<Tags, 0>(c, tag, tiles - 1);", ""},
    {"one-half", "(callNumber(c, rank) & 1) * RCCLX_HALF_BYTES",
     "(callNumber(c, rank) & 0) * RCCLX_HALF_BYTES"},
    {"signal-too-early",
     R"(  announce(c, blockWord(c, peer(c, rank).out, RCCLX_SIGNAL),
           position(callNumber(c, rank), index<Tags>(tag, tile))))",
     R"(  announce(c, blockWord(c, peer(c, rank).out, RCCLX_SIGNAL),
           position(callNumber(c, rank), index<Tags>(tag, tile) + 1)))"},
    {"positions-without-call", "return call << 24 | (index + 1);",
     "return call / 4 << 24 | (index + 1);"},
    {"credit-not-sent", "if (isSlotNeeded(tile, Depth, tiles))",
     "if (isSlotNeeded(tile, Depth, tiles) && tile % 2)"},
    {"call-of-one-block",
     "for (u32 w = c->block + c->thread * p.grid; w < RCCLX_MAX_BLOCKS;",
     "for (u32 w = c->block + c->thread * p.grid; w < p.grid;"},
};

// What ThreadSanitizer must find: each acquire and release of the host's
// header, and each place that relies on it, made relaxed.
static constexpr Edit unordered[] = {
    {"relaxed-load", "return __atomic_load_n(p, __ATOMIC_ACQUIRE);",
     "return __atomic_load_n(p, __ATOMIC_RELAXED);"},
    {"relaxed-store", "__atomic_store_n(p, v, __ATOMIC_RELEASE);",
     "__atomic_store_n(p, v, __ATOMIC_RELAXED);"},
    {"relaxed-wait",
     "#ifndef RX_STRICT_ORDER\nRX_FN u64 look(const u64 *word) { return "
     "loadSignal(word); }",
     "#ifndef RX_STRICT_ORDER\nRX_FN u64 look(const u64 *word) { return "
     "loadRelaxed(word); }"},
    {"relaxed-signal", "u64 *word, u64 v) { storeSignal(word, v); }",
     "u64 *word, u64 v) { storeRelaxed(word, v); }"},
    {"relaxed-started-wait", "!c->dead && loadSignal(started)",
     "!c->dead && loadRelaxed(started)"},
    {"relaxed-started", "storeSignal(started, callNumber(c, r));",
     "storeRelaxed(started, callNumber(c, r));"},
};

std::span<const Edit> wrongEdits() { return wrong; }
std::span<const Edit> unorderedEdits() { return unordered; }

} // namespace rcclx::adversary
