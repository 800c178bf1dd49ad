//===- BenchOptions.h - What `rcclx bench` is asked to do -------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_BENCH_BENCHOPTIONS_H
#define RCCLX_TOOLS_RCCLX_BENCH_BENCHOPTIONS_H

#include "rcclx/Runtime/Status.h"
#include "rcclx/Runtime/Types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rcclx::tool {

/// A schedule, and which collective it says it implements.
struct BenchSchedule {
  std::string path;
  std::string name; // of the file, without folder and ending
  std::string text;
  runtime::Contract contract;
};

/// What every rank of a job is told.
struct BenchOptions {
  std::vector<BenchSchedule> schedules;
  std::vector<runtime::Contract> collectives;
  std::vector<uint64_t> sizes;
  uint32_t world = 0;
  std::vector<std::string> peers;
  uint32_t warmups = 2;        // rounds of all variants before any that counts
  uint32_t sweeps = 5;         // rounds that choose each library's best variant
  uint32_t rounds = 15;        // least number of measured rounds
  uint32_t maxRounds = 1000;   // most
  uint64_t milliseconds = 500; // of measured rounds, past the least number
  uint64_t arrayBytes = uint64_t(64) << 20; // for the memory's bandwidth
  bool pin = false;                         // rank r to the r-th processor
  bool samples = false;                     // every time goes into the JSON
  uint64_t seed = 1;
  uint64_t timeoutMs = 60'000;
  std::string protocol;
  std::string cacheDir;
  std::string plans; // folder of plans; empty: they are compiled or cached

  std::string toJson() const;
  /// Internal for text that toJson did not write.
  static runtime::Expected<BenchOptions> fromJson(const std::string &text);
};

/// The collective that a schedule says it implements: the word after
/// "implements" outside of comments. Schedule, naming the path, when there is
/// no or an unknown one.
runtime::Expected<runtime::Contract> contractOf(const std::string &path,
                                                const std::string &text);

/// The collectives that can be measured.
bool canBench(runtime::Contract contract);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_BENCH_BENCHOPTIONS_H
