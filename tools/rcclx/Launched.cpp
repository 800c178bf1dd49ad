//===- Launched.cpp - `rcclx run` as a rank of a launcher's job -----------===//
//
// Part of rcclx. The ranks meet by rcclx_comm_create; their results meet at a
// second socket name of the job.
//
//===----------------------------------------------------------------------===//
#include "Launched.h"

#include "bootstrap/Socket.h"
#include "bootstrap/UniqueId.h"
#include "rcclx/Runtime/Options.h"

#include <algorithm>
#include <cstdlib>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace rcclx::tool {

using namespace runtime;

// A rank's own deadlines run from its last progress; what it does between them
// (checks, clean-up) is given this, and this when rank 0 itself has failed.
static constexpr uint64_t slackMs = 10'000;
static constexpr uint64_t slackAfterFailureMs = 1'000;

static Status sendResult(const std::string &name, const RankResult &result,
                         uint32_t rank, Deadline deadline) {
  RCCLX_ASSIGN_OR_RETURN(UniqueFd socket, connectTo(name, deadline));
  RCCLX_ASSIGN_OR_RETURN(PeerCredentials peer, peerCredentials(socket.get()));
  if (peer.user != geteuid())
    return makeError(Code::InvalidUsage, "rank 0's socket belongs to user {}",
                     peer.user);
  return sendMessage(socket.get(), fmt::format("{}\n{}", rank, result.toJson()),
                     {}, deadline);
}

/// Takes one result from a connection; what is none is ignored.
static void takeResult(int listener, std::vector<RankResult> &results,
                       std::vector<bool> &arrived, Deadline deadline) {
  UniqueFd socket(
      accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket)
    return;
  Expected<PeerCredentials> peer = peerCredentials(socket.get());
  if (!peer || peer->user != geteuid())
    return;
  Expected<ReceivedMessage> message = receiveMessage(socket.get(), deadline);
  if (!message)
    return;
  size_t line = message->bytes.find('\n');
  uint32_t rank = uint32_t(strtoul(message->bytes.c_str(), nullptr, 10));
  if (line == std::string::npos || rank >= results.size() || arrived[rank])
    return;
  if (auto result = RankResult::fromJson(message->bytes.substr(line + 1))) {
    results[rank] = *std::move(result);
    arrived[rank] = true;
  }
}

static std::vector<RankResult> collect(int listener, RankResult own,
                                       uint32_t world, uint64_t timeoutMs) {
  Deadline deadline = Deadline::after(timeoutMs);
  std::vector<RankResult> results(world);
  std::vector<bool> arrived(world);
  results[0] = std::move(own);
  arrived[0] = true;
  auto missing = [&] { return std::ranges::find(arrived, false); };
  while (missing() != arrived.end() && !deadline.passed()) {
    pollfd entry = {listener, POLLIN, 0};
    if (poll(&entry, 1, deadline.pollTimeout()) > 0)
      takeResult(listener, results, arrived, deadline);
  }
  for (uint32_t rank = 0; rank != world; ++rank)
    if (!arrived[rank]) {
      // No more than an error of being late, of which rank 0's comes first.
      results[rank].status = makeError(
          Code::Timeout, "rank {} did not report within {} ms after rank 0",
          rank, timeoutMs);
    }
  return results;
}

Expected<std::vector<RankResult>> runLaunched(const RunOptions &options,
                                              const LauncherJob &job) {
  RCCLX_ASSIGN_OR_RETURN(const Options *settings, processOptions());
  uint64_t timeoutMs =
      options.timeoutMs ? options.timeoutMs : settings->timeoutMs.value;
  const std::string name =
      UniqueId::derive(fmt::format("{} results {}", geteuid(), job.key)).name;
  UniqueFd listener; // before the run: the others find it when theirs ends
  if (job.rank == 0) {
    RCCLX_ASSIGN_OR_RETURN(listener, listenOn(name, int(job.world)));
  }
  WorkloadCache workloads;
  RankResult own = runRank(options, nullptr, job.rank, workloads);
  if (job.rank == 0) {
    timeoutMs += own.status.isOk() ? slackMs : slackAfterFailureMs;
    return collect(listener.get(), std::move(own), job.world, timeoutMs);
  }
  Status sent =
      sendResult(name, own, job.rank, Deadline::after(timeoutMs + slackMs));
  if (!sent.isOk() && own.status.isOk())
    return sent.annotate(fmt::format("rank {} cannot report", job.rank));
  return std::vector<RankResult>{std::move(own)};
}

} // namespace rcclx::tool
