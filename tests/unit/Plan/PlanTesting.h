//===- PlanTesting.h - what the tests of plans share ------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_PLAN_PLANTESTING_H
#define RCCLX_TESTS_PLAN_PLANTESTING_H

#include "rcclx_compiler.h"
#include "rcclx_elements.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace rcclx::plan {

/// The names of all schedules in examples/schedules, in order.
inline std::vector<std::string> shippedSchedules() {
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(RCCLX_SCHEDULES))
    names.insert(entry.path().stem());
  return {names.begin(), names.end()};
}

inline std::string readFile(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    ADD_FAILURE() << "cannot read " << path;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

inline std::string readSchedule(const std::string &name) {
  return readFile(std::filesystem::path(RCCLX_SCHEDULES) / (name + ".mlir"));
}

/// An empty directory that goes with this.
class Directory {
public:
  Directory() {
    std::string name = std::filesystem::temp_directory_path() / "rcclx-XXXXXX";
    if (!mkdtemp(name.data()))
      ADD_FAILURE() << "cannot make " << name;
    path = name;
  }
  Directory(const Directory &) = delete;
  Directory &operator=(const Directory &) = delete;
  ~Directory() { std::filesystem::remove_all(path); }

  std::set<std::string> list() const {
    std::set<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(path))
      names.insert(entry.path().filename());
    return names;
  }

  std::filesystem::path path;
};

/// All of the list, in its order.
#define RCCLX_SPELLING(NAME, TEXT, ...) #TEXT,
inline constexpr const char *elements[] = {RCCLX_ELEMENTS(RCCLX_SPELLING)};
inline constexpr const char *reductions[] = {RCCLX_REDUCTIONS(RCCLX_SPELLING)};
#undef RCCLX_SPELLING

/// The number of a shipped schedule, so that cases change from one to the next.
inline size_t indexOf(const std::string &schedule) {
  std::vector<std::string> names = shippedSchedules();
  return std::find(names.begin(), names.end(), schedule) - names.begin();
}

/// A request that is right, and owns what it points to.
struct Request {
  explicit Request(const std::string &schedule)
      : text(readSchedule(schedule)), name(schedule + ".mlir") {}
  Request(std::string text, std::string name)
      : text(std::move(text)), name(std::move(name)) {}

  std::string text, name;
  std::string element = "f32", reduction = "sum", protocol;
  std::vector<std::string> targets = {"host-x86_64"};
  uint32_t world = 4;
  uint64_t count = 1000;
  const char *symbol = nullptr;
  uint32_t root = 0;
  std::vector<uint32_t> permutation;
  decltype(rcclx_compile_request::rtc) rtc = nullptr;
  void *rtcData = nullptr;

  rcclx_compile_request make(const Directory &directory) {
    pointers.clear();
    for (const std::string &target : targets)
      pointers.push_back(target.c_str());
    rcclx_compile_request r = {};
    r.struct_size = sizeof(r);
    r.schedule = text.data();
    r.schedule_bytes = text.size();
    r.schedule_name = name.c_str();
    r.symbol = symbol;
    r.world = world;
    r.element = element.c_str();
    r.reduction = reduction.c_str();
    r.count = count;
    r.protocol = protocol.empty() ? nullptr : protocol.c_str();
    r.targets = pointers.data();
    r.num_targets = pointers.size();
    r.directory = directory.path.c_str();
    r.rtc = rtc;
    r.rtc_data = rtcData;
    r.root = root;
    r.permutation_length = permutation.size();
    r.permutation = permutation.data();
    return r;
  }

private:
  std::vector<const char *> pointers;
};

struct Outcome {
  int status;
  std::string diagnostics;
};

inline Outcome compile(const rcclx_compile_request *request) {
  rcclx_compile_result *result = nullptr;
  int status = rcclx_compiler_compile(request, &result);
  EXPECT_NE(result, nullptr);
  Outcome outcome{status, rcclx_compile_result_diagnostics(result)};
  rcclx_compile_result_free(result);
  return outcome;
}
inline Outcome compile(Request &request, const Directory &directory) {
  rcclx_compile_request r = request.make(directory);
  return compile(&r);
}

/// The manifest of a plan that compiles; fails the test where it does not.
inline nlohmann::json compileManifest(Request &request,
                                      const Directory &directory) {
  Outcome outcome = compile(request, directory);
  EXPECT_EQ(outcome.status, 0) << outcome.diagnostics;
  EXPECT_EQ(outcome.diagnostics, "");
  if (outcome.status != 0)
    return {};
  return nlohmann::json::parse(readFile(directory.path / "manifest.json"));
}

/// The ELF machine of a file, or -1, and its flags.
struct Elf {
  int machine = -1;
  uint32_t flags = 0;
};
inline Elf readElf(const std::filesystem::path &path) {
  std::string bytes = readFile(path);
  if (bytes.size() < 64 || bytes.compare(0, 4, "\177ELF") != 0)
    return {};
  Elf elf;
  elf.machine = uint8_t(bytes[18]) | uint8_t(bytes[19]) << 8;
  for (int i = 0; i < 4; ++i)
    elf.flags |= uint32_t(uint8_t(bytes[48 + i])) << 8 * i;
  return elf;
}

} // namespace rcclx::plan

#endif // RCCLX_TESTS_PLAN_PLANTESTING_H
