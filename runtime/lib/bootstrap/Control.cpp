//===- Control.cpp - A rank's link to the others --------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Control.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>

namespace rcclx::runtime {

using wire::Type;

// The hub knows which ranks are missing: its deadline should come first.
static constexpr uint64_t graceMs = 2000;
static constexpr uint64_t sendTimeoutMs = 2000;
// How long a rank that cannot join looks for somebody to tell.
static constexpr uint64_t giveUpMs = 500;
static constexpr size_t maxReason = 1000; // bytes of text

static Status malformed() {
  return makeError(Code::Remote, "rank 0 sent a malformed message");
}

/// The error that a Refused or Failure message carries.
static Status readFailure(wire::Reader &reader) {
  wire::FailureHead head;
  if (!reader.get(head) || head.code == 0 ||
      head.code > uint32_t(Code::Internal))
    return malformed();
  return Status(Code(head.code), std::string(reader.rest()));
}

/// A connection that breaks while ranks join: it was rank 0 that broke it.
static Status whileJoining(const Status &status) {
  if (status.code() == Code::Remote)
    return makeError(Code::Remote, "rank 0 ended while the others joined");
  return status;
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Control>> Control::connect(const Settings &settings,
                                                    int memoryFd,
                                                    const MapPeer &mapPeer) {
  std::unique_ptr<Control> control(new Control(settings));
  Expected<UniqueFd> socket =
      connectTo(settings.id.name, Deadline::after(settings.timeoutMs));
  if (!socket) {
    std::string who =
        fmt::format("rank {} of {}", settings.rank, settings.world);
    if (socket.status().code() == Code::Timeout)
      who += fmt::format(", after {} ms", settings.timeoutMs);
    return socket.status().annotate(who);
  }
  control->socket = *std::move(socket);
  Deadline deadline = Deadline::after(settings.timeoutMs + graceMs);
  Status status = control->hello(memoryFd, deadline);
  if (status.isOk())
    status = control->receivePeers(mapPeer, deadline);
  if (!status.isOk())
    return status.annotate(fmt::format("rank {} of {} cannot join",
                                       settings.rank, settings.world));
  return control;
}

/// The name is in an abstract namespace where any user may listen: without this
/// check another user's process could hand out plans' memory.
Status Control::checkHub() const {
  RCCLX_ASSIGN_OR_RETURN(PeerCredentials credentials,
                         peerCredentials(socket.get()));
  if (credentials.user != geteuid())
    return makeError(Code::InvalidUsage,
                     "rank 0's socket belongs to user {}, not to user {}",
                     credentials.user, geteuid());
  return Status();
}

static wire::Hello helloOf(const Control::Settings &settings) {
  wire::Hello hello = {};
  hello.token = settings.id.token;
  hello.protocolVersion = wire::protocolVersion;
  hello.paramsVersion = RCCLX_PARAMS_VERSION;
  hello.regionBytes = RCCLX_REGION_BYTES;
  hello.rank = settings.rank;
  hello.world = settings.world;
  hello.memory = settings.memory;
  return hello;
}

void Control::giveUp(const Settings &settings, const Status &status) {
  Control control(settings);
  Deadline deadline = Deadline::after(giveUpMs);
  Expected<UniqueFd> socket = connectTo(settings.id.name, deadline);
  if (!socket)
    return;
  control.socket = *std::move(socket);
  if (!control.checkHub().isOk())
    return;
  Status ignored = sendMessage(
      control.socket.get(),
      wire::Writer(Type::CannotJoin)
          .put(helloOf(settings))
          .putText(std::string_view(status.message()).substr(0, maxReason))
          .get(),
      {}, deadline);
  (void)ignored; // the others then find it by the deadline
}

Status Control::hello(int memoryFd, Deadline deadline) {
  RCCLX_RETURN_IF_ERROR(checkHub());
  wire::Hello hello = helloOf(settings);
  const int fds[] = {memoryFd};
  return whileJoining(sendMessage(
      socket.get(), wire::Writer(Type::Hello).put(hello).get(), fds, deadline));
}

Status Control::receiveTable(std::vector<wire::TableEntry> &table,
                             Deadline deadline) {
  Expected<ReceivedMessage> message = receiveMessage(socket.get(), deadline);
  if (!message)
    return whileJoining(message.status());
  wire::Reader reader(message->bytes);
  Type type{};
  if (reader.getType(type) && type == Type::Refused)
    return readFailure(reader);
  table.resize(settings.world);
  if (type != Type::Table)
    return malformed();
  for (wire::TableEntry &entry : table)
    if (!reader.get(entry))
      return makeError(Code::Remote, "rank 0 sent a short table");
  return Status();
}

Status Control::receivePeers(const MapPeer &mapPeer, Deadline deadline) {
  std::vector<wire::TableEntry> table;
  RCCLX_RETURN_IF_ERROR(receiveTable(table, deadline));
  std::vector<bool> mapped(settings.world);
  for (uint32_t r = 0; r != settings.world; ++r)
    if (table[r].memory.process[0] == settings.memory.process[0] &&
        table[r].memory.process[1] == settings.memory.process[1]) {
      RCCLX_RETURN_IF_ERROR(mapPeer(r, table[r].memory, -1));
      mapped[r] = true;
    }
  size_t fdsOfMessage = 0;
  do { // a message that is not full is the last
    Expected<ReceivedMessage> received = receiveMessage(socket.get(), deadline);
    if (!received)
      return whileJoining(received.status());
    ReceivedMessage &message = *received;
    wire::Reader reader(message.bytes);
    Type type{};
    if (reader.getType(type) && type == Type::Refused)
      return readFailure(reader);
    if (type != Type::Memory)
      return malformed();
    for (const UniqueFd &fd : message.fds) {
      uint32_t rank;
      if (!reader.get(rank) || rank >= settings.world || mapped[rank])
        return malformed();
      RCCLX_RETURN_IF_ERROR(mapPeer(rank, table[rank].memory, fd.get()));
      mapped[rank] = true;
    }
    fdsOfMessage = message.fds.size();
    RCCLX_RETURN_IF_ERROR(whileJoining(sendMessage(
        socket.get(), wire::Writer(Type::Ready).get(), {}, deadline)));
  } while (fdsOfMessage == maxMessageFds);
  for (uint32_t r = 0; r != settings.world; ++r)
    if (!mapped[r])
      return makeError(Code::Remote, "rank 0 sent no memory of rank {}", r);
  return Status();
}

//===----------------------------------------------------------------------===//
// The watchdog
//===----------------------------------------------------------------------===//

Status Control::watch(ControlListener &to) {
  listener = &to;
  stopEvent.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stopEvent)
    return systemError(errno, "eventfd");
  try {
    thread = std::thread(&Control::run, this);
  } catch (const std::system_error &error) {
    return systemError(error.code().value(), "the watchdog's thread");
  }
  return Status();
}

void Control::stop() {
  if (!thread.joinable())
    return;
  eventfd_write(stopEvent.get(), 1);
  thread.join();
}

void Control::run() {
  while (true) {
    pollfd entries[] = {{stopEvent.get(), POLLIN, 0},
                        {socket.get(), POLLIN, 0}};
    if (poll(entries, 2, -1) < 0) {
      if (errno == EINTR)
        continue;
      listener->onFailure(systemError(errno, "poll"));
      return;
    }
    if (entries[0].revents)
      return;
    if (entries[1].revents && !handle()) {
      {
        std::lock_guard lock(mutex);
        linkEnded = true;
      }
      changed.notify_all();
      return;
    }
  }
}

bool Control::handle() {
  Expected<ReceivedMessage> message =
      receiveMessage(socket.get(), Deadline::after(0));
  if (!message) {
    Status status = message.status();
    if (status.code() == Code::Timeout)
      return true; // a spurious wake-up
    if (status.code() == Code::Remote) {
      if (hubRank == wire::noHub)
        return false; // said before; from now on the deadline watches
      status =
          makeError(Code::Remote,
                    "rank {} ended without leaving the communicator", hubRank);
    }
    listener->onFailure(status);
    return false;
  }
  wire::Reader reader(message->bytes);
  Type type{};
  wire::LeaveBody leave;
  wire::HubAtBody hubAt;
  if (reader.getType(type) && type == Type::Gathered) {
    handleGathered(reader);
  } else if (type == Type::Leave && reader.get(leave) &&
             leave.rank < settings.world) {
    listener->onLeave(leave.rank, leave.calls);
  } else if (type == Type::Bye) {
    std::lock_guard lock(mutex);
    released = true;
    changed.notify_all();
    return false; // the hub has closed its end
  } else if (type == Type::HubAt && reader.get(hubAt)) {
    hubRank = hubAt.rank;
  } else if (type == Type::Handover) {
    if (Status status = handleHandover(reader, std::move(message->fds));
        !status.isOk())
      listener->onFailure(status.annotate("taking the hub over"));
  } else if (type == Type::Failure || type == Type::Refused) {
    // Refused: this rank has joined, and one of those after it cannot.
    listener->onFailure(readFailure(reader));
  } else {
    listener->onFailure(malformed());
    return false;
  }
  return true;
}

void Control::handleGathered(wire::Reader &reader) {
  wire::GatherHead head;
  std::vector<std::string> blobs(settings.world);
  bool good = reader.get(head);
  for (std::string &blob : blobs) {
    uint32_t size;
    std::string_view bytes;
    good = good && reader.get(size) && reader.getBytes(size, bytes);
    blob = bytes;
  }
  {
    std::lock_guard lock(mutex);
    if (good && reader.atEnd() && gathering && head.sequence == sequence) {
      gathered = std::move(blobs);
      changed.notify_all();
      return;
    }
  }
  listener->onFailure(malformed());
}

Status Control::handleHandover(wire::Reader &reader,
                               std::vector<UniqueFd> fds) {
  wire::HandoverHead head;
  if (!reader.get(head))
    return malformed();
  for (UniqueFd &fd : fds) {
    wire::HandoverEntry about;
    if (!reader.get(about) || about.rank >= settings.world)
      return malformed();
    handover.entries.push_back({about, std::move(fd)});
  }
  handover.gatherSequence = head.gatherSequence;
  if (head.more)
    return Status();
  return listener->onHandover(std::exchange(handover, {}));
}

//===----------------------------------------------------------------------===//
// Sending
//===----------------------------------------------------------------------===//

Expected<std::vector<std::string>> Control::gather(std::string_view blob,
                                                   uint64_t timeoutMs) {
  std::unique_lock lock(mutex);
  if (!interruption.isOk())
    return interruption;
  gathering = true;
  gathered.reset();
  lock.unlock();
  std::string message = wire::Writer(Type::Gather)
                            .put(wire::GatherHead{sequence, timeoutMs})
                            .putText(blob)
                            .get();
  Status sent;
  {
    std::lock_guard sending(sendMutex);
    sent =
        sendMessage(socket.get(), message, {}, Deadline::after(sendTimeoutMs));
  }
  lock.lock();
  if (sent.isOk())
    changed.wait_for(lock, std::chrono::milliseconds(timeoutMs + graceMs),
                     [&] { return gathered || !interruption.isOk(); });
  else // why the hub has closed the link is on its way through the watchdog
    changed.wait_for(lock, std::chrono::milliseconds(graceMs),
                     [&] { return !interruption.isOk() || linkEnded; });
  gathering = false;
  if (gathered) {
    ++sequence;
    return *std::exchange(gathered, std::nullopt);
  }
  if (!interruption.isOk())
    return interruption;
  if (!sent.isOk())
    return sent.annotate("rank 0 cannot be reached");
  return makeError(Code::Timeout, "rank 0 did not answer within {} ms",
                   timeoutMs + graceMs);
}

void Control::interrupt(const Status &status) {
  {
    std::lock_guard lock(mutex);
    if (interruption.isOk())
      interruption = status;
  }
  changed.notify_all();
}

void Control::sendFailure(uint32_t culprit, const Status &status) {
  std::lock_guard lock(sendMutex);
  // Best effort: when rank 0 is gone, its end of file has told the others.
  Status ignored = sendMessage(
      socket.get(),
      wire::Writer(Type::Failure)
          .put(wire::FailureHead{culprit, uint32_t(status.code())})
          .putText(
              std::string_view(status.message()).substr(0, maxMessageBytes / 4))
          .get(),
      {}, Deadline::after(sendTimeoutMs));
  (void)ignored;
}

void Control::sendLeave(uint64_t calls) {
  std::lock_guard lock(sendMutex);
  Status ignored =
      sendMessage(socket.get(),
                  wire::Writer(Type::Leave)
                      .put(wire::LeaveBody{settings.rank, 0, calls})
                      .get(),
                  {}, Deadline::after(sendTimeoutMs));
  (void)ignored; // as above
}

Status Control::sayBye() {
  if (!thread.joinable())
    return makeError(Code::InvalidUsage, "nobody listens for the answer");
  {
    std::lock_guard lock(sendMutex);
    RCCLX_RETURN_IF_ERROR(sendMessage(socket.get(),
                                      wire::Writer(Type::Bye).get(), {},
                                      Deadline::after(sendTimeoutMs)));
  }
  std::unique_lock lock(mutex);
  changed.wait_for(
      lock,
      std::chrono::milliseconds(std::max(settings.timeoutMs, sendTimeoutMs)),
      [&] { return released || linkEnded; });
  if (released)
    return Status();
  return makeError(Code::Timeout, "the hub did not answer");
}

} // namespace rcclx::runtime
