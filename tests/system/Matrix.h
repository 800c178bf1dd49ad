//===- Matrix.h - Which cases of a large space to run -----------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_SYSTEM_MATRIX_H
#define RCCLX_TESTS_SYSTEM_MATRIX_H

#include <cstddef>
#include <vector>

namespace rcclx::testing {

/// One case: the index of a value for each factor.
using Row = std::vector<size_t>;

/// Rows of factors with `sizes[f]` values each. Every combination of values of
/// the first `whole` factors occurs, and every pair of values of any two
/// factors. The same rows on every run.
std::vector<Row> coverPairs(const std::vector<size_t> &sizes, size_t whole);

} // namespace rcclx::testing

#endif // RCCLX_TESTS_SYSTEM_MATRIX_H
