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
  /// False: this contract's meaning is not known here (it needs a root).
  bool checked = false;
  std::string wrong; // the first element outside its bound; empty: none
  /// The largest |result - reference| / bound.
  double largestError = 0;
};

/// Compares `output` of `rank` with the contract's meaning, computed from the
/// inputs in 64-bit arithmetic: it knows nothing of the schedule, the proof or
/// the order of reductions. Copies, integers and max must be equal. Sums of
/// floats must lie within the error that docs/Numerics.md explains: world f32
/// roundings and `roundings` to the element type, each relative to the sum of
/// magnitudes.
ReferenceResult checkReference(const Workload &workload,
                               const RunOptions &options, uint32_t rank,
                               const char *output, uint32_t roundings);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_REFERENCE_H
