//===- ApiRunner.h - Calls through the C interface --------------*- C++ -*-===//
//
// Part of rcclx. Two communicators at the same time. A thread for each rank
// drives both, over several streams and without one.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_ADVERSARY_APIRUNNER_H
#define RCCLX_TESTS_ADVERSARY_APIRUNNER_H

#include "Runners.h"
#include "rcclx/rcclx.h"

#include <map>

namespace rcclx::adversary {

class ApiRunner {
public:
  /// Prepares all `plans` on all ranks of both communicators.
  explicit ApiRunner(const std::vector<LoadedPlan> &plans);
  ApiRunner(const ApiRunner &) = delete;
  ApiRunner &operator=(const ApiRunner &) = delete;
  ~ApiRunner();

  RunResult run(std::vector<Call> &calls, uint64_t seed);

private:
  static constexpr size_t communicators = 2;
  static constexpr size_t streamCount = 2;
  struct Rank {
    rcclx_comm *comms[communicators] = {};
    rcclx_stream *streams[communicators][streamCount] = {};
    std::map<const LoadedPlan *, rcclx_plan *> plans[communicators];
  };
  template <typename Body> void onEachRank(Body body);
  void runRank(uint32_t rank, std::vector<Call> &calls, uint64_t seed);

  std::vector<Rank> ranks;
  std::mutex mutex; // of `result`
  RunResult result;
};

} // namespace rcclx::adversary

#endif // RCCLX_TESTS_ADVERSARY_APIRUNNER_H
