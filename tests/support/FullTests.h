//===- FullTests.h - How much of a matrix a test runs -----------*- C++ -*-===//
//
// Part of rcclx. `./scripts/test.sh --full` sets RCCLX_TEST_FULL=1: tests with
// a large space of cases then run all of it, otherwise a seeded part. A test
// that is slow with --full states a TIMEOUT of its own in CMakeLists.txt.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_SUPPORT_FULLTESTS_H
#define RCCLX_TESTS_SUPPORT_FULLTESTS_H

#include <cstdlib>
#include <string_view>

namespace rcclx {

/// Whether all cases are to run.
inline bool fullTests() {
  const char *value = std::getenv("RCCLX_TEST_FULL");
  return value && std::string_view(value) == "1";
}

/// How many cases to run: `few` by default, `all` with --full.
template <typename T> T fewOrAll(T few, T all) {
  return fullTests() ? all : few;
}

} // namespace rcclx

#endif // RCCLX_TESTS_SUPPORT_FULLTESTS_H
