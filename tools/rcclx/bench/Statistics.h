//===- Statistics.h - What many times of one call say -----------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_BENCH_STATISTICS_H
#define RCCLX_TOOLS_RCCLX_BENCH_STATISTICS_H

#include "rcclx/Runtime/Types.h"

#include <cstdint>
#include <vector>

namespace rcclx::tool {

/// Of times in ns.
struct Summary {
  double least = 0;
  double p10 = 0;
  double median = 0;
  double p90 = 0;
};

/// The value below which the part `q` (0 to 1) of `sorted` lies, between two
/// elements by linear interpolation. `sorted` is not empty.
double quantile(const std::vector<uint64_t> &sorted, double q);

/// Of at least one time, in any order.
Summary summarize(std::vector<uint64_t> times);

/// What nccl-tests multiply bytes / time by for the bus bandwidth: the part of
/// the data that a link carries in any algorithm that is as good as can be.
double busFactor(runtime::Contract contract, uint32_t world);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_BENCH_STATISTICS_H
