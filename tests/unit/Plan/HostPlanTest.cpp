//===- HostPlanTest.cpp - every shipped schedule, for the host ------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "FullTests.h"
#include "PlanTesting.h"
#include <algorithm>
#include <dlfcn.h>

namespace rcclx::plan {
namespace {

class HostPlan : public testing::TestWithParam<std::string> {};

TEST_P(HostPlan, CompilesForEveryWorldTypeAndReduction) {
  const char *protocols[] = {"", "ll", "sentinel", "flag"};
  const uint32_t worlds[] = {1, 2, 3, 8};
  // Over nine schedules, every type with every reduction.
  const size_t few = 8, all = std::size(elements) * std::size(reductions);
  for (size_t i = 0; i != fewOrAll(few, all); ++i) {
    const size_t turn = few * indexOf(GetParam()) + i;
    const size_t round = turn / std::size(elements);
    const uint32_t world = worlds[(turn + round) % 4];
    const std::string element = elements[turn % std::size(elements)];
    Request request(GetParam());
    request.world = world;
    request.element = element;
    request.reduction = reductions[(turn + round) % std::size(reductions)];
    request.protocol = protocols[(turn + turn / 4) % 4];
    SCOPED_TRACE(std::to_string(world) + " ranks, " + element + " " +
                 request.reduction + " " + request.protocol);
    Directory directory;
    nlohmann::json manifest = compileManifest(request, directory);
    if (HasFailure())
      return;
    EXPECT_EQ(directory.list(),
              (std::set<std::string>{"manifest.json", "host.hip.cpp",
                                     "host-x86_64.so"}));
    EXPECT_EQ(manifest["element"], element);
    EXPECT_EQ(manifest["reduction"], request.reduction);
    EXPECT_EQ(manifest["world"], world);
    EXPECT_EQ(readElf(directory.path / "host-x86_64.so").machine, 62);

    void *library = dlopen((directory.path / "host-x86_64.so").c_str(),
                           RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    std::string kernel = manifest["kinds"]["host"]["kernel"];
    EXPECT_EQ(kernel, "rcclx_" + GetParam());
    EXPECT_NE(dlsym(library, kernel.c_str()), nullptr);
    dlclose(library);
  }
}

// More ranks than there are addresses in the kernel's arguments, and the most.
TEST_P(HostPlan, CompilesForManyRanks) {
  for (uint32_t world : {17, 64}) {
    Request request(GetParam());
    request.world = world;
    Directory directory;
    compileManifest(request, directory);
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, HostPlan,
                         testing::ValuesIn(shippedSchedules()),
                         [](const auto &info) { return info.param; });

TEST(Shipped, SchedulesOfTheReadmeAreThere) {
  std::vector<std::string> names = shippedSchedules();
  for (const char *name :
       {"all_gather_direct", "all_reduce_one_shot", "all_reduce_one_shot_pull",
        "all_reduce_ring", "all_reduce_two_shot", "barrier"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

// Partners by exclusive or, as in recursive doubling.
TEST(Bits, OfRanks) {
  Request request(R"(
    rcclx.collective @exchange implements all_gather (%rank, %world) {
      %c1 = arith.constant 1 : index
      %in = rcclx.buffer input
      %x = rcclx.load %in
      %peer = arith.xori %rank, %c1 : index
      rcclx.send %x to %peer
      %own = rcclx.buffer output block(%rank)
      rcclx.store %x, %own
      %y = rcclx.recv like %in from %peer
      %theirs = rcclx.buffer output block(%peer)
      rcclx.store %y, %theirs
    })",
                  "exchange.mlir");
  request.world = 2;
  request.targets = {"host-x86_64", "gfx942"};
  Directory directory;
  compileManifest(request, directory);
}

} // namespace
} // namespace rcclx::plan
