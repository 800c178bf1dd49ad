//===- RankRun.h - One rank of `rcclx run` ----------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_RANKRUN_H
#define RCCLX_TOOLS_RCCLX_RANKRUN_H

#include "RunOptions.h"
#include "Workload.h"
#include "rcclx/rcclx.h"

#include <vector>

namespace rcclx::tool {

/// How a rank's process ended. Threads always report.
enum class Ending {
  Reported, // it said all that it had to say
  Died,     // by a signal, or with an exit status of its own
  Overdue,  // it was killed long after another rank had failed
};

/// What one rank found out. It travels from a process as JSON.
struct RankResult {
  runtime::Status status; // of the run: not OK when it could not be finished
  Ending ending = Ending::Reported; // does not travel: the parent's finding
  std::string wrong; // the first wrong result, in words; empty: none
  // Of the plan; the same on all ranks.
  std::string planName;
  std::string contract;
  std::string mapping; // "flag; 1 block of 1 thread"
  runtime::PlanProof proof;
  std::vector<runtime::CompileStage> compile;
  bool cached = false;
  // Measured. Times in ns; those of a barrier are of the monotonic clock.
  uint64_t prepareNs = 0;
  uint64_t medianNs = 0;
  uint64_t enteredNs = 0;
  uint64_t leftNs = 0;
  // Checked.
  bool referenceChecked = false;
  double largestError = 0;   // against the reference, in units of its bound
  uint64_t outputDigest = 0; // XXH64

  std::string toJson() const;
  /// Internal for text that toJson did not write.
  static runtime::Expected<RankResult> fromJson(const std::string &text);
};

/// Joins, prepares, runs, checks and measures. Without an id, the launcher's
/// environment says where. `workload` is shared by ranks of one process.
RankResult runRank(const RunOptions &options, const rcclx_unique_id *id,
                   uint32_t rank, WorkloadCache &workloads);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_RANKRUN_H
