//===- RequestTest.cpp - requests that cannot be served -------------------===//
//
// Part of rcclx. rcclx_compiler.h: 1 when the schedule is at fault, 2 when the
// request is, 3 when the machine is; nothing is written then.
//
//===----------------------------------------------------------------------===//
#include "PlanTesting.h"
#include <cstring>
#include <functional>
#include <regex>
#include <sys/stat.h>

namespace rcclx::plan {
namespace {

constexpr int scheduleAtFault = 1, requestAtFault = 2, machineAtFault = 3;

void expectRefused(Request &request, int status, const std::string &text) {
  Directory directory;
  Outcome outcome = compile(request, directory);
  EXPECT_EQ(outcome.status, status) << outcome.diagnostics;
  EXPECT_NE(outcome.diagnostics.find(text), std::string::npos)
      << outcome.diagnostics;
  EXPECT_NE(outcome.diagnostics.find("error: "), std::string::npos)
      << outcome.diagnostics;
  EXPECT_EQ(directory.list(), std::set<std::string>{}) << "a partial plan";
}

/// Refused at a line of the schedule.
void expectRefusedAt(const std::string &schedule, const std::string &line,
                     const std::string &text) {
  Request request(schedule, "file.mlir");
  Directory directory;
  Outcome outcome = compile(request, directory);
  EXPECT_EQ(outcome.status, scheduleAtFault) << outcome.diagnostics;
  std::string first =
      outcome.diagnostics.substr(0, outcome.diagnostics.find('\n'));
  EXPECT_TRUE(std::regex_search(
      first, std::regex("^file\\.mlir:" + line + ":[0-9]+: error: .*" + text)))
      << outcome.diagnostics;
  EXPECT_EQ(directory.list(), std::set<std::string>{}) << "a partial plan";
}

TEST(Request, NullPointers) {
  EXPECT_EQ(rcclx_compiler_compile(nullptr, nullptr), requestAtFault);
  EXPECT_EQ(compile(nullptr).status, requestAtFault);
  EXPECT_STREQ(rcclx_compile_result_diagnostics(nullptr), "");
  rcclx_compile_result_free(nullptr);

  using Field = std::function<void(rcclx_compile_request &)>;
  const char *noTarget[] = {nullptr};
  std::pair<const char *, Field> fields[] = {
      {"schedule", [](auto &r) { r.schedule = nullptr; }},
      {"schedule_name", [](auto &r) { r.schedule_name = nullptr; }},
      {"element", [](auto &r) { r.element = nullptr; }},
      {"reduction", [](auto &r) { r.reduction = nullptr; }},
      {"targets", [](auto &r) { r.targets = nullptr; }},
      {"a target", [&](auto &r) { r.targets = noTarget; }},
      {"directory", [](auto &r) { r.directory = nullptr; }},
      {"an empty directory", [](auto &r) { r.directory = ""; }}};
  for (auto &[name, clear] : fields) {
    SCOPED_TRACE(name);
    Request request("barrier");
    Directory directory;
    rcclx_compile_request r = request.make(directory);
    clear(r);
    Outcome outcome = compile(&r);
    EXPECT_EQ(outcome.status, requestAtFault);
    EXPECT_NE(outcome.diagnostics, "");
    EXPECT_EQ(directory.list(), std::set<std::string>{});
    r = request.make(directory);
    EXPECT_EQ(rcclx_compiler_compile(&r, nullptr), requestAtFault);
  }
}

TEST(Request, RolesThatNoCallCanHave) {
  auto refuse = [](const char *schedule, uint32_t root,
                   std::vector<uint32_t> permutation, const char *text) {
    SCOPED_TRACE(text);
    Request request(schedule);
    request.root = root;
    request.permutation = std::move(permutation);
    expectRefused(request, requestAtFault, text);
  };
  refuse("broadcast_direct", 4, {}, "a root within 0 to 3, found 4");
  refuse("broadcast_direct", UINT32_MAX, {}, "a root within 0 to 3");
  refuse("all_reduce_ring", 1, {}, "all_reduce has no root");
  refuse("permute_direct", 1, {}, "permute has no root");
  refuse("scatter_direct", 0, {1, 2, 3, 0}, "scatter has no permutation");
  refuse("permute_direct", 0, {1, 2, 0}, "of 4 ranks, found 3 entries");
  refuse("permute_direct", 0, {1, 2, 0, 4}, "of 0 to 3, found 4");
  refuse("permute_direct", 0, {1, 2, 0, 1}, "of 0 to 3, found 1 twice");
  refuse("permute_direct", 0, {1, 2, 0, UINT32_MAX}, "of 0 to 3, found -1");

  Request request("permute_direct");
  Directory directory;
  rcclx_compile_request r = request.make(directory);
  r.permutation_length = 4;
  r.permutation = nullptr;
  EXPECT_EQ(compile(&r).status, requestAtFault);
}

TEST(Request, StructSizes) {
  Request request("barrier");
  Directory directory;
  rcclx_compile_request r = request.make(directory);
  for (size_t size :
       {size_t(0), size_t(4), sizeof(r) + 1, sizeof(r) + 8, SIZE_MAX}) {
    r.struct_size = size;
    EXPECT_EQ(compile(&r).status, requestAtFault) << size;
  }
  // An older caller, which knows of no RTC.
  r.struct_size = offsetof(rcclx_compile_request, rtc);
  EXPECT_EQ(compile(&r).status, 0);
  // One that knows of no directory either cannot be served.
  r.struct_size = offsetof(rcclx_compile_request, directory);
  EXPECT_EQ(compile(&r).status, requestAtFault);
}

TEST(Request, Version) {
  EXPECT_EQ(rcclx_compiler_api_version(), RCCLX_COMPILER_API_VERSION);
}

TEST(Request, Worlds) {
  for (uint32_t world : {0u, 257u, UINT32_MAX}) {
    Request request("all_reduce_ring");
    request.world = world;
    expectRefused(request, requestAtFault,
                  "expected 1 to 256 ranks, found " + std::to_string(world));
  }
}

TEST(Request, Names) {
  for (const char *name : {"f128", "", "F32", "fp8", "f32 "}) {
    Request request("all_reduce_one_shot");
    request.element = name;
    expectRefused(request, requestAtFault,
                  "unknown element type '" + std::string(name) + "'");
  }
  for (const char *name : {"mean", "", "SUM", "premul"}) {
    Request request("all_reduce_one_shot");
    request.reduction = name;
    expectRefused(request, requestAtFault,
                  "unknown reduction '" + std::string(name) + "'");
  }
  for (const char *name : {"fast", "LL", "direct"}) {
    Request request("all_reduce_one_shot");
    request.protocol = name;
    expectRefused(request, requestAtFault,
                  "unknown protocol '" + std::string(name) + "'");
  }
  for (const char *name : {"gfx9999", "", "host", "host-aarch64", "sm_",
                           "sm_90 ", "gfx90a:xnack-", "../gfx942", "x86_64"}) {
    Request request("all_reduce_one_shot");
    request.targets = {"host-x86_64", name};
    expectRefused(request, requestAtFault,
                  "unknown target '" + std::string(name) + "'");
  }
}

TEST(Request, NamesAreCheckedWithoutTargets) {
  Request request("all_reduce_one_shot");
  request.targets.clear();
  request.element = "f12";
  expectRefused(request, requestAtFault, "unknown element type 'f12'");
}

TEST(Request, Targets) {
  Request request("all_reduce_one_shot");
  request.targets.clear();
  expectRefused(request, requestAtFault, "expected a target");
  request.targets = {"host-x86_64", "gfx942", "host-x86_64"};
  expectRefused(request, requestAtFault, "target 'host-x86_64' is named twice");
}

TEST(Request, HostCpus) {
  auto compileFor = [](const char *cpu) {
    Request request("all_reduce_one_shot");
    Directory directory;
    rcclx_compile_request raw = request.make(directory);
    raw.host_cpu = cpu;
    Outcome outcome = compile(&raw);
    nlohmann::json manifest;
    if (outcome.status == 0)
      manifest =
          nlohmann::json::parse(readFile(directory.path / "manifest.json"));
    return std::pair(outcome, manifest);
  };
  for (const char *cpu : {"", "native", "x86-64-v5", "znver3"}) {
    auto [outcome, manifest] = compileFor(cpu);
    EXPECT_EQ(outcome.status, requestAtFault) << outcome.diagnostics;
    EXPECT_NE(outcome.diagnostics.find("expected one of x86-64, x86-64-v2"),
              std::string::npos)
        << outcome.diagnostics;
  }
  for (const char *cpu : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    auto [outcome, manifest] = compileFor(cpu);
    ASSERT_EQ(outcome.status, 0) << outcome.diagnostics;
    EXPECT_EQ(manifest["objects"][0]["cpu"], cpu);
  }
  auto [outcome, manifest] = compileFor(nullptr);
  ASSERT_EQ(outcome.status, 0) << outcome.diagnostics;
  EXPECT_NE(manifest["objects"][0]["cpu"].get<std::string>().find('-'),
            std::string::npos);
}

TEST(Request, Counts) {
  for (uint64_t count : {uint64_t(1) << 63, UINT64_MAX, uint64_t(1) << 60}) {
    Request request("all_reduce_one_shot");
    request.count = count;
    expectRefused(request, requestAtFault, std::to_string(count));
  }
  for (uint64_t count : {uint64_t(0), uint64_t(1), uint64_t(1) << 32}) {
    Request request("all_reduce_one_shot");
    request.count = count;
    Directory directory;
    nlohmann::json manifest = compileManifest(request, directory);
    if (manifest.is_object())
      EXPECT_GE(manifest["max_count"].get<uint64_t>(), count);
  }
}

TEST(Request, Directories) {
  Request request("barrier");
  Directory directory;
  rcclx_compile_request r = request.make(directory);
  std::string absent = directory.path / "absent",
              file = directory.path / "file";
  std::ofstream(file) << "text";
  for (const std::string &path : {absent, file}) {
    r.directory = path.c_str();
    Outcome outcome = compile(&r);
    EXPECT_EQ(outcome.status, machineAtFault) << path;
    EXPECT_NE(outcome.diagnostics.find("error: cannot write " + path),
              std::string::npos)
        << outcome.diagnostics;
  }
  EXPECT_EQ(directory.list(), std::set<std::string>{"file"});
  EXPECT_EQ(readFile(file), "text");
}

TEST(Request, PlansAreForTheUserAloneWhateverTheUmask) {
  Request request("barrier");
  Directory directory;
  mode_t before = umask(0);
  rcclx_compile_request r = request.make(directory);
  Outcome outcome = compile(&r);
  umask(before);
  ASSERT_EQ(outcome.status, 0) << outcome.diagnostics;
  ASSERT_FALSE(directory.list().empty());
  for (const std::string &name : directory.list())
    EXPECT_EQ(std::filesystem::status(directory.path / name).permissions(),
              std::filesystem::perms::owner_read |
                  std::filesystem::perms::owner_write)
        << name;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

constexpr const char *two = R"(
rcclx.collective @one implements barrier (%rank, %world) {
}
rcclx.collective @other implements barrier (%rank, %world) {
}
)";

TEST(Request, Symbols) {
  Request request("barrier");
  request.symbol = "absent";
  expectRefused(request, scheduleAtFault,
                "barrier.mlir: error: expected rcclx.collective @absent, found "
                "@barrier");
  Request both(readSchedule("barrier") + readSchedule("all_reduce_ring"),
               "both.mlir");
  expectRefused(both, scheduleAtFault,
                "both.mlir: error: expected one rcclx.collective, found "
                "@barrier, @all_reduce_ring");
  for (const char *symbol : {"barrier", "all_reduce_ring"}) {
    both.symbol = symbol;
    Directory directory;
    EXPECT_EQ(compileManifest(both, directory)["name"], symbol);
  }
  for (const char *text : {"", "// Nothing.\n", "module {\n}\n"}) {
    Request empty(text, "empty.mlir");
    expectRefused(
        empty, scheduleAtFault,
        "empty.mlir: error: expected one rcclx.collective, found none");
  }
}

TEST(Request, FaultsOfAnotherCollectiveDoNotMatter) {
  // The second is not proved: a barrier of two ranks that do not meet.
  Request request(readSchedule("all_reduce_ring") + two, "file.mlir");
  request.symbol = "all_reduce_ring";
  request.world = 2;
  Directory directory;
  compileManifest(request, directory);
}

TEST(Request, SyntaxErrorsNameTheLine) {
  expectRefusedAt("\n\nnonsense\n", "3", "");
  expectRefusedAt("rcclx.collective @a implements barrier (%rank, %world) {\n"
                  "  %x = rcclx.absent\n}\n",
                  "2", "absent");
  expectRefusedAt("rcclx.collective @a implements barrier (%rank, %world) {\n",
                  "[12]", "");
  expectRefusedAt("rcclx.collective @a implements party (%rank, %world) {\n}\n",
                  "1", "");
  std::string binary = "rcclx.collective";
  for (int i = 0; i < 256; ++i)
    binary += char(i);
  expectRefusedAt(binary, "1", "");
}

TEST(Request, UnprovableSchedulesNameTheLine) {
  expectRefusedAt(
      "rcclx.collective @a implements all_gather (%rank, %world) {\n"
      "  %in = rcclx.buffer input\n"
      "  %x = rcclx.load %in\n"
      "  rcclx.send %x to %rank\n"
      "}\n",
      "4", "never received");
}

TEST(Request, TheTextNeedsNoTerminator) {
  Request request("barrier");
  std::string text = request.text + "this is not part of it";
  Directory directory;
  rcclx_compile_request r = request.make(directory);
  r.schedule = text.data();
  r.schedule_bytes = request.text.size();
  Outcome outcome = compile(&r);
  EXPECT_EQ(outcome.status, 0) << outcome.diagnostics;
}

//===----------------------------------------------------------------------===//
// RTC
//===----------------------------------------------------------------------===//

/// Records what it is asked for and answers with `text`.
struct FakeRtc {
  int status = 0;
  const char *text = nullptr;
  std::vector<std::string> targets;
  std::string source;

  static int compile(void *data, const char *target, const char *source,
                     size_t sourceBytes, char **object, size_t *objectBytes) {
    auto &self = *static_cast<FakeRtc *>(data);
    self.targets.push_back(target);
    self.source.assign(source, sourceBytes);
    *object = self.text ? strdup(self.text) : nullptr;
    *objectBytes = self.text ? std::strlen(self.text) : 0;
    return self.status;
  }
};

Request makeRtcRequest(FakeRtc &rtc, std::vector<std::string> targets) {
  Request request("all_reduce_one_shot");
  request.targets = std::move(targets);
  request.rtc = FakeRtc::compile;
  request.rtcData = &rtc;
  return request;
}

TEST(Rtc, ObjectsAreTakenAsTheyAre) {
  FakeRtc rtc;
  rtc.text = "an object";
  Request request =
      makeRtcRequest(rtc, {"gfx90a", "gfx942", "gfx1030", "sm_90"});
  Directory directory;
  nlohmann::json manifest = compileManifest(request, directory);
  ASSERT_FALSE(HasFailure());
  // gfx942 is never asked of hipRTC: 5.2 would end the process.
  EXPECT_EQ(rtc.targets,
            (std::vector<std::string>{"gfx90a", "gfx1030", "sm_90"}));
  EXPECT_EQ(readFile(directory.path / "gfx90a.co"), "an object");
  EXPECT_EQ(readFile(directory.path / "sm_90.cubin"), "an object");
  const char *compilers[] = {"hiprtc", "clang-22", "hiprtc", "nvrtc"};
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(manifest["objects"][i]["compiler"], compilers[i]) << i;
  // Freestanding: the header, then the kernel that the plan keeps.
  EXPECT_EQ(rtc.source.find("#include"), std::string::npos);
  std::string kernel = readFile(directory.path / "gpu.hip.cpp");
  ASSERT_GT(rtc.source.size(), kernel.size());
  EXPECT_EQ(rtc.source.substr(rtc.source.size() - kernel.size()), kernel);
}

TEST(Rtc, WithoutHipRtcClangCompiles) {
  FakeRtc rtc;
  rtc.status = 1;
  rtc.text = "not installed";
  Request request = makeRtcRequest(rtc, {"gfx90a"});
  Directory directory;
  nlohmann::json manifest = compileManifest(request, directory);
  ASSERT_FALSE(HasFailure());
  EXPECT_EQ(manifest["objects"][0]["compiler"], "clang-22");
  EXPECT_EQ(readElf(directory.path / "gfx90a.co").machine, 224);
}

TEST(Rtc, FailuresOfNvRtcAreTheMachines) {
  FakeRtc rtc;
  rtc.status = 1;
  rtc.text = "no NVRTC anywhere";
  Request request = makeRtcRequest(rtc, {"sm_90"});
  expectRefused(request, machineAtFault, "error: sm_90: no NVRTC anywhere");
  rtc.text = nullptr;
  expectRefused(request, machineAtFault, "error: sm_90: ");
  rtc.status = 0;
  expectRefused(request, machineAtFault, "error: sm_90: ");
  request.rtc = nullptr;
  expectRefused(request, machineAtFault, "error: sm_90: needs NVRTC");
}

} // namespace
} // namespace rcclx::plan
