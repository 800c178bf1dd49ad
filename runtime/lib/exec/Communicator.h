//===- Communicator.h - Ranks that run plans together -----------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_EXEC_COMMUNICATOR_H
#define RCCLX_RUNTIME_EXEC_COMMUNICATOR_H

#include "../bootstrap/Control.h"
#include "CallRing.h"
#include "rcclx/Runtime/Device.h"
#include "rcclx/Runtime/Options.h"
#include "rcclx/Runtime/PlanCache.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace rcclx::runtime {

class Communicator;

/// A plan that all ranks of a communicator have agreed on and loaded. It may be
/// launched at once and from then on.
struct PreparedPlan {
  std::shared_ptr<Communicator> communicator;
  std::shared_ptr<const Plan> plan;
  std::unique_ptr<Module> module;
  rcclx_kernel_params params; // all but the buffers and the count
  bool cached = false;        // false: compiled for this call
  std::vector<char> stage;    // for calls in place, where the plan needs it
  std::vector<char> scratch;  // of the kernel, where it has some
};

struct CallArguments {
  const void *input = nullptr;
  void *output = nullptr;
  uint64_t count = 0;
  std::optional<uint64_t> scale; // of premul_sum: bits of the accumulator
};

/// One rank. All calls but abort, status and synchronize may be made by one
/// thread at a time; a second one gets InvalidUsage, found by an atomic try.
///
/// The first failure (of a peer, of a wait, of the user: abort) is final: it is
/// the result of every later call.
///
/// Teardown, in this order: the others are told, streams drain, the hub lets
/// this rank go, the hub goes elsewhere if it was here, the watchdog ends;
/// memory is unmapped with the last plan and stream.
class Communicator final : public ControlListener {
public:
  struct Settings {
    UniqueId id{};
    uint32_t rank = 0;
    uint32_t world = 0;
    std::string device = "host";
    uint64_t timeoutMs = 0;
    Options options;
    std::string meeting; // how the ranks met, where an error should say so
  };

  /// Collective. InvalidArgument for a bad rank, world or id; Timeout, naming
  /// the ranks, when not all come within the deadline.
  static Expected<std::shared_ptr<Communicator>> create(Settings settings);
  ~Communicator();

  /// Collective: agrees on the plan for `request` (world and target are filled
  /// in), compiles it on one rank where it is not cached, and loads it. Ends on
  /// all ranks before any can launch. An error is the same on all ranks.
  static Expected<std::shared_ptr<PreparedPlan>>
  prepare(const std::shared_ptr<Communicator> &self, PlanRequest request);

  /// Collective: a communicator of the ranks with the same `color`, ordered by
  /// `key`, then by rank; null for a negative color. All ranks return the same
  /// error when one group cannot be made. It outlives this communicator.
  Expected<std::shared_ptr<Communicator>> split(int32_t color, int32_t key);

  Expected<std::shared_ptr<Stream>> createStream();

  /// Starts one call on `stream`. Neither allocates nor waits, unless the
  /// stream's queue is full. Launches on several streams run in issue order.
  /// With a null stream, the call has ended when this returns, with the
  /// communicator's status.
  Status launch(PreparedPlan &plan, const CallArguments &arguments,
                const std::shared_ptr<Stream> &stream);
  /// What launch checks before it does anything.
  void reserve(std::vector<char> &memory, uint64_t bytes);
  Status check(const PreparedPlan &plan, const CallArguments &arguments) const;

  /// Waits for all launched work. Any thread.
  void drain();
  /// Ends this rank's part: running kernels end, all ranks get an error. Any
  /// thread.
  void abort();
  /// OK, or why the communicator is dead. Any thread.
  Status status() const;
  /// State, and the recent calls, in lines for people. Any thread.
  std::string dump() const;
  /// Leaves: waits for launched work, then tells the others. Later calls fail.
  Status leave();

  uint32_t rank() const { return settings.rank; }
  uint32_t world() const { return settings.world; }

  // ControlListener
  void onFailure(const Status &status) override;
  void onLeave(uint32_t rank, uint64_t calls) override;
  Status onHandover(Hub::Handover handover) override;

private:
  explicit Communicator(Settings settings) : settings(std::move(settings)) {}
  Status connect();
  Status mapPeer(uint32_t rank, const MemoryName &memory, int fd);
  /// The first error wins; true when this is it.
  bool die(const Status &status);
  void failWithoutRank(uint32_t rank, uint64_t calls);
  static void kernelEnded(void *plan, const rcclx_kernel_params &params);
  void kernelFailed(const PreparedPlan &plan,
                    const rcclx_kernel_params &params);

  // Preparation, in Prepare.cpp.
  Expected<std::vector<std::string>> exchange(std::string_view blob,
                                              uint64_t timeoutMs);
  Expected<CachedPlan> obtain(const PlanRequest &request);
  Expected<std::shared_ptr<const Plan>> open(PlanRequest &request) const;
  Expected<std::string> obtainTogether(const PlanRequest &request,
                                       PreparedPlan &out, CachedPlan &obtained);
  Status load(const PlanRequest &request, PreparedPlan &out);
  rcclx_kernel_params makeParams(const Plan &plan) const;

  const Settings settings;
  std::unique_ptr<Device> device;
  // Shared with the peers: the window, then one region per source.
  std::unique_ptr<Memory> shared;
  // This rank's own: the control block, then the call words.
  std::unique_ptr<Memory> own;
  std::vector<std::unique_ptr<Memory>> imported;
  std::vector<rcclx_peer> peers; // by rank
  rcclx_control *controlBlock = nullptr;

  std::unique_ptr<Hub> hub; // rank 0's, later that of a rank that stays
  std::unique_ptr<Control> control;

  std::atomic<bool> entered{false};
  std::atomic<bool> dead{false};
  mutable std::mutex mutex; // of what follows
  Status sticky;
  bool hasLeft = false;
  bool departed = false; // the hub does not come here any more
  std::vector<std::weak_ptr<Stream>> streams;
  std::shared_ptr<Stream> inlineStream; // made by the first call without one

  // Of the launching thread: the last stream, for order between streams.
  std::shared_ptr<Stream> lastStream;
  std::atomic<uint64_t> callsIssued{0};
  CallRing recent;
  // The smallest number of calls after which a rank has left, and which.
  std::atomic<uint64_t> callsOfLeaver{~uint64_t(0)};
  std::atomic<uint32_t> leaver{0};

  class Entry;
};

/// Finds a second thread in a communicator. Test `entered()` first of all.
class Communicator::Entry {
public:
  explicit Entry(std::atomic<bool> &flag)
      // Acquire and release: what one thread wrote in its call is seen by the
      // thread that calls next.
      : flag(flag), mine(!flag.exchange(true, std::memory_order_acquire)) {}
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;
  ~Entry() {
    if (mine)
      flag.store(false, std::memory_order_release);
  }
  Status status() const;

private:
  std::atomic<bool> &flag;
  const bool mine;
};

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_EXEC_COMMUNICATOR_H
