//===- Launched.h - `rcclx run` as a rank of a launcher's job ---*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_LAUNCHED_H
#define RCCLX_TOOLS_RCCLX_LAUNCHED_H

#include "RankRun.h"
#include "rcclx/Runtime/Launcher.h"

namespace rcclx::tool {

/// Runs this process's rank of `job`, which mpirun, srun, torchrun or the like
/// has started. On rank 0, everyone's result; on the others, their own.
runtime::Expected<std::vector<RankResult>>
runLaunched(const RunOptions &options, const runtime::LauncherJob &job);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_LAUNCHED_H
