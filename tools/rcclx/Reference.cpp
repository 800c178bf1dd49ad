//===- Reference.cpp - Results computed another way -----------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Reference.h"

#include "rcclx/Runtime/Numeric.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rcclx::tool {

using namespace runtime;

static double load(Element element, const char *at) {
  uint16_t half;
  float single;
  int32_t integer;
  switch (element) {
  case Element::F32:
    memcpy(&single, at, 4);
    return single;
  case Element::F16:
    memcpy(&half, at, 2);
    return widenF16(half);
  case Element::BF16:
    memcpy(&half, at, 2);
    return widenBf16(half);
  case Element::I32:
    memcpy(&integer, at, 4);
    return integer;
  }
  return 0;
}

namespace {
/// Unit round-off and smallest denormal of an element type.
struct Precision {
  double unit, tiny, largest;
};
} // namespace

static Precision precisionOf(Element element) {
  switch (element) {
  case Element::F16:
    return {0x1p-11, 0x1p-24, 65504};
  case Element::BF16:
    return {0x1p-8, 0x1p-133, 0x1.fep127};
  default:
    return {0x1p-24, 0x1p-149, 0x1.fffffep127};
  }
}

namespace {
/// One output element and what it is made of.
struct Item {
  uint32_t first, last; // ranks [first, last) contribute
  uint64_t index;       // of the element in their inputs
};

class Checker {
public:
  Checker(const Workload &workload, uint32_t roundings)
      : manifest(workload.manifest), inputs(workload.inputs()),
        size(elementBytes(manifest.element)),
        precision(precisionOf(manifest.element)), roundings(roundings) {}

  /// Empty when `actual` is right.
  std::string copy(const Item &item, const char *actual) {
    if (memcmp(inputs[item.first] + item.index * size, actual, size) == 0)
      return "";
    return fmt::format("is not the input's of rank {}", item.first);
  }

  std::string reduce(const Item &item, const char *actual) {
    if (manifest.element == Element::I32)
      return reduceIntegers(item, actual);
    double got = load(manifest.element, actual);
    if (manifest.reduction == Reduction::Max) {
      double largest = std::nan("");
      for (uint32_t r = item.first; r != item.last; ++r)
        largest = std::fmax(largest, value(r, item));
      return same(got, largest)
                 ? ""
                 : fmt::format("is {}, the largest is {}", got, largest);
    }
    double sum = 0, magnitudes = 0;
    for (uint32_t r = item.first; r != item.last; ++r) {
      sum += value(r, item);
      magnitudes += std::fabs(value(r, item));
    }
    double scale = manifest.reduction == Reduction::Avg ? manifest.world : 1;
    double wanted = sum / scale;
    if (!std::isfinite(wanted))
      return same(got, wanted) ? "" : fmt::format("is {}, not {}", got, wanted);
    // (1 + u)^n - 1 is below 1.01 n u for the n and u that occur; the division
    // of avg is one more rounding.
    double bound =
        1.01 * magnitudes / scale *
            ((manifest.world + 1) * 0x1p-24 + roundings * precision.unit) +
        roundings * precision.tiny;
    if (std::isinf(got) && std::fabs(wanted) + bound >= precision.largest)
      return "";
    double error = std::fabs(got - wanted);
    if (bound > 0)
      largestError = std::max(largestError, error / bound);
    if (error <= bound)
      return "";
    return fmt::format("is {}, {} away from {}; rounding explains {}", got,
                       error, wanted, bound);
  }

  double largestError = 0;

private:
  double value(uint32_t rank, const Item &item) const {
    return load(manifest.element, inputs[rank] + item.index * size);
  }
  static bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
  }

  std::string reduceIntegers(const Item &item, const char *actual) {
    int32_t got;
    memcpy(&got, actual, 4);
    int64_t sum = 0, largest = INT32_MIN;
    for (uint32_t r = item.first; r != item.last; ++r) {
      auto x = int64_t(value(r, item));
      sum += x;
      largest = std::max(largest, x);
    }
    auto wanted = int32_t(uint32_t(uint64_t(sum))); // wraps
    if (manifest.reduction == Reduction::Max)
      wanted = int32_t(largest);
    else if (manifest.reduction == Reduction::Avg)
      wanted /= int32_t(manifest.world);
    return got == wanted ? "" : fmt::format("is {}, not {}", got, wanted);
  }

  const Manifest &manifest;
  const std::vector<const char *> inputs;
  const uint32_t size;
  const Precision precision;
  const uint32_t roundings;
};

} // namespace

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
  Checker checker(workload, roundings);
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
