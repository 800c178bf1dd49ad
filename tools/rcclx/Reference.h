//===- Reference.h - Results computed another way ---------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_REFERENCE_H
#define RCCLX_TOOLS_RCCLX_REFERENCE_H

#include "Workload.h"

namespace rcclx::tool {

struct ReferenceResult {
  bool checked = false;
  std::string wrong; // the first element outside its bound; empty: none
  /// The largest |result - reference| / bound.
  double largestError = 0;
};

/// Compares `output` of `rank` with the contract's meaning, computed from the
/// inputs in 64-bit arithmetic: it knows nothing of the schedule, the proof or
/// the order of reductions. Copies, integers and max must be equal.
///
/// Sums and averages of floats are rounded on their way. A sum of `world`
/// elements has world - 1 additions in f32, whatever their order, and an
/// average one division. Each rounding moves its result by at most u = 2^-24 of
/// it, and no partial sum exceeds the sum of magnitudes M. `roundings` times on
/// a path, a partial result is rounded to the element type, by at most v (2^-24
/// for f32, 2^-11 for f16, 2^-8 for bf16) of it, or by the least denormal d. So
/// results must lie within
///
///   1.01 M ((world + 1) u + roundings v) + roundings d
///
/// of the reference, where M is divided as the average is, and 1.01 covers
/// what roundings of roundings add, and the reference's own f64 roundings.
/// Where the bound reaches the type's largest value, infinity is right, too.
ReferenceResult checkReference(const Workload &workload,
                               const RunOptions &options, uint32_t rank,
                               const char *output, uint32_t roundings);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_REFERENCE_H
