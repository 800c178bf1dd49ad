//===- Oracle.h - What a proved plan must compute ---------------*- C++ -*-===//
//
// Part of rcclx. Evaluates the reduction tree that was proved (the manifest's
// `oracle`) with the arithmetic of docs/Numerics.md: the expected output, bit
// for bit.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_EXEC_ORACLE_H
#define RCCLX_RUNTIME_EXEC_ORACLE_H

#include "rcclx/Runtime/Manifest.h"

#include <span>

namespace rcclx::runtime {

/// Bytes of one rank's input or output for `count`.
uint64_t inputBytes(const Manifest &manifest, uint32_t rank, uint64_t count);
uint64_t outputBytes(const Manifest &manifest, uint32_t rank, uint64_t count);

/// Writes the output of `rank` for `inputs` (one buffer per rank). `output` has
/// outputBytes(). Elements that the plan does not write are left alone. Of
/// premul_sum, `scales` has every rank's scale: the bits of the accumulator.
void evaluateOracle(const Manifest &manifest, uint32_t rank, uint64_t count,
                    std::span<const char *const> inputs, char *output,
                    std::span<const uint64_t> scales = {});

/// The largest number of roundings to the element type on a path from an input
/// to an output of `rank`.
uint32_t oracleRoundings(const Manifest &manifest, uint32_t rank);

/// The first element of `actual` that differs from `expected` in any bit, or
/// `elements` when none does.
uint64_t firstDifference(const char *actual, const char *expected,
                         uint64_t elements, Element element);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_EXEC_ORACLE_H
