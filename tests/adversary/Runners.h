//===- Runners.h - Ways to run calls on all ranks ---------------*- C++ -*-===//
//
// Part of rcclx. Each runs `calls` in order on every rank; a rank may be any
// number of calls ahead of another. The results are for the caller to check.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_ADVERSARY_RUNNERS_H
#define RCCLX_TESTS_ADVERSARY_RUNNERS_H

#include "Call.h"
#include "Fabric.h"
#include "Fibers.h"

#include <optional>

namespace rcclx::adversary {

/// A wait that did not end, or an error of the runtime.
struct RunFailure {
  size_t call = 0; // of the batch
  std::string what;
};
using RunResult = std::optional<RunFailure>;

/// Ranks and blocks are fibers: the seed is the interleaving.
RunResult runFibers(Fibers &fibers, Fabric &fabric, std::vector<Call> &calls,
                    uint64_t seed);
/// Ranks and blocks are threads, which wait and sleep at random.
RunResult runThreads(Fabric &fabric, std::vector<Call> &calls, uint64_t seed);

/// What a thread of `runThreads` does where a kernel yields.
void jitter();
/// How often the runtime's own waits have done so.
uint64_t yieldsOfRuntime();

} // namespace rcclx::adversary

#endif // RCCLX_TESTS_ADVERSARY_RUNNERS_H
