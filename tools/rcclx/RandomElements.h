//===- RandomElements.h - Data of every element type ------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_RANDOMELEMENTS_H
#define RCCLX_TOOLS_RCCLX_RANDOMELEMENTS_H

#include "rcclx/Runtime/Types.h"

#include <vector>

namespace rcclx::tool {

/// A good 64-bit hash of a counter (SplitMix64).
uint64_t mix(uint64_t x);

/// Fills `out` with elements that are a pure function of (stream, index).
/// Integers are of the whole range, so that results wrap. Floats are such that
/// sums and products of 256 stay far from overflow, and their rounding matters.
/// `special` mixes in what is easy to get wrong: of floats NaN, infinities,
/// signed zeros and denormals, of integers both ends of the range and numbers
/// around zero.
void fillElements(std::vector<char> &out, runtime::Element element,
                  runtime::Reduction reduction, uint64_t stream, bool special);

/// A scale of premul_sum, in the accumulator's type.
uint64_t randomScale(runtime::Element element, uint64_t random);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_RANDOMELEMENTS_H
