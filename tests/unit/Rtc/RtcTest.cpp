//===- RtcTest.cpp - the callback that the compiler is given --------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "rcclx/Runtime/Rtc.h"
#include "RtcTesting.h"

#include <cstdlib>
#include <string>

namespace rcclx::runtime {
namespace {

struct Outcome {
  int result;
  std::string bytes;
};

Outcome compileFor(const char *target, std::string_view source) {
  char *object = nullptr;
  size_t bytes = 0;
  int result = rtcCompile(nullptr, target, source.data(), source.size(),
                          &object, &bytes);
  EXPECT_NE(object, nullptr);
  Outcome outcome{result, std::string(object, bytes)};
  std::free(object);
  return outcome;
}

class RtcTarget : public testing::TestWithParam<std::string> {};

TEST_P(RtcTarget, Compiles) {
  const char *target = GetParam().c_str();
  if (!rtcSupports(target))
    GTEST_SKIP() << "no run-time compiler for " << target << ": "
                 << compileFor(target, scaleSource).bytes;
  Outcome outcome = compileFor(target, scaleSource);
  ASSERT_EQ(outcome.result, 0) << outcome.bytes;
  EXPECT_EQ(machineOf(outcome.bytes.data(), outcome.bytes.size()),
            GetParam().starts_with("gfx") ? machineAmdGpu : machineCuda);
}

INSTANTIATE_TEST_SUITE_P(All, RtcTarget,
                         testing::Values("gfx90a", "gfx1030", "sm_90"),
                         [](const auto &info) { return info.param; });

TEST(Rtc, OtherTargetsGetAMessage) {
  for (const char *target :
       {"gfx942", "gfx9999", "garbage", "", "host-x86_64", "sm_9999"}) {
    EXPECT_FALSE(rtcSupports(target)) << target;
    Outcome outcome = compileFor(target, scaleSource);
    EXPECT_NE(outcome.result, 0) << target;
    EXPECT_NE(outcome.bytes, "") << target;
  }
  EXPECT_FALSE(rtcSupports(nullptr));
  EXPECT_NE(compileFor(nullptr, "").result, 0);
}

TEST(Rtc, SourceNeedNotEndWithNul) {
  std::string text = std::string(scaleSource) + "trailing garbage";
  std::string_view source(text.data(), std::strlen(scaleSource));
  for (const char *target : {"gfx90a", "sm_90"})
    if (rtcSupports(target)) {
      Outcome outcome = compileFor(target, source);
      EXPECT_EQ(outcome.result, 0) << outcome.bytes;
    }
}

} // namespace
} // namespace rcclx::runtime
