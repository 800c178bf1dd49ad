//===- GpuPlanTest.cpp - every shipped schedule, for every GPU ------------===//
//
// Part of rcclx. No GPU is needed: objects are compiled, not run.
//
//===----------------------------------------------------------------------===//
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
    const char *elements[] = {"bf16", "f16", "f32", "i32"};
    const char *reductions[] = {"avg", "sum", "max"};
    std::vector<std::string> names = shippedSchedules();
    size_t i =
        std::find(names.begin(), names.end(), GetParam()) - names.begin();
    Request request(GetParam());
    request.world = 8;
    request.count = 1'000'000;
    request.element = elements[i % 4];
    request.reduction = reductions[i % 3];
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

INSTANTIATE_TEST_SUITE_P(Shipped, GpuPlan,
                         testing::ValuesIn(shippedSchedules()),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace rcclx::plan
