//===- ElementCheck.h - One element of a result, another way ----*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_ELEMENTCHECK_H
#define RCCLX_TOOLS_RCCLX_ELEMENTCHECK_H

#include "Workload.h"

#include <string>

namespace rcclx::tool {

/// One output element and what it is made of.
struct Item {
  uint32_t first, last; // ranks [first, last) contribute
  uint64_t index;       // of the element in their inputs
};

/// Compares elements with what they mean, computed from the inputs in 80-bit
/// floats and in integers: it knows nothing of the schedule, the proof or the
/// order of reductions. Copies, integers, min and max must be equal.
///
/// Other results of floats are rounded on their way. Each rounding moves a
/// value by at most u of it, the unit of the accumulator (2^-24 for f32, 2^-53
/// for f64), or by half the least denormal. `roundings` times on a path, a
/// partial result is rounded to the element type: by at most v of it (2^-11 for
/// f16, 2^-8 for bf16, ...), or by its least denormal d. The operations are
/// `world`-1 in number, whatever their order, the division of an average one
/// more, and the multiplication of premul_sum another. So results must lie
/// within
///
///   1.01 M ((world + 1) u + roundings v) + (roundings d + world e) G
///
/// of the reference. M bounds all partial results: the sum of magnitudes
/// (divided as an average is), or of a product its magnitude. G is what a small
/// error grows to by later factors: 1 in sums. e is the accumulator's least
/// denormal. 1.01 covers roundings of roundings and of the reference.
///
/// Where a partial result may exceed the largest value, what follows depends on
/// the order: infinity (of 8-bit floats the largest value) is right, and so is
/// all that comes of it. The comparison bit for bit with the proof's terms has
/// no such gap.
class ElementChecker {
public:
  ElementChecker(const Workload &workload, uint32_t roundings);

  /// Each is empty when `actual` is right.
  std::string copy(const Item &item, const char *actual);
  std::string reduce(const Item &item, const char *actual);

  /// The largest |result - reference| / bound.
  double largestError = 0;

private:
  long double value(uint32_t rank, const Item &item) const;
  uint64_t bits(uint32_t rank, const Item &item) const;
  std::string extreme(const Item &item, const char *actual) const;
  std::string rounded(const Item &item, const char *actual);
  std::string integer(const Item &item, const char *actual) const;

  const runtime::Manifest &manifest;
  const std::vector<const char *> inputs;
  const std::vector<uint64_t> &scales;
  const uint32_t size;
  const uint32_t roundings;
};

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_ELEMENTCHECK_H
