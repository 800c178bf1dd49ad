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

/// Compares `output` of `rank` with the contract's meaning (ElementChecker).
/// `roundings` is that of the proof's terms.
ReferenceResult checkReference(const Workload &workload,
                               const RunOptions &options, uint32_t rank,
                               const char *output, uint32_t roundings);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_REFERENCE_H
