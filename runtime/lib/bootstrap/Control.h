//===- Control.h - A rank's link to the others ------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_BOOTSTRAP_CONTROL_H
#define RCCLX_RUNTIME_BOOTSTRAP_CONTROL_H

#include "Hub.h"

#include <condition_variable>
#include <functional>
#include <mutex>

namespace rcclx::runtime {

/// What a rank hears from the others, on the watchdog's thread.
class ControlListener {
public:
  /// Another rank failed, or the link did: the communicator is dead.
  virtual void onFailure(const Status &status) = 0;
  /// `rank` left in good order after it had issued `calls` calls.
  virtual void onLeave(uint32_t rank, uint64_t calls) = 0;
  /// The hub is to go on in this process. An error when it cannot.
  virtual Status onHandover(Hub::Handover handover) = 0;

protected:
  ~ControlListener() = default;
};

/// One rank's socket to the hub, and the watchdog thread that reads it.
class Control {
public:
  struct Settings {
    UniqueId id;
    uint32_t rank = 0;
    uint32_t world = 0;
    uint64_t timeoutMs = 0;
    MemoryName memory{}; // of this rank
  };
  /// Maps a peer's memory; `fd` is -1 for memory of this process.
  using MapPeer =
      std::function<Status(uint32_t rank, const MemoryName &memory, int fd)>;

  /// Joins: meets the others, offers `memoryFd`, and calls `mapPeer` for every
  /// rank, also this one. Rank 0 must have started the hub. Timeout, naming
  /// the ranks that are missing, when not all join in time.
  static Expected<std::unique_ptr<Control>>
  connect(const Settings &settings, int memoryFd, const MapPeer &mapPeer);

  /// Tells those that join, best effort, that this rank, which has not said
  /// Hello, will not: they need not wait for it, and learn why.
  static void giveUp(const Settings &settings, const Status &status);

  /// Starts the watchdog; `listener` must outlive this object.
  Status watch(ControlListener &listener);

  /// Gives `blob` to all and returns everyone's, by rank. Collective; one at a
  /// time. Timeout, naming the ranks that are missing, after `timeoutMs`; the
  /// failure also goes to the listener.
  Expected<std::vector<std::string>> gather(std::string_view blob,
                                            uint64_t timeoutMs);

  /// Tells all others, best effort. Any thread.
  void sendFailure(uint32_t culprit, const Status &status);
  void sendLeave(uint64_t calls);
  /// After sendLeave, when the calls have ended: asks the hub to let this rank
  /// go. Afterwards its end is no failure, and the hub does not come to it.
  /// Waits; an error when the hub did not answer by the deadline.
  Status sayBye();

  /// Wakes a waiting gather with `status`. Any thread.
  void interrupt(const Status &status);

  /// Ends the watchdog; the listener hears nothing more. At most one thread.
  void stop();
  ~Control() { stop(); }

private:
  explicit Control(const Settings &settings) : settings(settings) {}
  Status checkHub() const;
  Status hello(int memoryFd, Deadline deadline);
  Status receivePeers(const MapPeer &mapPeer, Deadline deadline);
  Status receiveTable(std::vector<wire::TableEntry> &table, Deadline deadline);
  void run();
  /// Handles one message; false when the link has ended.
  bool handle();
  void handleGathered(wire::Reader &reader);
  Status handleHandover(wire::Reader &reader, std::vector<UniqueFd> fds);

  const Settings settings;
  UniqueFd socket;
  UniqueFd stopEvent;
  ControlListener *listener = nullptr;

  std::mutex sendMutex; // one message at a time
  std::mutex mutex;     // of what follows
  std::condition_variable changed;
  uint64_t sequence = 0;
  bool gathering = false;
  std::optional<std::vector<std::string>> gathered;
  Status interruption; // sticky
  bool released = false;
  bool linkEnded = false;

  // Of the watchdog only.
  uint32_t hubRank = 0; // in whose process the hub is
  Hub::Handover handover;

  std::thread thread; // last: it uses all of the above
};

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_BOOTSTRAP_CONTROL_H
