//===- Meeting.cpp - Where the ranks of a bench wait for each other -------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Meeting.h"

#include "Clock.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace rcclx::tool {

using namespace runtime;

static_assert(std::atomic<uint32_t>::is_always_lock_free,
              "processes share these words");

static constexpr size_t pageBytes = 4096;
static constexpr size_t headBytes =
    (sizeof(MeetingMemory) + pageBytes - 1) / pageBytes * pageBytes;

Status Meeting::create(int fd, uint32_t world, size_t scratchBytes) {
  if (ftruncate(fd, off_t(headBytes + world * scratchBytes)) != 0)
    return systemError(errno, "the ranks' shared memory");
  return Status();
}

Expected<Meeting> Meeting::map(int fd, uint32_t world, size_t scratchBytes,
                               uint64_t timeoutMs) {
  void *address = mmap(nullptr, headBytes + world * scratchBytes,
                       PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED)
    return systemError(errno, "the ranks' shared memory");
  return Meeting(static_cast<MeetingMemory *>(address), fd, world, scratchBytes,
                 timeoutMs);
}

Meeting::Meeting(Meeting &&other) noexcept
    : memory(std::exchange(other.memory, nullptr)), fd(other.fd),
      size(other.size), scratchBytes(other.scratchBytes),
      timeoutMs(other.timeoutMs), me(other.me) {}

Meeting::~Meeting() {
  if (memory)
    munmap(memory, headBytes + size * scratchBytes);
}

Status Meeting::claimRank() {
  // Relaxed: only the number matters; a barrier follows.
  me = memory->claimed.fetch_add(1, std::memory_order_relaxed);
  if (me >= size)
    return makeError(Code::InvalidUsage,
                     "the launcher started more than {} processes", size);
  return Status();
}

Status Meeting::barrier() {
  // Yielding early: ranks may be more than processors.
  constexpr unsigned spins = 64;
  constexpr unsigned yieldsPerClock = 64;
  std::atomic<uint32_t> &own = memory->ranks[me].entered;
  // Own value, so relaxed. The release publishes all that this rank did before;
  // the acquire of the others' words takes what they did.
  uint32_t target = own.load(std::memory_order_relaxed) + 1;
  own.store(target, std::memory_order_release);
  uint64_t start = 0;
  unsigned rounds = 0;
  for (uint32_t rank = 0; rank != size; ++rank) {
    std::atomic<uint32_t> &other = memory->ranks[rank].entered;
    // Another rank may be one barrier ahead already.
    while (int32_t(other.load(std::memory_order_acquire) - target) < 0) {
      if (++rounds < spins)
        continue;
      sched_yield();
      if (rounds % yieldsPerClock != 0)
        continue;
      RCCLX_RETURN_IF_ERROR(failure());
      if (start == 0)
        start = nowNs();
      else if (nowNs() - start > timeoutMs * 1'000'000)
        return makeError(Code::Timeout, "rank {} waited {} ms for {}", me,
                         timeoutMs, stragglers());
    }
  }
  return Status();
}

Status Meeting::exchange(const void *mine, size_t bytes, void *all) {
  assert(bytes <= MeetingMemory::maxBlob && "no room for it");
  memcpy(memory->ranks[me].blob, mine, bytes);
  RCCLX_RETURN_IF_ERROR(barrier());
  for (uint32_t rank = 0; rank != size; ++rank)
    memcpy(static_cast<char *>(all) + rank * bytes, memory->ranks[rank].blob,
           bytes);
  return barrier(); // before anybody writes the next one
}

Expected<uint64_t> Meeting::largest(uint64_t mine) {
  uint64_t all[maxBenchWorld];
  RCCLX_RETURN_IF_ERROR(exchange(&mine, sizeof(mine), all));
  return *std::max_element(all, all + size);
}

Expected<uint64_t> Meeting::span(uint64_t start, uint64_t end) {
  uint64_t mine[2] = {start, end}, all[maxBenchWorld][2];
  RCCLX_RETURN_IF_ERROR(exchange(mine, sizeof(mine), all));
  for (uint32_t rank = 0; rank != size; ++rank) {
    start = std::min(start, all[rank][0]);
    end = std::max(end, all[rank][1]);
  }
  return std::max<uint64_t>(end - start, 1); // speeds divide by it
}

char *Meeting::scratch(uint32_t rank) const {
  return reinterpret_cast<char *>(memory) + headBytes + rank * scratchBytes;
}

void Meeting::dropScratch() {
  // A refusal only keeps the memory.
  fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(headBytes),
            off_t(size * scratchBytes));
}

void Meeting::setActivity(std::string_view text) {
  char *out = memory->ranks[me].activity;
  size_t length =
      std::min(text.size(), sizeof(MeetingMemory::Rank::activity) - 1);
  memcpy(out, text.data(), length);
  out[length] = 0;
}

void Meeting::fail(const Status &status) {
  uint32_t none = 0;
  // Relaxed: of several writers one wins; the text is published below.
  if (!memory->failed.compare_exchange_strong(none, 1,
                                              std::memory_order_relaxed))
    return;
  memory->failureCode = int32_t(status.code());
  const std::string &text = status.message();
  size_t length = std::min(text.size(), sizeof(memory->failure) - 1);
  memcpy(memory->failure, text.data(), length);
  memory->failure[length] = 0;
  // Release: who sees 2 sees the text.
  memory->failed.store(2, std::memory_order_release);
}

Status Meeting::failure() const {
  // Acquire: see fail().
  if (memory->failed.load(std::memory_order_acquire) != 2)
    return Status();
  return Status(Code(memory->failureCode), memory->failure);
}

uint32_t Meeting::started() const {
  // Relaxed, as in claimRank().
  return memory->claimed.load(std::memory_order_relaxed);
}

uint64_t Meeting::progress() const {
  uint64_t sum = started();
  // Relaxed: whether the sum changes is all that is asked.
  for (uint32_t rank = 0; rank != size; ++rank)
    sum += memory->ranks[rank].entered.load(std::memory_order_relaxed);
  return sum;
}

std::string Meeting::stragglers() const {
  if (started() < size)
    return fmt::format("{} of {} ranks, which have not started",
                       size - started(), size);
  std::vector<uint32_t> entered(size);
  for (uint32_t rank = 0; rank != size; ++rank)
    entered[rank] = memory->ranks[rank].entered.load(std::memory_order_relaxed);
  uint32_t least = *std::min_element(entered.begin(), entered.end());
  std::string text;
  for (uint32_t rank = 0; rank != size; ++rank)
    if (entered[rank] == least)
      text += fmt::format("{}rank {} ({})", text.empty() ? "" : ", ", rank,
                          memory->ranks[rank].activity);
  return text;
}

} // namespace rcclx::tool
