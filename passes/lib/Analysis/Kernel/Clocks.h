//===- Clocks.h - What happened before what in a kernel's proof -*- C++ -*-===//
//
// Part of rcclx. Vector clocks over agents: an agent is one block group of one
// rank. Order goes the way of fences only: what an agent did before a `release`
// is known to who sees a signal posted after it, once that one has done an
// `acquire`.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_LIB_ANALYSIS_KERNEL_CLOCKS_H
#define RCCLX_LIB_ANALYSIS_KERNEL_CLOCKS_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace rcclx {

using AgentId = uint32_t;

/// The time of every agent up to which something is known. Shared until it
/// changes.
struct Times : llvm::RefCountedBase<Times> {
  explicit Times(size_t size) : of(size, 0) {}
  Times(const Times &) = default;
  std::vector<uint32_t> of;
};

/// What a `release` published.
struct Released : llvm::RefCountedBase<Released> {
  AgentId agent;
  uint32_t time;
  llvm::IntrusiveRefCntPtr<Times> known;
};
using ReleasedRef = llvm::IntrusiveRefCntPtr<Released>;

/// When something was done, and by whom.
struct Moment {
  AgentId agent = 0;
  uint32_t time = 0; ///< 0: never.
};

class Clock {
public:
  Clock(AgentId self, size_t numAgents) : self(self), numAgents(numAgents) {}

  Moment now() const { return {self, time}; }

  bool knows(Moment moment) const {
    return moment.agent == self || moment.time == 0 ||
           (known && known->of[moment.agent] >= moment.time);
  }

  /// What was done up to now, for the signals that follow.
  void release() {
    released = new Released;
    released->agent = self;
    released->time = time++;
    released->known = known;
  }
  const ReleasedRef &getReleased() const { return released; }

  /// A signal with this behind it was seen: known after the next `acquire`.
  void see(const ReleasedRef &other) {
    if (other && !knows({other->agent, other->time}))
      pending.push_back(other);
  }

  void acquire() {
    for (const ReleasedRef &other : pending)
      join(*other);
    pending.clear();
  }

private:
  void join(const Released &other) {
    // Who knows of a release knows all that it published.
    if (knows({other.agent, other.time}))
      return;
    if (!known)
      known = new Times(numAgents);
    else if (known->UseCount() > 1)
      known = new Times(*known);
    std::vector<uint32_t> &mine = known->of;
    if (other.known)
      for (size_t i = 0; i < mine.size(); ++i)
        mine[i] = std::max(mine[i], other.known->of[i]);
    mine[other.agent] = std::max(mine[other.agent], other.time);
  }

  AgentId self;
  size_t numAgents;
  uint32_t time = 1;
  llvm::IntrusiveRefCntPtr<Times> known;
  ReleasedRef released;
  llvm::SmallVector<ReleasedRef, 4> pending;
};

} // namespace rcclx

#endif // RCCLX_LIB_ANALYSIS_KERNEL_CLOCKS_H
