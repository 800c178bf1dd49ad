//===- CallRing.h - The recent calls of a communicator ----------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_EXEC_CALLRING_H
#define RCCLX_RUNTIME_EXEC_CALLRING_H

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace rcclx::runtime {

/// Remembers calls by number, for messages to people. Calls end in the order in
/// which they are issued, so a count of those that have ended says which are
/// under way. One thread issues and one ends at a time; any may read.
class CallRing {
public:
  /// Call `number`, counted from 1, is about to start.
  void issue(uint64_t number, uint64_t plan, uint64_t count) {
    Entry &entry = entries[number % size];
    // Relaxed: a reader may see a call that is half another one's, in a text.
    entry.number.store(number, std::memory_order_relaxed);
    entry.plan.store(plan, std::memory_order_relaxed);
    entry.count.store(count, std::memory_order_relaxed);
  }
  void end() { ended.fetch_add(1, std::memory_order_relaxed); }

  /// "call 7 (plan 0123456789abcdef, 1000 elements): under way", the latest
  /// first, at most `most` of them, with `separator` between.
  std::string describe(size_t most, const char *separator) const;
  uint64_t endedCalls() const { return ended.load(std::memory_order_relaxed); }

  static constexpr size_t size = 32;

private:
  struct Entry {
    std::atomic<uint64_t> number{0}, plan{0}, count{0};
  };
  std::array<Entry, size> entries;
  std::atomic<uint64_t> ended{0};
};

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_EXEC_CALLRING_H
