//===- ConcurrencyTest.cpp - compilations side by side --------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "PlanTesting.h"
#include "rcclx/Runtime/Rtc.h"
#include <thread>

namespace rcclx::plan {
namespace {

TEST(Concurrency, FourThreadsGiveThePlansOfOne) {
  // World 2 to 5, by all compilers; one thread in four has a schedule that is
  // refused, whose diagnostics are its own.
  auto hashes = [](uint32_t world) {
    std::vector<std::string> all;
    for (const char *schedule : {"all_reduce_two_shot", "all_gather_direct"}) {
      Request request(schedule);
      request.world = world;
      request.targets = {"host-x86_64", "gfx942"};
      if (request.name == "all_gather_direct.mlir")
        request.targets.push_back("gfx90a"); // hipRTC takes its time
      request.rtc = runtime::rtcCompile;
      Directory directory;
      nlohmann::json manifest = compileManifest(request, directory);
      all.push_back(manifest.is_object() ? manifest["hash"] : "");
    }
    Request broken("rcclx.collective @broken" + std::to_string(world) +
                       " implements all_gather (%rank, %world) {\n}\n",
                   "broken" + std::to_string(world) + ".mlir");
    Directory directory;
    Outcome outcome = compile(broken, directory);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.diagnostics.rfind(broken.name + ":1:", 0), 0u)
        << outcome.diagnostics;
    return all;
  };
  std::vector<std::vector<std::string>> together(4), alone;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] { together[t] = hashes(2 + t); });
  for (std::thread &thread : threads)
    thread.join();
  for (uint32_t t = 0; t < 4; ++t)
    alone.push_back(hashes(2 + t));
  EXPECT_EQ(together, alone);
}

} // namespace
} // namespace rcclx::plan
