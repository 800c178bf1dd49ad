//===- Socket.h - Messages between the ranks of a node ----------*- C++ -*-===//
//
// Part of rcclx. SOCK_SEQPACKET keeps the bounds of messages, so no length in a
// message decides how much is read. Every wait has a deadline.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_BOOTSTRAP_SOCKET_H
#define RCCLX_RUNTIME_BOOTSTRAP_SOCKET_H

#include "rcclx/Runtime/Status.h"
#include "rcclx/Runtime/UniqueHandle.h"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rcclx::runtime {

/// A point in time after which waiting ends.
class Deadline {
public:
  static Deadline after(uint64_t milliseconds);
  /// For poll: milliseconds left, rounded up, at most a minute; 0 when passed.
  int pollTimeout() const;
  bool passed() const { return std::chrono::steady_clock::now() >= when; }

private:
  std::chrono::steady_clock::time_point when;
};

/// Bytes of the largest message; below the kernel's default buffers.
inline constexpr size_t maxMessageBytes = 128u << 10;
/// Descriptors in one message; the kernel takes 253.
inline constexpr size_t maxMessageFds = 64;

struct ReceivedMessage {
  std::string bytes;
  std::vector<UniqueFd> fds;
};

/// Binds `name` in the abstract namespace. InvalidUsage when it is taken.
Expected<UniqueFd> listenOn(std::string_view name, int backlog);
/// Connects, and retries until somebody listens. Timeout when nobody does.
Expected<UniqueFd> connectTo(std::string_view name, Deadline deadline);
/// User and process at the other end, as the kernel knows them.
struct PeerCredentials {
  uint32_t user;
  int32_t process;
};
Expected<PeerCredentials> peerCredentials(int socket);

/// Sends one message. Remote when the other end is gone, Timeout at the
/// deadline.
Status sendMessage(int socket, std::string_view bytes, std::span<const int> fds,
                   Deadline deadline);
/// Receives one message. Remote when the other end is gone or the message is
/// too long, Timeout at the deadline.
Expected<ReceivedMessage> receiveMessage(int socket, Deadline deadline);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_BOOTSTRAP_SOCKET_H
