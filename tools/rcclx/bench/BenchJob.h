//===- BenchJob.h - The processes of `rcclx bench` --------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_BENCH_BENCHJOB_H
#define RCCLX_TOOLS_RCCLX_BENCH_BENCHJOB_H

#include "BenchOptions.h"

#include <functional>
#include <string>

namespace rcclx::tool {

/// Runs one job: options.world processes, each this program again with the
/// hidden command `bench-rank`. They are started directly or, where `launcher`
/// is not empty, by `LAUNCHER -n WORLD rcclx bench-rank ...`; its words are
/// separated by blanks. `report` gets what rank 0 reports, as it comes. Returns
/// when all processes have ended; the error is the first of any rank.
runtime::Status
runBenchJob(const BenchOptions &options, const std::string &launcher,
            const std::function<void(const std::string &)> &report);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_BENCH_BENCHJOB_H
