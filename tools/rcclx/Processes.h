//===- Processes.h - One process per rank -----------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_PROCESSES_H
#define RCCLX_TOOLS_RCCLX_PROCESSES_H

#include "RankRun.h"

namespace rcclx::tool {

/// Runs all ranks, each in a process of its own: this program again, with the
/// hidden command `rank`. The processes end with this one. System when one
/// cannot be started; what happens in them is in their results.
runtime::Expected<std::vector<RankResult>>
runProcesses(const RunOptions &options, const rcclx_unique_id &id);

/// Runs all ranks as threads of this process.
runtime::Expected<std::vector<RankResult>>
runThreads(const RunOptions &options, const rcclx_unique_id &id);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_PROCESSES_H
