//===- RankBench.h - One rank of `rcclx bench` ------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_BENCH_RANKBENCH_H
#define RCCLX_TOOLS_RCCLX_BENCH_RANKBENCH_H

#include "BenchOptions.h"
#include "Meeting.h"

#include <functional>
#include <string>

namespace rcclx::tool {

/// Measures everything that is asked for, together with the other ranks. Rank 0
/// passes the results to `report`, one JSON object each: first what the job
/// runs on, then every point. A failure is told to the meeting, and ends the
/// process at once: a library that has lost a rank may hang when it is closed.
void benchRank(const BenchOptions &options, Meeting &meeting,
               const std::function<void(std::string)> &report);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_BENCH_RANKBENCH_H
