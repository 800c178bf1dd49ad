//===- GpuPlanTest.cpp - every shipped schedule, for every GPU ------------===//
//
// Part of rcclx. No GPU is needed: objects are compiled, not run.
//
//===----------------------------------------------------------------------===//
#include "FullTests.h"
#include "PlanTesting.h"
#include "rcclx/Runtime/Rtc.h"
#include <algorithm>

namespace rcclx::plan {
namespace {

constexpr int machineAmdGpu = 224, machineCuda = 190;

struct Arch {
  const char *name;
  uint32_t mach; // EF_AMDGPU_MACH
};
constexpr Arch archs[] = {{"gfx90a", 0x3f},  {"gfx1030", 0x36},
                          {"gfx942", 0x4c},  {"gfx950", 0x4f},
                          {"gfx1151", 0x4a}, {"gfx1201", 0x4e}};

class GpuPlan : public testing::TestWithParam<std::string> {
protected:
  /// Types and reductions change from schedule to schedule.
  Request makeRequest() {
    size_t i = indexOf(GetParam());
    Request request(GetParam());
    request.world = 8;
    request.count = 1'000'000;
    request.element = elements[i % std::size(elements)];
    request.reduction = reductions[(i + i / 12) % std::size(reductions)];
    request.rtc = runtime::rtcCompile;
    return request;
  }
};

TEST_P(GpuPlan, CompilesForAmd) {
  Request request = makeRequest();
  request.targets.clear();
  for (const Arch &arch : archs)
    request.targets.push_back(arch.name);
  Directory directory;
  nlohmann::json manifest = compileManifest(request, directory);
  ASSERT_FALSE(HasFailure());
  ASSERT_EQ(manifest["objects"].size(), std::size(archs));
  for (size_t i = 0; i < std::size(archs); ++i) {
    const nlohmann::json &object = manifest["objects"][i];
    SCOPED_TRACE(archs[i].name);
    EXPECT_EQ(object["target"], archs[i].name);
    EXPECT_EQ(object["kind"], "gpu");
    EXPECT_EQ(object["file"], std::string(archs[i].name) + ".co");
    // hipRTC where it may be trusted with the architecture, clang elsewhere.
    EXPECT_EQ(object["compiler"],
              runtime::rtcSupports(archs[i].name) ? "hiprtc" : "clang-22");
    Elf elf = readElf(directory.path / object["file"]);
    EXPECT_EQ(elf.machine, machineAmdGpu);
    EXPECT_EQ(elf.flags & 0xff, archs[i].mach);
    std::string kernel = manifest["kinds"]["gpu"]["kernel"];
    EXPECT_NE(readFile(directory.path / object["file"]).find(kernel + ".kd"),
              std::string::npos)
        << "no descriptor of " << kernel;
  }
}

TEST_P(GpuPlan, CompilesForNvidia) {
  if (!runtime::rtcSupports("sm_90"))
    GTEST_SKIP() << "no NVRTC is installed";
  Request request = makeRequest();
  request.targets = {"sm_90"};
  Directory directory;
  nlohmann::json manifest = compileManifest(request, directory);
  ASSERT_FALSE(HasFailure());
  const nlohmann::json &object = manifest["objects"].at(0);
  EXPECT_EQ(object["compiler"], "nvrtc");
  EXPECT_EQ(object["file"], "sm_90.cubin");
  EXPECT_EQ(readElf(directory.path / "sm_90.cubin").machine, machineCuda);
}

// Each compiler sees every type with every reduction; all of them, or one in
// turn for each.
class GpuPlanTypes : public testing::TestWithParam<size_t> {};

TEST_P(GpuPlanTypes, CompileForEveryCompiler) {
  std::vector<std::string> targets = {"gfx90a", "gfx942", "gfx950", "gfx1151"};
  if (runtime::rtcSupports("sm_90"))
    targets.push_back("sm_90");
  const char *element = elements[GetParam()];
  size_t turn = GetParam();
  for (const char *reduction : reductions) {
    Request request("reduce_scatter_direct");
    request.world = 7; // no power of two: what divides is seen
    request.element = element;
    request.reduction = reduction;
    request.protocol = "sentinel"; // where it is legal: canonical values
    request.rtc = runtime::rtcCompile;
    request.targets = {targets[turn++ % targets.size()]};
    if (fullTests())
      request.targets = targets;
    SCOPED_TRACE(std::string(element) + " " + reduction + " " +
                 request.targets[0]);
    Directory directory;
    compileManifest(request, directory);
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuPlanTypes,
                         testing::Range<size_t>(0, std::size(elements)),
                         [](const auto &info) {
                           return std::string(elements[info.param]);
                         });

INSTANTIATE_TEST_SUITE_P(Shipped, GpuPlan,
                         testing::ValuesIn(shippedSchedules()),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace rcclx::plan
