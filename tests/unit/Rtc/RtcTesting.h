//===- RtcTesting.h - what tests of run-time compilers share ----*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_RTC_RTCTESTING_H
#define RCCLX_TESTS_RTC_RTCTESTING_H

#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>
#include <vector>

namespace rcclx::runtime {

/// One text for both GPU compilers; neither offers stdint names or a `half`.
inline constexpr const char *scaleSource = R"(
#if defined(__CUDACC_RTC__)
#define THREAD threadIdx.x
#else
#define THREAD __builtin_amdgcn_workitem_id_x()
#endif
extern "C" __attribute__((global)) void scale(float *x, float a) {
  x[THREAD] = x[THREAD] * a + 1.0f;
})";

inline constexpr int machineAmdGpu = 224; // EM_AMDGPU, not in Debian 12's elf.h
inline constexpr int machineCuda = 190;   // EM_CUDA

/// The ELF machine of `object`, or -1.
inline int machineOf(const char *object, size_t bytes) {
  Elf64_Ehdr header;
  if (bytes < sizeof(header))
    return -1;
  std::memcpy(&header, object, sizeof(header));
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) ? -1 : header.e_machine;
}
inline int machineOf(const std::vector<char> &object) {
  return machineOf(object.data(), object.size());
}

/// Names that no library may be asked for.
inline constexpr const char *hostileArchs[] = {
    "gfx942",  "gfx950", "gfx1151",        "gfx1201",
    "gfx9999", "gfx",    "garbage",        "",
    "gfx90a ", "GFX90A", "gfx90a:xnack-z", "gfx90a --save-temps",
    "sm_90",   "host",   "../../gfx90a",   "gfx90a\n"};

/// Expects that `body` writes nothing to stderr or stdout.
template <typename Body> void expectSilent(Body body) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  body();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

} // namespace rcclx::runtime

#endif // RCCLX_TESTS_RTC_RTCTESTING_H
