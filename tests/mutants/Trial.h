//===- Trial.h - Whether a kernel computes what it should -------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_MUTANTS_TRIAL_H
#define RCCLX_TESTS_MUTANTS_TRIAL_H

#include "Workload.h"
#include "rcclx_params.h"

#include <memory>
#include <string>
#include <vector>

namespace rcclx::mutants {

/// What all kernels of a job are tried with.
struct TrialSettings {
  tool::RunOptions options; // element, reduction, seed
  uint32_t tileGroups = 0;
  uint32_t depth = 0;
  uint32_t timeoutMs = 0;
};

/// One kernel.
struct TrialKernel {
  std::string symbol;
  runtime::Contract contract{};
  uint32_t world = 0, root = 0, grid = 1;
  std::vector<uint32_t> permutation; // empty: none
  std::vector<std::vector<uint32_t>> edges, readers;
};

using KernelFunction = void (*)(const rcclx_kernel_params &, uint32_t);

/// The calls of a trial: three counts, four calls each, all with data of their
/// own. Made once for all kernels of one contract and world.
class Calls {
public:
  Calls(const TrialSettings &settings, const TrialKernel &kernel);
  struct Call {
    tool::RunOptions options;
    std::unique_ptr<tool::Workload> workload;
  };
  runtime::Manifest manifest;
  std::vector<Call> calls;
};

/// "right", or "wrong" or "hang", a tab, and what was found. Runs all ranks as
/// threads of this process, which a wrong kernel may harm.
std::string tryKernel(const TrialSettings &settings, const TrialKernel &kernel,
                      KernelFunction function, Calls &calls);

} // namespace rcclx::mutants

#endif // RCCLX_TESTS_MUTANTS_TRIAL_H
