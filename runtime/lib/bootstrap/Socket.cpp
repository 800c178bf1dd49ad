//===- Socket.cpp - Messages between the ranks of a node ------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Socket.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>

namespace rcclx::runtime {

Deadline Deadline::after(uint64_t milliseconds) {
  Deadline deadline;
  deadline.when = std::chrono::steady_clock::now() +
                  std::chrono::milliseconds(milliseconds);
  return deadline;
}

int Deadline::pollTimeout() const {
  using namespace std::chrono;
  auto left = ceil<milliseconds>(when - steady_clock::now()).count();
  return int(std::clamp<int64_t>(left, 0, 60'000));
}

/// The address of an abstract name, and its length.
static socklen_t abstractAddress(std::string_view name, sockaddr_un &address) {
  address = {};
  address.sun_family = AF_UNIX;
  size_t length = std::min(name.size(), sizeof(address.sun_path) - 1);
  memcpy(address.sun_path + 1, name.data(), length);
  return socklen_t(offsetof(sockaddr_un, sun_path) + 1 + length);
}

static Expected<UniqueFd> makeSocket() {
  // Nothing blocks but poll: a connect to a full queue would for ever.
  UniqueFd fd(
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd)
    return systemError(errno, "socket");
  return fd;
}

Expected<UniqueFd> listenOn(std::string_view name, int backlog) {
  RCCLX_ASSIGN_OR_RETURN(UniqueFd fd, makeSocket());
  sockaddr_un address;
  socklen_t length = abstractAddress(name, address);
  if (bind(fd.get(), reinterpret_cast<sockaddr *>(&address), length) != 0) {
    if (errno == EADDRINUSE)
      return makeError(Code::InvalidUsage,
                       "the unique id is in use: two rank 0, or a communicator "
                       "that was not destroyed");
    return systemError(errno, "bind");
  }
  if (listen(fd.get(), backlog) != 0)
    return systemError(errno, "listen");
  return fd;
}

Expected<UniqueFd> connectTo(std::string_view name, Deadline deadline) {
  sockaddr_un address;
  socklen_t length = abstractAddress(name, address);
  RCCLX_ASSIGN_OR_RETURN(UniqueFd fd, makeSocket());
  auto pause = std::chrono::microseconds(100);
  while (connect(fd.get(), reinterpret_cast<sockaddr *>(&address), length) !=
         0) {
    // Nobody listens yet, or the queue of connections is full.
    if (errno != ECONNREFUSED && errno != EAGAIN && errno != EINTR)
      return systemError(errno, "connect");
    if (deadline.passed())
      return makeError(Code::Timeout, "rank 0 was not there in time");
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5000));
  }
  return fd;
}

Expected<PeerCredentials> peerCredentials(int socket) {
  ucred credentials;
  socklen_t length = sizeof(credentials);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0)
    return systemError(errno, "SO_PEERCRED");
  return PeerCredentials{credentials.uid, credentials.pid};
}

/// Waits for `events`; Timeout at the deadline.
static Status waitSocket(int socket, short events, Deadline deadline) {
  while (true) {
    pollfd entry = {socket, events, 0};
    int ready = poll(&entry, 1, deadline.pollTimeout());
    if (ready > 0)
      return Status();
    if (ready < 0 && errno != EINTR)
      return systemError(errno, "poll");
    if (deadline.passed())
      return makeError(Code::Timeout, "no answer in time");
  }
}

static bool wouldBlock(int errnum) {
  // ETOOMANYREFS: too many descriptors of this user are in flight; they
  // become fewer as others receive.
  return errnum == EAGAIN || errnum == EINTR || errnum == ETOOMANYREFS ||
         errnum == ENOBUFS;
}

Status sendMessage(int socket, std::string_view bytes, std::span<const int> fds,
                   Deadline deadline) {
  iovec part = {const_cast<char *>(bytes.data()), bytes.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(maxMessageFds * sizeof(int))] = {};
  if (!fds.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size_bytes());
    memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  }
  while (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN)
      return makeError(Code::Remote, "the connection is closed");
    if (!wouldBlock(errno))
      return systemError(errno, "sendmsg");
    bool full = errno == EAGAIN;
    if (deadline.passed())
      return makeError(Code::Timeout, "the other end does not read");
    if (full)
      RCCLX_RETURN_IF_ERROR(waitSocket(socket, POLLOUT, deadline));
    else
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return Status();
}

/// Takes ownership of all descriptors that came with a message.
static void takeFds(msghdr &message, std::vector<UniqueFd> &out) {
  for (cmsghdr *header = CMSG_FIRSTHDR(&message); header;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
      continue;
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i != count; ++i) {
      int fd;
      memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      out.emplace_back(fd);
    }
  }
}

Expected<ReceivedMessage> receiveMessage(int socket, Deadline deadline) {
  ReceivedMessage result;
  while (true) {
    RCCLX_RETURN_IF_ERROR(waitSocket(socket, POLLIN, deadline));
    // MSG_TRUNC makes a look return the whole message's length.
    ssize_t length =
        recv(socket, nullptr, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
    // ECONNRESET: the other end closed before it had read all that was sent to
    // it. The kernel says so once, before what the other end itself had sent.
    if (length < 0 && (wouldBlock(errno) || errno == ECONNRESET))
      continue;
    if (length == 0)
      return makeError(Code::Remote, "the connection is closed");
    if (length < 0)
      return systemError(errno, "recv");
    if (size_t(length) > maxMessageBytes)
      return makeError(Code::Remote, "a message of {} bytes", length);
    result.bytes.resize(size_t(length));
    break;
  }
  iovec part = {result.bytes.data(), result.bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(maxMessageFds * sizeof(int))];
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  ssize_t length;
  do {
    length = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (length < 0 && (errno == ECONNRESET || errno == EINTR));
  if (length < 0)
    return systemError(errno, "recvmsg");
  takeFds(message, result.fds);
  if (size_t(length) != result.bytes.size() ||
      message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
    return makeError(Code::System,
                     "a message was cut (too many open files here?)");
  return result;
}

} // namespace rcclx::runtime
