//===- Group.cpp - Calls that are noted and made together -----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Group.h"

#include <algorithm>
#include <system_error>
#include <thread>

namespace rcclx::runtime {

Group &Group::current() {
  thread_local Group group;
  return group;
}

/// Makes calls that wait for each other, each on a thread of its own. The first
/// error, by position, is returned.
static Status runTogether(const std::vector<std::function<Status()>> &calls) {
  std::vector<Status> results(calls.size());
  std::vector<std::thread> threads;
  Status refused;
  for (size_t i = 0; i != calls.size(); ++i) {
    try {
      threads.emplace_back([&, i] {
        try {
          results[i] = calls[i]();
        } catch (const std::bad_alloc &) {
          results[i] = Status(Code::System, "out of memory");
        } catch (const std::exception &error) {
          results[i] = Status(Code::Internal, error.what());
        }
      });
    } catch (const std::system_error &error) {
      // Those that run already end by their deadline.
      refused = systemError(error.code().value(), "a thread for a group");
      break;
    }
  }
  for (std::thread &thread : threads)
    thread.join();
  for (const Status &result : results)
    RCCLX_RETURN_IF_ERROR(result);
  return refused;
}

void Group::noteCollective(const rcclx_comm *comm,
                           std::function<Status()> call) {
  const Communicator *communicator = comm->communicator.get();
  auto sequence = std::find_if(collectives.begin(), collectives.end(),
                               [&](const Sequence &other) {
                                 return other.communicator == communicator;
                               });
  if (sequence == collectives.end())
    sequence = collectives.insert(sequence, {communicator, {}});
  sequence->calls.push_back(std::move(call));
}

Status Group::end() {
  if (depth == 0)
    return makeError(Code::InvalidUsage, "no group was begun");
  if (--depth != 0)
    return Status();
  Status status = runTogether(std::exchange(creations, {}));
  std::vector<std::function<Status()>> sequences;
  for (Sequence &sequence : std::exchange(collectives, {}))
    sequences.push_back([calls = std::move(sequence.calls)]() -> Status {
      // An error is the same on all ranks: all stop at the same call.
      for (const std::function<Status()> &call : calls)
        RCCLX_RETURN_IF_ERROR(call());
      return Status();
    });
  if (status.isOk())
    status = runTogether(sequences);
  for (const NotedLaunch &launch : launches) {
    if (!status.isOk())
      break;
    status = launchNow(launch.comm, launch.params, launch.arguments);
  }
  launches.clear(); // keeps its memory for the next group
  return status;
}

} // namespace rcclx::runtime
