//===- ElementCheck.cpp - One element of a result, another way ------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "ElementCheck.h"

#include "rcclx/Runtime/Numeric.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rcclx::tool {

using namespace runtime;
using Real = long double;

template <typename T> static T read(const char *at) {
  T value;
  memcpy(&value, at, sizeof(value));
  return value;
}

static Real loadFloat(Element element, const char *at) {
  switch (element) {
  case Element::F64:
    return read<double>(at);
  case Element::F16:
    return widenF16(read<uint16_t>(at));
  case Element::BF16:
    return widenBf16(read<uint16_t>(at));
  case Element::F8E4M3FN:
    return widenF8<formatE4M3>(read<uint8_t>(at));
  case Element::F8E5M2:
    return widenF8<formatE5M2>(read<uint8_t>(at));
  default:
    return read<float>(at);
  }
}

namespace {
/// Unit round-off, smallest denormal and largest value of an element type.
struct Precision {
  Real unit, tiny, largest;
  bool saturates = false; // at the largest value, instead of infinity
};
} // namespace

static Precision precisionOf(Element element) {
  switch (element) {
  case Element::F64:
    return {0x1p-53L, 0x1p-1074L, 0x1.fffffffffffffp1023L};
  case Element::F16:
    return {0x1p-11L, 0x1p-24L, 65504};
  case Element::BF16:
    return {0x1p-8L, 0x1p-133L, 0x1.fep127L};
  case Element::F8E4M3FN:
    return {0x1p-4L, 0x1p-9L, 448, true};
  case Element::F8E5M2:
    return {0x1p-3L, 0x1p-16L, 57344, true};
  default:
    return {0x1p-24L, 0x1p-149L, 0x1.fffffep127L};
  }
}

static bool same(Real a, Real b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

ElementChecker::ElementChecker(const Workload &workload, uint32_t roundings)
    : manifest(workload.manifest), inputs(workload.inputs()),
      scales(workload.scales), size(elementBytes(manifest.element)),
      roundings(roundings) {}

std::string ElementChecker::copy(const Item &item, const char *actual) {
  // What premul_sum takes is the product.
  if (manifest.reduction == Reduction::PremulSum)
    return reduce(item, actual);
  if (memcmp(inputs[item.first] + item.index * size, actual, size) == 0)
    return "";
  return fmt::format("is not the input's of rank {}", item.first);
}

std::string ElementChecker::reduce(const Item &item, const char *actual) {
  if (!isFloat(manifest.element))
    return integer(item, actual);
  if (manifest.reduction == Reduction::Min ||
      manifest.reduction == Reduction::Max)
    return extreme(item, actual);
  return rounded(item, actual);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

Real ElementChecker::value(uint32_t rank, const Item &item) const {
  Real x = loadFloat(manifest.element, inputs[rank] + item.index * size);
  if (manifest.reduction == Reduction::PremulSum)
    x *= loadFloat(accumulator(manifest.element),
                   reinterpret_cast<const char *>(&scales[rank]));
  return x;
}

std::string ElementChecker::extreme(const Item &item,
                                    const char *actual) const {
  Real wanted = std::nanl("");
  for (uint32_t r = item.first; r != item.last; ++r)
    wanted = manifest.reduction == Reduction::Min
                 ? std::fmin(wanted, value(r, item))
                 : std::fmax(wanted, value(r, item));
  Precision type = precisionOf(manifest.element);
  if (type.saturates && !std::isnan(wanted))
    wanted = std::clamp(wanted, -type.largest, type.largest);
  Real got = loadFloat(manifest.element, actual);
  return same(got, wanted)
             ? ""
             : fmt::format("is {}, not {}", double(got), double(wanted));
}

std::string ElementChecker::rounded(const Item &item, const char *actual) {
  const Precision type = precisionOf(manifest.element);
  const Precision acc = precisionOf(accumulator(manifest.element));
  const bool isProduct = manifest.reduction == Reduction::Prod;
  Real wanted = isProduct ? 1 : 0, most = wanted, growth = 1;
  bool anyNan = false;
  for (uint32_t r = item.first; r != item.last; ++r) {
    Real x = value(r, item);
    anyNan |= std::isnan(x);
    wanted = isProduct ? wanted * x : wanted + x;
    most = isProduct ? most * std::fabs(x) : most + std::fabs(x);
    if (isProduct)
      growth *= std::max<Real>(1, std::fabs(x));
  }
  if (manifest.reduction == Reduction::Avg) {
    wanted /= manifest.world;
    most /= manifest.world;
  }
  const Real relative =
      1.01L * ((manifest.world + 1) * acc.unit + roundings * type.unit);
  const Real bound =
      relative * most +
      (roundings * type.tiny + manifest.world * acc.tiny) * growth;
  const Real got = loadFloat(manifest.element, actual);
  // A sum with infinities is one, or NaN, in any order.
  if (anyNan || (!std::isfinite(wanted) && !isProduct && !type.saturates))
    return same(got, wanted)
               ? ""
               : fmt::format("is {}, not {}", double(got), double(wanted));
  // Partial results: of an average, sums.
  Real partial = isProduct ? growth : most;
  if (manifest.reduction == Reduction::Avg)
    partial *= manifest.world;
  if (!(partial * (1 + relative) + bound < type.largest))
    return "";
  Real error = std::fabs(got - wanted);
  if (bound > 0)
    largestError = std::max(largestError, double(error / bound));
  if (error <= bound)
    return "";
  return fmt::format("is {}, {} away from {}; rounding explains {}",
                     double(got), double(error), double(wanted), double(bound));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The number that the low bytes of `bits` are, and back.
static __int128 numberOf(Element element, uint64_t bits) {
  int unused = 64 - 8 * int(elementBytes(element));
  bits <<= unused;
  return isSigned(element) ? __int128(int64_t(bits) >> unused)
                           : __int128(bits >> unused);
}

uint64_t ElementChecker::bits(uint32_t rank, const Item &item) const {
  uint64_t x = 0;
  memcpy(&x, inputs[rank] + item.index * size, size);
  return manifest.reduction == Reduction::PremulSum ? x * scales[rank] : x;
}

std::string ElementChecker::integer(const Item &item,
                                    const char *actual) const {
  const Element element = manifest.element;
  uint64_t sum = 0, product = 1; // modulo 2^64, hence modulo the type's range
  __int128 least = numberOf(element, bits(item.first, item)), most = least;
  for (uint32_t r = item.first; r != item.last; ++r) {
    uint64_t x = bits(r, item);
    sum += x;
    product *= x;
    least = std::min(least, numberOf(element, x));
    most = std::max(most, numberOf(element, x));
  }
  auto wanted = __int128(0);
  switch (manifest.reduction) {
  case Reduction::Sum:
  case Reduction::PremulSum:
    wanted = numberOf(element, sum);
    break;
  case Reduction::Prod:
    wanted = numberOf(element, product);
    break;
  case Reduction::Min:
    wanted = least;
    break;
  case Reduction::Max:
    wanted = most;
    break;
  case Reduction::Avg:
    wanted = numberOf(element, sum) / manifest.world;
    break;
  }
  uint64_t got = 0;
  memcpy(&got, actual, size);
  return numberOf(element, got) == wanted
             ? ""
             : fmt::format("is {:#x}, not {:#x}", got,
                           uint64_t(wanted) & ~uint64_t(0) >> (64 - 8 * size));
}

} // namespace rcclx::tool
