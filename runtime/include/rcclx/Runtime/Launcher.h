//===- Launcher.h - Ranks that a launcher has started -----------*- C++ -*-===//
//
// Part of rcclx. mpirun, srun, torchrun and the like tell each process its rank
// by environment variables; Launchers.def lists them.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_LAUNCHER_H
#define RCCLX_RUNTIME_LAUNCHER_H

#include "rcclx/Runtime/Status.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rcclx::runtime {

/// Names and values; only variables of Launchers.def.
using LauncherVariables = std::map<std::string, std::string, std::less<>>;

/// What a process knows of its job.
struct LauncherJob {
  std::string launcher; // its name in the table
  uint32_t rank = 0;
  uint32_t world = 0;
  // The same on all ranks of this job, and of no other job of this user.
  std::string key;
};

/// Every name of the table.
const std::vector<std::string> &launcherVariables();

/// The job of this process; nothing where no launcher tells rank and number of
/// ranks. InvalidArgument for a value that is no number, for a missing name of
/// the job, and where two launchers disagree; Unavailable for a job on several
/// nodes. `rankVariable` of the launcher's own process is looked for by
/// `findProcess` where the table says so.
Expected<std::optional<LauncherJob>>
findJob(const LauncherVariables &variables,
        const std::function<std::string(const std::string &)> &findProcess);
Expected<std::optional<LauncherJob>>
findJob(const LauncherVariables &variables);

/// For the message that no launcher was found: what was looked for, and what of
/// it is set.
std::string describeSearch(const LauncherVariables &variables);

/// Names the process that started this process's job: the nearest ancestor in
/// whose environment `variable` is not set, or cannot be read. Its id and its
/// start time, so that a later process of the same id has another name.
std::string launcherProcess(const std::string &variable);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_LAUNCHER_H
