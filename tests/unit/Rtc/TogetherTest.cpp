//===- TogetherTest.cpp - clang, hipRTC and NVRTC in one process ----------===//
//
// Part of rcclx. hipRTC brings a second clang and LLVM; nothing of one may bind
// to the other, whichever is loaded first.
//
//===----------------------------------------------------------------------===//
#include "RtcTesting.h"
#include "rcclx/CodeGen/Compile.h"
#include "rcclx/Runtime/Rtc.h"

#include <cstdlib>
#include <string>
#include <thread>

namespace rcclx {
namespace {

void lend(const char *target) {
  if (!runtime::rtcSupports(target))
    return;
  char *object = nullptr;
  size_t bytes = 0;
  EXPECT_EQ(runtime::rtcCompile(nullptr, target, runtime::scaleSource,
                                std::strlen(runtime::scaleSource), &object,
                                &bytes),
            0)
      << object;
  std::free(object);
}

void own() {
  auto object = compileAmdgpu(runtime::scaleSource, "gfx942");
  ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
  EXPECT_EQ(runtime::machineOf(*object), runtime::machineAmdGpu);
  auto host = compileHost("extern \"C\" int f() { return 1; }");
  EXPECT_TRUE(bool(host)) << llvm::toString(host.takeError());
}

TEST(CompilersTogether, OneAfterTheOther) {
  for (int i = 0; i < 2; ++i) {
    lend("gfx90a");
    own();
    lend("sm_90");
    lend("gfx1030");
    own();
  }
}

TEST(CompilersTogether, OwnFirst) {
  own();
  lend("sm_90");
  lend("gfx90a");
  own();
}

TEST(CompilersTogether, AllAtOnce) {
  std::thread threads[] = {std::thread(lend, "gfx90a"), std::thread(own),
                           std::thread(lend, "sm_90"),
                           std::thread(lend, "gfx1030"), std::thread(own)};
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace rcclx
