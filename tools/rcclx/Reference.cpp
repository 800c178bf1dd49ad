//===- Reference.cpp - Results computed another way -----------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Reference.h"

#include "ElementCheck.h"

#include <algorithm>

namespace rcclx::tool {

using namespace runtime;

/// Whose input goes to `rank` in a permute.
static uint32_t sourceOf(const Manifest &manifest, uint32_t rank) {
  const std::vector<uint32_t> &permutation = manifest.permutation;
  if (permutation.empty())
    return (rank + manifest.world - 1) % manifest.world;
  return uint32_t(std::find(permutation.begin(), permutation.end(), rank) -
                  permutation.begin());
}

ReferenceResult checkReference(const Workload &workload,
                               const RunOptions &options, uint32_t rank,
                               const char *output, uint32_t roundings) {
  const Manifest &manifest = workload.manifest;
  const uint64_t count = options.count;
  const uint32_t world = manifest.world;
  const uint32_t size = elementBytes(manifest.element);
  ElementChecker checker(workload, roundings);
  ReferenceResult result;
  const uint32_t root = manifest.root;
  const uint32_t source = sourceOf(manifest, rank);
  for (uint32_t block = 0; block != manifest.outputBlocksOf(rank); ++block)
    for (uint64_t i = 0; i != count; ++i) {
      const char *actual = output + (block * count + i) * size;
      std::string wrong;
      switch (manifest.contract) {
      case Contract::AllReduce:
      case Contract::Reduce:
        wrong = checker.reduce({0, world, i}, actual);
        break;
      case Contract::ReduceScatter:
        wrong = checker.reduce({0, world, rank * count + i}, actual);
        break;
      case Contract::AllGather:
      case Contract::Gather:
        wrong = checker.copy({block, block + 1, i}, actual);
        break;
      case Contract::AllToAll:
        wrong = checker.copy({block, block + 1, rank * count + i}, actual);
        break;
      case Contract::Broadcast:
        wrong = checker.copy({root, root + 1, i}, actual);
        break;
      case Contract::Scatter:
        wrong = checker.copy({root, root + 1, rank * count + i}, actual);
        break;
      case Contract::Permute:
        wrong = checker.copy({source, source + 1, i}, actual);
        break;
      case Contract::Barrier:
        break;
      }
      if (!wrong.empty()) {
        result.wrong = fmt::format("rank {}, block {}, element {}: the result "
                                   "{}",
                                   rank, block, i, wrong);
        return result;
      }
    }
  result.checked = true;
  result.largestError = checker.largestError;
  return result;
}

} // namespace rcclx::tool
