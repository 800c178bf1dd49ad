//===- Check.h - Is a rank's output right -----------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_CHECK_H
#define RCCLX_TOOLS_RCCLX_CHECK_H

#include "RankRun.h"

#include <optional>

namespace rcclx::tool {

/// Where one rank's call reads and writes. In place, both are parts of one
/// buffer, as the contract has it.
struct CallBuffers {
  CallBuffers(const RunOptions &options, const runtime::Manifest &manifest,
              uint32_t rank, const char *inputData);

  /// What the call is given; null where the rank has no such buffer.
  char *input() { return separateInput ? separateInput->data() : inPlace; }
  char *output() { return outBytes ? result : nullptr; }

  uint64_t inBytes, outBytes;
  GuardedBuffer memory;                       // around the output
  std::optional<GuardedBuffer> separateInput; // out of place only
  char *inPlace = nullptr;                    // the input within `memory`
  char *result = nullptr;                     // the output within `memory`
};

/// Checks one finished call against the proof's arithmetic, bit for bit, the
/// independent reference, the guards and the input. Notes in `result` what was
/// found; the first wrong thing goes to result.wrong.
void checkCall(const RunOptions &options, Workload &workload, uint32_t rank,
               CallBuffers &buffers, RankResult &result);

/// Compares what only all ranks together show: that they are identical, and
/// that nobody left a barrier before all had entered it. Empty: all is well.
std::string checkTogether(const std::vector<RankResult> &results);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_CHECK_H
