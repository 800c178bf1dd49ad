//===- NvRtcTest.cpp - the installed NVRTC --------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "NvRtc.h"
#include "RtcTesting.h"

#include <thread>

namespace rcclx::runtime {
namespace {

class NvRtcReal : public testing::Test {
protected:
  void SetUp() override {
    Expected<std::unique_ptr<NvRtc>> loaded = NvRtc::load("");
    if (!loaded)
      GTEST_SKIP() << loaded.status().message();
    rtc = *std::move(loaded);
  }
  std::unique_ptr<NvRtc> rtc;
};

TEST_F(NvRtcReal, CompilesForSm90) {
  ASSERT_TRUE(rtc->supports("sm_90"));
  Expected<std::vector<char>> code = rtc->compile(scaleSource, "sm_90");
  ASSERT_TRUE(code) << code.status().message();
  EXPECT_EQ(machineOf(*code), machineCuda);
  EXPECT_NE(std::string(code->begin(), code->end()).find("scale"),
            std::string::npos);
}

TEST_F(NvRtcReal, UnknownArchIsUnavailable) {
  for (const char *arch : {"sm_9999", "sm_", "", "garbage", "gfx90a", "sm_90 ",
                           "sm_-90", "compute_90", "sm_90aa"}) {
    Expected<std::vector<char>> code = rtc->compile(scaleSource, arch);
    ASSERT_FALSE(code) << arch;
    EXPECT_EQ(code.status().code(), Code::Unavailable);
    EXPECT_NE(code.status().message().find("sm_90"), std::string::npos);
  }
}

TEST_F(NvRtcReal, GarbageIsAnErrorWithFileAndLine) {
  expectSilent([&] {
    Expected<std::vector<char>> code =
        rtc->compile("int ok;\nthese are not C++;\n", "sm_90");
    ASSERT_FALSE(code);
    EXPECT_NE(code.status().message().find("gpu.hip.cpp(2): error:"),
              std::string::npos)
        << code.status().message();
  });
}

TEST_F(NvRtcReal, FourThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Expected<std::vector<char>> code = rtc->compile(scaleSource, "sm_90");
      EXPECT_TRUE(code) << code.status().message();
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(NvRtc, AbsentLibraryIsUnavailable) {
  Expected<std::unique_ptr<NvRtc>> rtc = NvRtc::load("/no/such/library.so");
  ASSERT_FALSE(rtc);
  EXPECT_EQ(rtc.status().code(), Code::Unavailable);
}

} // namespace
} // namespace rcclx::runtime
