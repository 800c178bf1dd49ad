//===- Statistics.cpp - What many times of one call say -------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Statistics.h"

#include <algorithm>

namespace rcclx::tool {

using namespace runtime;

double quantile(const std::vector<uint64_t> &sorted, double q) {
  double position = q * double(sorted.size() - 1);
  size_t below = size_t(position);
  size_t above = std::min(below + 1, sorted.size() - 1);
  double part = position - double(below);
  return double(sorted[below]) * (1 - part) + double(sorted[above]) * part;
}

Summary summarize(std::vector<uint64_t> times) {
  std::sort(times.begin(), times.end());
  return {double(times.front()), quantile(times, 0.1), quantile(times, 0.5),
          quantile(times, 0.9)};
}

double busFactor(Contract contract, uint32_t world) {
  double others = double(world - 1) / world;
  switch (contract) {
  case Contract::AllReduce:
    return 2 * others;
  case Contract::AllGather:
  case Contract::ReduceScatter:
  case Contract::AllToAll:
  case Contract::Gather:
  case Contract::Scatter:
    return others;
  default:
    return 1;
  }
}

} // namespace rcclx::tool
