//===- Intervals.h - Rational intervals of a block --------------*- C++ -*-===//
//
// Part of rcclx.
//
// A slice covers granules floor(a*g/d) to floor((a+l)*g/d) of a block, for
// every granule count g. Two slices have equal boundaries for every g exactly
// when a/d and (a+l)/d are equal, so that intervals are kept in lowest terms
// and interned: equal identities are equal intervals.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_ANALYSIS_INTERVALS_H
#define RCCLX_ANALYSIS_INTERVALS_H

#include "llvm/ADT/DenseMap.h"
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rcclx {

/// A place within a block, from 0 (its start) to 1 (its end).
struct Position {
  uint64_t numerator;
  uint64_t denominator;

  std::strong_ordering operator<=>(const Position &other) const {
    return numerator * other.denominator <=> other.numerator * denominator;
  }
  bool operator==(const Position &other) const {
    return (*this <=> other) == std::strong_ordering::equal;
  }
};

/// The part from begin/denominator to (begin+length)/denominator of a block, in
/// lowest terms.
struct Interval {
  uint32_t begin;
  uint32_t length;
  uint32_t denominator;

  Position start() const { return {begin, denominator}; }
  Position end() const { return {uint64_t(begin) + length, denominator}; }
  bool operator==(const Interval &) const = default;
};

using IntervalId = uint32_t;

/// The intervals of one proof, each with one identity.
class IntervalTable {
public:
  /// Denominators are at most this, so that products of two fit in 64 bits.
  static constexpr uint64_t maxDenominator = uint64_t(1) << 31;
  /// The whole block.
  static constexpr IntervalId whole = 0;
  /// The extent of a value that is the same everywhere: the neutral element.
  static constexpr IntervalId everywhere = ~IntervalId(0);

  IntervalTable();

  const Interval &operator[](IntervalId id) const { return intervals[id]; }

  /// Parts `index` to `index + length` of `count` equal parts of `source`. They
  /// lie within it, and `count` is at most maxDenominator. No value where the
  /// result's denominator exceeds maxDenominator.
  std::optional<IntervalId> getPart(IntervalId source, uint64_t index,
                                    uint64_t length, uint64_t count);

  /// From `start` to `end`, which is greater. No value as for getPart.
  std::optional<IntervalId> getBetween(Position start, Position end);

private:
  std::optional<IntervalId> intern(uint64_t begin, uint64_t length,
                                   uint64_t denominator);

  std::vector<Interval> intervals;
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, IntervalId> ids;
};

/// "part 1 of 4", "parts 1 to 2 of 4" or, for the whole block, "".
std::string describe(const Interval &interval);

} // namespace rcclx

#endif // RCCLX_ANALYSIS_INTERVALS_H
