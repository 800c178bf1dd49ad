//===- Intervals.cpp - Rational intervals of a block ----------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/Intervals.h"
#include <cassert>
#include <numeric>

using namespace rcclx;

IntervalTable::IntervalTable() { intern(0, 1, 1); }

std::optional<IntervalId> IntervalTable::intern(uint64_t begin, uint64_t length,
                                                uint64_t denominator) {
  uint64_t divisor = std::gcd(std::gcd(begin, length), denominator);
  begin /= divisor;
  length /= divisor;
  denominator /= divisor;
  if (denominator > maxDenominator)
    return std::nullopt;
  auto [it, inserted] =
      ids.try_emplace({begin << 32 | length, uint32_t(denominator)},
                      IntervalId(intervals.size()));
  if (inserted)
    intervals.push_back(
        {uint32_t(begin), uint32_t(length), uint32_t(denominator)});
  return it->second;
}

std::optional<IntervalId> IntervalTable::getPart(IntervalId source,
                                                 uint64_t index,
                                                 uint64_t length,
                                                 uint64_t count) {
  assert(count <= maxDenominator && length > 0 && index + length <= count);
  const Interval &of = intervals[source];
  // No product exceeds denominator * count, and so 2^62.
  return intern(of.begin * count + index * of.length, length * of.length,
                of.denominator * count);
}

std::optional<IntervalId> IntervalTable::getBetween(Position start,
                                                    Position end) {
  assert(start < end);
  uint64_t common = std::lcm(start.denominator, end.denominator);
  uint64_t begin = start.numerator * (common / start.denominator);
  return intern(begin, end.numerator * (common / end.denominator) - begin,
                common);
}

std::string rcclx::describe(const Interval &interval) {
  if (interval.length == interval.denominator)
    return "";
  std::string of = " of " + std::to_string(interval.denominator);
  if (interval.length == 1)
    return "part " + std::to_string(interval.begin) + of;
  return "parts " + std::to_string(interval.begin) + " to " +
         std::to_string(interval.begin + interval.length - 1) + of;
}
