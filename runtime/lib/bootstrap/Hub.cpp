//===- Hub.cpp - Rank 0's end of the star ---------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Hub.h"

#include "rcclx/Runtime/Log.h"

#include <cerrno>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>

namespace rcclx::runtime {

using wire::Type;

// A rank's own thread reads its socket all the time: a full socket that stays
// full for this long is a rank that no longer runs.
static constexpr uint64_t sendTimeoutMs = 2000;
// What a connection may take to say who it is.
static constexpr uint64_t helloTimeoutMs = 1000;
static constexpr uint32_t nobody = ~0u;

static std::string failureMessage(Type type, uint32_t culprit,
                                  const Status &status) {
  return wire::Writer(type)
      .put(wire::FailureHead{culprit, uint32_t(status.code())})
      .putText(status.message())
      .get();
}

Expected<std::unique_ptr<Hub>> Hub::start(const UniqueId &id, uint32_t world,
                                          uint64_t timeoutMs) {
  std::unique_ptr<Hub> hub(new Hub(id, world, timeoutMs));
  RCCLX_ASSIGN_OR_RETURN(hub->listener, listenOn(id.name, int(world)));
  RCCLX_RETURN_IF_ERROR(hub->startThread(&Hub::run));
  return hub;
}

Expected<std::unique_ptr<Hub>> Hub::adopt(Handover handover, uint32_t world) {
  std::unique_ptr<Hub> hub(new Hub(UniqueId(), world, 0));
  hub->gatherSequence = handover.gatherSequence;
  for (Handover::Entry &entry : handover.entries) {
    Rank &rank = hub->ranks[entry.about.rank];
    rank.socket = std::move(entry.socket);
    rank.entry.process = entry.about.process;
    rank.joined = true;
    rank.left = entry.about.left != 0;
  }
  RCCLX_RETURN_IF_ERROR(hub->startThread(&Hub::relay));
  return hub;
}

Status Hub::startThread(void (Hub::*body)()) {
  stopEvent.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stopEvent)
    return systemError(errno, "eventfd");
  try {
    thread = std::thread(body, this);
  } catch (const std::system_error &error) {
    return systemError(error.code().value(), "the hub's thread");
  }
  return Status();
}

Hub::~Hub() {
  if (!thread.joinable())
    return;
  eventfd_write(stopEvent.get(), 1);
  thread.join();
}

void Hub::run() {
  Status status = join();
  if (status.isOk())
    status = distribute();
  if (!status.isOk())
    return refuseLate(status);
  // Nobody else may connect; the name is free again.
  listener.reset();
  relay();
}

//===----------------------------------------------------------------------===//
// Start-up
//===----------------------------------------------------------------------===//

Status Hub::join() {
  Deadline deadline = Deadline::after(timeoutMs);
  uint32_t joined = 0;
  while (joined != ranks.size()) {
    std::vector<pollfd> entries = {{listener.get(), POLLIN, 0},
                                   {stopEvent.get(), POLLIN, 0}};
    std::vector<uint32_t> owners;
    for (uint32_t r = 0; r != ranks.size(); ++r)
      if (ranks[r].joined) {
        entries.push_back({ranks[r].socket.get(), POLLIN, 0});
        owners.push_back(r);
      }
    int ready = poll(entries.data(), entries.size(), deadline.pollTimeout());
    if (ready < 0 && errno != EINTR)
      return refuseAll(systemError(errno, "poll"), nobody);
    if (entries[1].revents)
      return makeError(Code::Remote, "rank 0 ended while the others joined");
    // A rank that has joined says nothing before it gets the table.
    for (size_t i = 0; i != owners.size(); ++i)
      if (ready > 0 && entries[i + 2].revents) {
        Status status = makeError(
            Code::Remote, "rank {} ended while the others joined", owners[i]);
        ranks[owners[i]].joined = false;
        return refuseAll(status, owners[i]);
      }
    if (ready > 0 && entries[0].revents) {
      Expected<UniqueFd> socket = accept();
      if (!socket)
        return refuseAll(socket.status(), nobody);
      if (*socket)
        joined += admit(*std::move(socket));
      if (!joinFailure.isOk())
        return refuseAll(joinFailure, nobody);
    }
    if (joined != ranks.size() && deadline.passed()) {
      std::string missing;
      uint32_t first = nobody;
      for (uint32_t r = 0; r != ranks.size(); ++r)
        if (!ranks[r].joined) {
          missing += fmt::format("{}{}", missing.empty() ? "" : ", ", r);
          first = std::min(first, r);
        }
      Status status = makeError(
          Code::Timeout, "these ranks of {} did not join within {} ms: {}",
          ranks.size(), timeoutMs, missing);
      return refuseAll(status, first);
    }
  }
  return Status();
}

Expected<UniqueFd> Hub::accept() {
  UniqueFd socket(
      accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket && errno != EINTR && errno != EAGAIN && errno != ECONNABORTED)
    return systemError(errno, "accept");
  return socket;
}

bool Hub::admit(UniqueFd socket) {
  auto refuse = [&](const Status &status) {
    // Best effort: the other end may be anybody.
    Status ignored =
        sendMessage(socket.get(), failureMessage(Type::Refused, nobody, status),
                    {}, Deadline::after(0));
    (void)ignored;
    RCCLX_LOG(Info, "bootstrap", "connection refused: {}", status.message());
    return false;
  };
  Expected<PeerCredentials> credentials = peerCredentials(socket.get());
  if (!credentials || credentials->user != geteuid())
    return refuse(makeError(Code::InvalidUsage, "another user's process"));
  Expected<ReceivedMessage> message =
      receiveMessage(socket.get(), Deadline::after(helloTimeoutMs));
  if (!message)
    return refuse(message.status());
  wire::Reader reader(message->bytes);
  Type type{};
  wire::Hello hello;
  if (!reader.getType(type) || !reader.get(hello) ||
      !(type == Type::CannotJoin || (type == Type::Hello && reader.atEnd())))
    return refuse(makeError(Code::InvalidUsage, "not a greeting of rcclx"));
  if (hello.token != id.token)
    return refuse(makeError(Code::InvalidUsage,
                            "the unique id is not that of this communicator"));
  if (!joinFailure.isOk())
    return refuse(joinFailure);
  if (hello.protocolVersion != wire::protocolVersion ||
      hello.paramsVersion != RCCLX_PARAMS_VERSION ||
      hello.regionBytes != RCCLX_REGION_BYTES)
    return refuse(makeError(Code::InvalidUsage,
                            "rank {} runs another version of rcclx than rank 0",
                            hello.rank));
  if (hello.world != ranks.size() || hello.rank >= ranks.size())
    return refuse(makeError(Code::InvalidArgument,
                            "rank {} of {} wants to join {} ranks", hello.rank,
                            hello.world, ranks.size()));
  if (ranks[hello.rank].joined)
    return refuse(
        makeError(Code::InvalidArgument, "there are two ranks {}", hello.rank));
  if (type == Type::CannotJoin) {
    joinFailure = makeError(Code::Remote, "rank {} cannot join: {}", hello.rank,
                            reader.rest());
    return false;
  }
  if (message->fds.size() != 1)
    return refuse(makeError(Code::InvalidUsage, "no memory was sent"));
  Rank &rank = ranks[hello.rank];
  rank.socket = std::move(socket);
  rank.memory = std::move(message->fds[0]);
  rank.entry = {credentials->process, hello.memory};
  rank.joined = true;
  return true;
}

Status Hub::distribute() {
  wire::Writer table(Type::Table);
  for (const Rank &rank : ranks)
    table.put(rank.entry);
  for (uint32_t r = 0; r != ranks.size(); ++r)
    if (Status status = distributeTo(r, table.get()); !status.isOk()) {
      status =
          makeError(Code::Remote, "rank {} ended while it was connected", r)
              .join(status);
      ranks[r].joined = false;
      return refuseAll(status, r);
    }
  for (Rank &rank : ranks)
    rank.memory.reset();
  return Status();
}

/// One rank after the other, each acknowledged: otherwise ranks squared
/// descriptors would be in flight, more than the kernel allows a user.
Status Hub::distributeTo(uint32_t rank, const std::string &table) {
  Deadline deadline = Deadline::after(timeoutMs);
  const MemoryName &own = ranks[rank].entry.memory;
  int socket = ranks[rank].socket.get();
  RCCLX_RETURN_IF_ERROR(sendMessage(socket, table, {}, deadline));
  auto flush = [&](wire::Writer &message, std::vector<int> &fds) -> Status {
    RCCLX_RETURN_IF_ERROR(sendMessage(socket, message.get(), fds, deadline));
    RCCLX_ASSIGN_OR_RETURN(ReceivedMessage answer,
                           receiveMessage(socket, deadline));
    wire::Reader reader(answer.bytes);
    Type type{};
    if (!reader.getType(type) || type != Type::Ready)
      return makeError(Code::Remote, "no acknowledgement");
    message = wire::Writer(Type::Memory);
    fds.clear();
    return Status();
  };
  wire::Writer message(Type::Memory);
  std::vector<int> fds;
  for (uint32_t r = 0; r != ranks.size(); ++r) {
    const MemoryName &memory = ranks[r].entry.memory;
    if (memory.process[0] == own.process[0] &&
        memory.process[1] == own.process[1])
      continue; // found in its own process
    message.put(r);
    fds.push_back(ranks[r].memory.get());
    if (fds.size() == maxMessageFds)
      RCCLX_RETURN_IF_ERROR(flush(message, fds));
  }
  // The last may be empty: it says that all has been sent.
  return flush(message, fds);
}

Status Hub::refuseAll(const Status &status, uint32_t culprit) {
  std::string message = failureMessage(Type::Refused, culprit, status);
  for (Rank &rank : ranks) {
    if (!rank.joined)
      continue;
    // Best effort: a rank that is gone needs no message.
    Status ignored = sendMessage(rank.socket.get(), message, {},
                                 Deadline::after(sendTimeoutMs));
    (void)ignored;
    rank.socket.reset();
  }
  return status;
}

void Hub::refuseLate(const Status &status) {
  joinFailure = status;
  for (bool stopping = false;;) {
    pollfd entries[] = {{listener.get(), POLLIN, 0},
                        {stopEvent.get(), POLLIN, 0}};
    // When stopping, those that have connected still get their answer.
    int ready = poll(entries, stopping ? 1 : 2, stopping ? 0 : -1);
    if (ready < 0 && errno != EINTR)
      return;
    if (ready == 0 && stopping)
      return;
    if (ready > 0 && entries[0].revents) {
      Expected<UniqueFd> socket = accept();
      if (!socket)
        return;
      if (*socket)
        admit(*std::move(socket));
    }
    stopping |= ready > 0 && entries[1].revents;
  }
}

//===----------------------------------------------------------------------===//
// Afterwards
//===----------------------------------------------------------------------===//

void Hub::relay() {
  gather.blobs.assign(ranks.size(), std::nullopt);
  bool stopping = false;
  while (true) {
    std::vector<pollfd> entries;
    std::vector<uint32_t> owners;
    for (uint32_t r = 0; r != ranks.size(); ++r)
      if (ranks[r].socket) {
        entries.push_back({ranks[r].socket.get(), POLLIN, 0});
        owners.push_back(r);
      }
    entries.push_back({stopEvent.get(), POLLIN, 0});
    int timeout = stopping          ? 0
                  : gather.deadline ? gather.deadline->pollTimeout()
                                    : -1;
    // When stopping, the event is not looked at: what has arrived goes first.
    int ready =
        poll(entries.data(), entries.size() - (stopping ? 1 : 0), timeout);
    if (ready < 0 && errno != EINTR) {
      RCCLX_LOG(Error, "bootstrap", "poll: errno {}", errno);
      return;
    }
    if (ready == 0 && stopping)
      return handOver();
    for (size_t i = 0; ready > 0 && i != owners.size(); ++i)
      if (entries[i].revents && ranks[owners[i]].socket)
        if (Status status = handle(owners[i]); !status.isOk())
          lose(owners[i], status.message());
    checkGatherDeadline();
    if (ready > 0 && !stopping && entries.back().revents)
      stopping = true;
  }
}

Status Hub::handle(uint32_t rank) {
  RCCLX_ASSIGN_OR_RETURN(
      ReceivedMessage message,
      receiveMessage(ranks[rank].socket.get(), Deadline::after(0)));
  wire::Reader reader(message.bytes);
  Type type{};
  if (!reader.getType(type))
    return makeError(Code::Remote, "sent no message of rcclx");
  switch (type) {
  case Type::Gather:
    return handleGather(rank, reader);
  case Type::Failure: {
    wire::FailureHead head;
    if (!reader.get(head) || head.culprit >= ranks.size())
      break;
    broadcast(message.bytes, rank);
    return Status();
  }
  case Type::Leave: {
    wire::LeaveBody body;
    if (!reader.get(body) || !reader.atEnd() || body.rank != rank)
      break;
    ranks[rank].left = true;
    broadcast(message.bytes, rank);
    return Status();
  }
  case Type::Bye: {
    if (!ranks[rank].left || !reader.atEnd())
      break;
    // Best effort: nothing of this rank matters any more.
    Status ignored =
        sendMessage(ranks[rank].socket.get(), wire::Writer(Type::Bye).get(), {},
                    Deadline::after(0));
    (void)ignored;
    ranks[rank].socket.reset();
    return Status();
  }
  default:
    break;
  }
  return makeError(Code::Remote, "sent a malformed message");
}

Status Hub::handleGather(uint32_t rank, wire::Reader &reader) {
  wire::GatherHead head;
  if (!reader.get(head) || head.sequence != gatherSequence ||
      gather.blobs[rank])
    return makeError(Code::Remote, "is out of step with the others");
  gather.blobs[rank] = std::string(reader.rest());
  if (!gather.deadline)
    gather.deadline = Deadline::after(head.timeoutMs);
  if (++gather.arrived != ranks.size())
    return Status();
  wire::Writer result(Type::Gathered);
  result.put(head);
  for (const std::optional<std::string> &blob : gather.blobs)
    result.put(uint32_t(blob->size())).putText(*blob);
  gather = Gather();
  gather.blobs.assign(ranks.size(), std::nullopt);
  ++gatherSequence;
  broadcast(result.get(), nobody);
  return Status();
}

void Hub::checkGatherDeadline() {
  if (!gather.deadline || !gather.deadline->passed())
    return;
  std::string missing;
  uint32_t first = nobody;
  for (uint32_t r = 0; r != ranks.size(); ++r)
    if (!gather.blobs[r]) {
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", r);
      first = std::min(first, r);
    }
  gather.deadline.reset();
  broadcast(failureMessage(Type::Failure, first,
                           makeError(Code::Timeout,
                                     "these ranks did not enter the collective "
                                     "preparation in time: {}",
                                     missing)),
            nobody);
}

void Hub::lose(uint32_t rank, std::string_view why) {
  ranks[rank].socket.reset();
  RCCLX_LOG(Info, "bootstrap", "rank {} is lost: {}", rank, why);
  broadcast(
      failureMessage(
          Type::Failure, rank,
          makeError(Code::Remote,
                    "rank {} (process {}) ended {} the communicator", rank,
                    ranks[rank].entry.process,
                    ranks[rank].left ? "while it left" : "without leaving")),
      rank);
}

void Hub::broadcast(const std::string &message, uint32_t except) {
  for (uint32_t r = 0; r != ranks.size(); ++r) {
    if (r == except || !ranks[r].socket)
      continue;
    Status status = sendMessage(ranks[r].socket.get(), message, {},
                                Deadline::after(sendTimeoutMs));
    // A closed socket is found, and told to the others, by its end of file.
    if (status.code() == Code::Timeout)
      RCCLX_LOG(Warning, "bootstrap", "rank {} does not read its socket", r);
  }
}

//===----------------------------------------------------------------------===//
// Handing over
//===----------------------------------------------------------------------===//

void Hub::handOver() {
  auto announce = [&](uint32_t hub) {
    broadcast(wire::Writer(Type::HubAt).put(wire::HubAtBody{hub, 0}).get(),
              nobody);
  };
  // The last rank first: where ranks leave in ascending order, once is enough.
  for (uint32_t r = uint32_t(ranks.size()); r-- != 0;) {
    if (!ranks[r].socket || ranks[r].left)
      continue;
    announce(r); // before: should it die now, the others blame the right one
    Status status = handOverTo(r);
    if (status.isOk())
      return;
    RCCLX_LOG(Warning, "bootstrap", "rank {} does not take the hub: {}", r,
              status.message());
  }
  announce(wire::noHub);
}

Status Hub::handOverTo(uint32_t successor) {
  std::vector<uint32_t> open;
  for (uint32_t r = 0; r != ranks.size(); ++r)
    if (ranks[r].socket)
      open.push_back(r);
  for (size_t begin = 0; begin != open.size();) {
    size_t end = std::min(begin + maxMessageFds, open.size());
    wire::Writer message(Type::Handover);
    message.put(
        wire::HandoverHead{gatherSequence, uint32_t(end != open.size()), 0});
    std::vector<int> fds;
    for (; begin != end; ++begin) {
      const Rank &rank = ranks[open[begin]];
      message.put(wire::HandoverEntry{rank.entry.process, open[begin],
                                      uint32_t(rank.left)});
      fds.push_back(rank.socket.get());
    }
    RCCLX_RETURN_IF_ERROR(sendMessage(ranks[successor].socket.get(),
                                      message.get(), fds,
                                      Deadline::after(sendTimeoutMs)));
  }
  return Status();
}

} // namespace rcclx::runtime
