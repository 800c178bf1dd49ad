//===- Meeting.h - Where the ranks of a bench wait for each other -*- C++ -*-=//
//
// Part of rcclx. A shared mapping, so that the harness uses none of the
// libraries that it measures.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_BENCH_MEETING_H
#define RCCLX_TOOLS_RCCLX_BENCH_MEETING_H

#include "Data.h"
#include "rcclx/Runtime/Status.h"

#include <atomic>
#include <string_view>

namespace rcclx::tool {

/// The start of the shared file, zero at first. The scratch areas of the ranks
/// follow it.
struct MeetingMemory {
  static constexpr size_t maxBlob = 32768;

  struct Rank {
    /// Barriers that this rank has entered.
    alignas(64) std::atomic<uint32_t> entered;
    /// What the rank does, for the parent's message when it hangs: text that
    /// may be torn.
    char activity[128];
    alignas(64) char blob[maxBlob];
  };

  std::atomic<uint32_t> claimed; // ranks that have started
  /// 0; 1: a rank writes `failure`; 2: it is written.
  std::atomic<uint32_t> failed;
  int32_t failureCode;
  char failure[4096];
  Rank ranks[maxBenchWorld];
};

/// One rank's, or the parent's, view of it.
class Meeting {
public:
  /// Sizes the file, which is empty, for `world` ranks with `scratchBytes` of
  /// scratch memory each: a multiple of the page size.
  static runtime::Status create(int fd, uint32_t world, size_t scratchBytes);
  /// Maps it. Waits for other ranks last `timeoutMs` at most.
  static runtime::Expected<Meeting>
  map(int fd, uint32_t world, size_t scratchBytes, uint64_t timeoutMs);
  Meeting(Meeting &&other) noexcept;
  Meeting &operator=(Meeting &&) = delete;
  ~Meeting();

  /// The number of the calling rank. InvalidUsage when there are more than
  /// `world`.
  runtime::Status claimRank();
  uint32_t rank() const { return me; }
  uint32_t world() const { return size; }

  /// Returns when all ranks have called it. Remote when one has failed, Timeout
  /// naming those that are late.
  runtime::Status barrier();
  /// all[r] gets rank r's `mine`, of at most maxBlob bytes.
  runtime::Status exchange(const void *mine, size_t bytes, void *all);
  /// The largest value of all ranks.
  runtime::Expected<uint64_t> largest(uint64_t mine);
  /// From the first rank's `start` to the last one's `end`. Where ranks share
  /// processors, no rank's own time is that of all.
  runtime::Expected<uint64_t> span(uint64_t start, uint64_t end);

  /// Memory of `rank` that all ranks see.
  char *scratch(uint32_t rank) const;
  /// Gives the scratch memory back to the system.
  void dropScratch();

  void setActivity(std::string_view text);
  /// Tells everybody; the first call counts.
  void fail(const runtime::Status &status);
  /// The first failure; OK when there is none.
  runtime::Status failure() const;

  // Of the parent.
  /// Ranks that have claimed a number.
  uint32_t started() const;
  /// Grows as ranks proceed.
  uint64_t progress() const;
  /// The ranks that have passed the fewest barriers, and what they do.
  std::string stragglers() const;

private:
  Meeting(MeetingMemory *memory, int fd, uint32_t world, size_t scratchBytes,
          uint64_t timeoutMs)
      : memory(memory), fd(fd), size(world), scratchBytes(scratchBytes),
        timeoutMs(timeoutMs) {}

  MeetingMemory *memory;
  int fd;
  uint32_t size;
  size_t scratchBytes;
  uint64_t timeoutMs;
  uint32_t me = 0;
};

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_BENCH_MEETING_H
