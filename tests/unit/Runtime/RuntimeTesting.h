//===- RuntimeTesting.h - What the runtime's tests share --------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_UNIT_RUNTIME_RUNTIMETESTING_H
#define RCCLX_TESTS_UNIT_RUNTIME_RUNTIMETESTING_H

#include "rcclx/Runtime/Status.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace rcclx::runtime::testing {

/// A folder of its own for one test.
class Scratch {
public:
  Scratch() {
    std::string name = ::testing::TempDir() + "rcclx-test-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const std::string &name) const {
    return path + "/" + name;
  }

  std::string path;
};

inline void writeFile(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary) << content;
}

inline size_t countLines(const std::string &path) {
  std::ifstream in(path);
  size_t lines = 0;
  for (std::string line; std::getline(in, line);)
    ++lines;
  return lines;
}

/// Number of entries of a folder: of open files with /proc/self/fd, of threads
/// with /proc/self/task.
inline size_t countEntries(const std::string &path) {
  size_t entries = 0;
  for ([[maybe_unused]] auto &entry : std::filesystem::directory_iterator(path))
    ++entries;
  return entries;
}

} // namespace rcclx::runtime::testing

/// Fails the test with the error's text.
#define ASSERT_OK(expr)                                                        \
  do {                                                                         \
    ::rcclx::runtime::Status rcclxOk = (expr);                                 \
    ASSERT_TRUE(rcclxOk.isOk()) << rcclxOk.message();                          \
  } while (false)
/// The error has this code, and its message contains this text.
#define EXPECT_ERROR(expr, expectedCode, text)                                 \
  do {                                                                         \
    ::rcclx::runtime::Status rcclxError = (expr);                              \
    EXPECT_EQ(int(rcclxError.code()), int(expectedCode))                       \
        << rcclxError.message();                                               \
    EXPECT_NE(rcclxError.message().find(text), std::string::npos)              \
        << rcclxError.message();                                               \
  } while (false)

#endif // RCCLX_TESTS_UNIT_RUNTIME_RUNTIMETESTING_H
