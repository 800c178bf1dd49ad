//===- CompileTesting.h - what the compile tests share ----------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_COMPILE_COMPILETESTING_H
#define RCCLX_TESTS_COMPILE_COMPILETESTING_H

#include "llvm/Support/Error.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace rcclx {

/// The text of the error, or "" for a success.
inline std::string errorOf(llvm::Expected<std::vector<char>> result) {
  return result ? std::string() : llvm::toString(result.takeError());
}

/// The bytes; fails the test with the error's text when there are none.
inline std::vector<char> bytesOf(llvm::Expected<std::vector<char>> result) {
  if (result)
    return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return {};
}

/// Expects that `body` writes nothing to stderr or stdout.
template <typename Body> void expectSilent(Body body) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  body();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

} // namespace rcclx

#endif // RCCLX_TESTS_COMPILE_COMPILETESTING_H
