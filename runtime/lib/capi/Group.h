//===- Group.h - Calls that are noted and made together ---------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_CAPI_GROUP_H
#define RCCLX_RUNTIME_CAPI_GROUP_H

#include "Handles.h"

#include <functional>
#include <vector>

namespace rcclx::runtime {

/// The calling thread's group.
class Group {
public:
  static Group &current();

  bool active() const { return depth != 0; }
  void begin() { ++depth; }
  /// Closes one level; at the outermost, makes the noted calls.
  Status end();

  void noteCreation(std::function<Status()> call) {
    creations.push_back(std::move(call));
  }
  /// Calls of one communicator are made one after the other.
  void noteCollective(const rcclx_comm *comm, std::function<Status()> call);
  /// Allocates only while the list is longer than ever before.
  void noteLaunch(rcclx_comm *comm, const rcclx_launch_params &params,
                  const CallArguments &arguments) {
    launches.push_back({comm, params, arguments});
  }

private:
  struct NotedLaunch {
    rcclx_comm *comm;
    rcclx_launch_params params;
    CallArguments arguments;
  };

  unsigned depth = 0;
  std::vector<std::function<Status()>> creations;
  struct Sequence {
    const Communicator *communicator;
    std::vector<std::function<Status()>> calls;
  };
  std::vector<Sequence> collectives;
  std::vector<NotedLaunch> launches;
};

/// One launch, outside of groups. `arguments` are those of `params`.
Status launchNow(rcclx_comm *comm, const rcclx_launch_params &params,
                 const CallArguments &arguments);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_CAPI_GROUP_H
