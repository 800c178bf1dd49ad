//===- HipRtcTest.cpp - hipRTC, a fake one and the installed one ----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "HipRtc.h"
#include "RtcTesting.h"

#include <dlfcn.h>
#include <thread>

namespace rcclx::runtime {
namespace {

/// A fake library and its counters; dlopen gives the copy that HipRtc opened.
struct Fake {
  std::unique_ptr<HipRtc> rtc;
  int (*calls)() = nullptr;
  const char *(*arch)() = nullptr;

  explicit Fake(const char *path) {
    Expected<std::unique_ptr<HipRtc>> loaded = HipRtc::load(path);
    if (!loaded) {
      ADD_FAILURE() << loaded.status().message();
      return;
    }
    rtc = *std::move(loaded);
    void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    calls = reinterpret_cast<int (*)()>(dlsym(handle, "fakeCalls"));
    arch = reinterpret_cast<const char *(*)()>(dlsym(handle, "fakeArch"));
  }
};

TEST(HipRtcFake, TrustedArchReachesTheLibrary) {
  Fake fake(FAKE_HIPRTC_52);
  ASSERT_TRUE(fake.rtc);
  int before = fake.calls();
  Expected<std::vector<char>> code = fake.rtc->compile("source", "gfx90a");
  ASSERT_TRUE(code) << code.status().message();
  EXPECT_EQ(std::string(code->begin(), code->end()), "code");
  EXPECT_EQ(fake.calls(), before + 2);
  EXPECT_STREQ(fake.arch(), "gfx90a");
}

TEST(HipRtcFake, NoOtherArchReachesTheLibrary) {
  Fake fake(FAKE_HIPRTC_52);
  ASSERT_TRUE(fake.rtc);
  int before = fake.calls();
  for (const char *arch : hostileArchs) {
    EXPECT_FALSE(HipRtc::mayKnow(arch)) << arch;
    EXPECT_FALSE(fake.rtc->supports(arch)) << arch;
    Expected<std::vector<char>> code = fake.rtc->compile(scaleSource, arch);
    ASSERT_FALSE(code) << arch;
    EXPECT_EQ(code.status().code(), Code::Unavailable);
    EXPECT_NE(code.status().message().find(fmt::format("'{}'", arch)),
              std::string::npos)
        << code.status().message();
  }
  // A longer view of a known name, with a NUL inside.
  EXPECT_FALSE(fake.rtc->compile("", std::string_view("gfx90a\0x", 8)));
  EXPECT_EQ(fake.calls(), before);
}

TEST(HipRtcFake, UnverifiedReleaseIsNeverAsked) {
  Fake fake(FAKE_HIPRTC_99);
  ASSERT_TRUE(fake.rtc);
  EXPECT_EQ(fake.rtc->version(), 990000000);
  Expected<std::vector<char>> code = fake.rtc->compile("source", "gfx90a");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.status().code(), Code::Unavailable);
  EXPECT_NE(code.status().message().find("990000000"), std::string::npos);
  EXPECT_EQ(fake.calls(), 0);
}

TEST(HipRtc, AbsentLibraryIsUnavailable) {
  Expected<std::unique_ptr<HipRtc>> rtc = HipRtc::load("/no/such/library.so");
  ASSERT_FALSE(rtc);
  EXPECT_EQ(rtc.status().code(), Code::Unavailable);
  EXPECT_NE(rtc.status().message().find("/no/such/library.so"),
            std::string::npos);
}

TEST(HipRtc, OtherLibraryIsUnavailable) {
  Expected<std::unique_ptr<HipRtc>> rtc = HipRtc::load("libc.so.6");
  ASSERT_FALSE(rtc);
  EXPECT_EQ(rtc.status().code(), Code::Unavailable);
  EXPECT_NE(rtc.status().message().find("hiprtcCreateProgram"),
            std::string::npos);
}

class HipRtcReal : public testing::Test {
protected:
  void SetUp() override {
    Expected<std::unique_ptr<HipRtc>> loaded = HipRtc::load("");
    if (!loaded)
      GTEST_SKIP() << loaded.status().message();
    rtc = *std::move(loaded);
    if (rtc->archs().empty())
      GTEST_SKIP() << "hipRTC " << rtc->version() << " is not verified";
  }
  std::unique_ptr<HipRtc> rtc;
};

TEST_F(HipRtcReal, CompilesEveryListedArch) {
  for (std::string_view arch : rtc->archs()) {
    Expected<std::vector<char>> code = rtc->compile(scaleSource, arch);
    ASSERT_TRUE(code) << code.status().message();
    EXPECT_EQ(machineOf(*code), machineAmdGpu) << arch;
  }
}

TEST_F(HipRtcReal, SurvivesHostileArchs) {
  for (const char *arch : hostileArchs)
    EXPECT_FALSE(rtc->compile(scaleSource, arch)) << arch;
}

TEST_F(HipRtcReal, GarbageIsAnErrorWithFileAndLine) {
  expectSilent([&] {
    Expected<std::vector<char>> code =
        rtc->compile("int ok;\nthese are not C++;\n", "gfx90a");
    ASSERT_FALSE(code);
    EXPECT_NE(code.status().message().find("gpu.hip.cpp:2:1: error:"),
              std::string::npos)
        << code.status().message();
  });
}

TEST_F(HipRtcReal, FourThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Expected<std::vector<char>> code =
          rtc->compile(scaleSource, t % 2 ? "gfx90a" : "gfx1030");
      EXPECT_TRUE(code) << code.status().message();
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace rcclx::runtime
