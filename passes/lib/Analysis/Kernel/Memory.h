//===- Memory.h - Slots, counters and buffers of a kernel's proof -*- C++
//-*-===//
//
// Part of rcclx. What lies in the memory of docs/Protocols.md while a kernel is
// proved. The granules of a loop over elements are one piece of data.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_LIB_ANALYSIS_KERNEL_MEMORY_H
#define RCCLX_LIB_ANALYSIS_KERNEL_MEMORY_H

#include "Clocks.h"
#include "rcclx/Analysis/KernelProgram.h"
#include "rcclx/Analysis/Terms.h"
#include <array>
#include <limits>
#include <map>

namespace rcclx {

/// Position in the order of loops that wait after they have sent (Machine.h).
using Level = uint64_t;

constexpr uint64_t everyGranule = std::numeric_limits<uint64_t>::max();

/// Element groups in registers or in a slot: granules lo to hi of a block.
struct Datum {
  uint64_t lo;
  uint64_t hi; ///< everyGranule: the neutral element.
  TermId term;
  uint32_t call;  ///< Whose data it is; 0: the neutral element.
  bool isRaw;     ///< Input that was not multiplied by the scale.
  bool isChanged; ///< A copy that `sentinel` has made canonical.
};

/// What lies in the slot of a tile of a message, or in a part of a window.
struct Slot {
  bool isFull = false; ///< For `ll` and `sentinel`: until it is reset.
  Datum datum = {};
  uint64_t origin = 0; ///< The granule at its start.
  uint32_t each = 0;   ///< How it is cut into blocks.
  Level level = 0;
  Level loop = 0; ///< The sender's loop, where that waits after it has sent.
  SourceOp writer = 0;
  SourceOp reader = 0;
  Moment written;
  llvm::SmallVector<Moment, 1> read; ///< Since it was written; resets too.
};

/// One value of an arrival counter.
struct Post {
  uint64_t value;
  Level level;
  ReleasedRef released;
};

constexpr AgentId nobody = ~AgentId(0);

/// An arrival counter, with the values that it had since the one that ended the
/// last wait.
struct Counter {
  std::vector<Post> posts;
  AgentId waiter = nobody;
};

enum class CounterKind : uint8_t {
  Started,
  Signal,
  Credit,
  PullSignal,
  PullCredit
};
constexpr size_t numCounterKinds = 5;

/// What one rank writes into the memory of another.
struct Region {
  uint32_t source;
  uint32_t destination;
  /// Per block group.
  std::vector<std::array<Counter, numCounterKinds>> counters;
  /// By protocol and half, and then by number: where there is any.
  std::array<std::vector<Slot>, 6> slots;
  llvm::SmallVector<AgentId, 1> waiters; ///< For packets.
};

/// Granules of a user buffer that one agent has written or read.
struct Access {
  uint64_t hi;
  uint64_t each; ///< How they are cut into blocks.
  TermId term;
  AgentId agent;
  SourceOp op;
};

/// By block and first granule.
using AccessMap = std::map<std::pair<uint32_t, uint64_t>, Access>;

/// The first of `accesses` that shares a granule of `block`; null if none does.
const AccessMap::value_type *findOverlap(const AccessMap &accesses,
                                         uint32_t block, uint64_t lo,
                                         uint64_t hi);

/// The buffers of one rank during a call.
struct UserMemory {
  AccessMap output;
  AccessMap scratch;
  /// What was read of it, by the output block in whose memory it lies.
  AccessMap input;

  void clear() {
    output.clear();
    scratch.clear();
    input.clear();
  }
};

} // namespace rcclx

#endif // RCCLX_LIB_ANALYSIS_KERNEL_MEMORY_H
