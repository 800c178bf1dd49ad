//===- Hub.h - Rank 0's end of the star -------------------------*- C++ -*-===//
//
// Part of rcclx. The ranks of a node form a star: one socket from each rank to
// a thread of rank 0's process. Start-up takes 3 messages per rank and O(ranks)
// memory in the hub; at 256 ranks a tree would save nothing that can be
// measured. The hub sees the end of every process by its socket, whatever
// killed it. When its rank leaves, it hands its ends of the sockets over to a
// rank that stays: the others do not notice, nor do messages under way.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_BOOTSTRAP_HUB_H
#define RCCLX_RUNTIME_BOOTSTRAP_HUB_H

#include "UniqueId.h"
#include "Wire.h"

#include <memory>
#include <optional>
#include <thread>

namespace rcclx::runtime {

class Hub {
public:
  /// Listens at `id` and starts the thread. `timeoutMs` bounds the joining of
  /// all ranks. InvalidUsage when the id is in use.
  static Expected<std::unique_ptr<Hub>>
  start(const UniqueId &id, uint32_t world, uint64_t timeoutMs);
  /// Relays what has arrived, then hands over to a rank that has not left.
  ~Hub();

  /// What one hub hands over to the next.
  struct Handover {
    struct Entry {
      wire::HandoverEntry about;
      UniqueFd socket;
    };
    std::vector<Entry> entries;
    uint64_t gatherSequence = 0;
  };
  /// Goes on where another hub of `world` ranks has stopped.
  static Expected<std::unique_ptr<Hub>> adopt(Handover handover,
                                              uint32_t world);

private:
  struct Rank {
    UniqueFd socket;
    UniqueFd memory; // until it is distributed
    wire::TableEntry entry{};
    bool joined = false;
    bool left = false; // makes no more calls
  };
  struct Gather {
    std::vector<std::optional<std::string>> blobs;
    uint32_t arrived = 0;
    std::optional<Deadline> deadline;
  };

  Hub(const UniqueId &id, uint32_t world, uint64_t timeoutMs)
      : id(id), timeoutMs(timeoutMs), ranks(world) {}
  Status startThread(void (Hub::*body)());

  void run();
  Status join();
  /// The next connection; invalid when it went away meanwhile.
  Expected<UniqueFd> accept();
  /// Takes one rank's Hello. False, with the reason sent, when it is refused.
  bool admit(UniqueFd socket);
  Status distribute();
  Status distributeTo(uint32_t rank, const std::string &table);
  void relay();
  /// Passes the sockets on; to nobody when no rank is left that can take them.
  void handOver();
  Status handOverTo(uint32_t successor);
  /// What rank sent; an error means that the rank is lost.
  Status handle(uint32_t rank);
  Status handleGather(uint32_t rank, wire::Reader &reader);
  void checkGatherDeadline();
  void lose(uint32_t rank, std::string_view why);
  void broadcast(const std::string &message, uint32_t except);
  /// Tells all that have joined; returns `status`.
  Status refuseAll(const Status &status, uint32_t culprit);
  /// Answers those that come after a failed start-up, until the destructor.
  void refuseLate(const Status &status);

  const UniqueId id;
  const uint64_t timeoutMs;
  UniqueFd listener;
  UniqueFd stopEvent;
  std::vector<Rank> ranks;
  Status joinFailure;
  uint64_t gatherSequence = 0;
  Gather gather;
  std::thread thread; // last: it uses all of the above
};

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_BOOTSTRAP_HUB_H
