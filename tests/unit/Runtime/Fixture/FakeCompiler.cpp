//===- FakeCompiler.cpp - The compiler's C API, for tests -----------------===//
//
// Part of rcclx. "Compiles" by copying the hand-written kernel. The text of a
// schedule says what happens:
//   fixture        a plan
//   fixture WORD   another plan of the same kernel
//   error          a diagnostic (status 1)
//   broken         a plan whose object differs from its checksum
//   full           the machine is at fault (status 3)
//   slow           a plan, after half a second
//   hang           a compilation that does not end
// Every compilation adds a line to the file `compiled` beside the cache, so
// that tests can count them.
//
//===----------------------------------------------------------------------===//
#include "../../../../runtime/lib/plan/Hash.h"
#include "rcclx/Runtime/Manifest.h"
#include "rcclx_compiler.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

struct rcclx_compile_result {
  std::string diagnostics;
};

#define EXPORT extern "C" __attribute__((visibility("default")))

static std::string readAll(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// What a compiler answers that cannot write.
struct MachineAtFault {};

static void writeOrFail(const std::string &path, const std::string &content) {
  std::ofstream out(path, std::ios::binary);
  out << content << std::flush;
  if (!out)
    throw MachineAtFault();
}

static std::string fileEntry(const std::string &directory, const char *name,
                             const std::string &content) {
  writeOrFail(directory + "/" + name, content);
  return fmt::format(R"("file": "{}", "bytes": {}, "xxh64": "{:016x}")", name,
                     content.size(), rcclx::runtime::xxh64(content));
}

static std::string manifest(const rcclx_compile_request &request,
                            const std::string &source,
                            const std::string &object, uint64_t hash) {
  std::string everyone, nobody, terms, outputs;
  for (uint32_t r = 0; r != request.world; ++r) {
    std::string list;
    for (uint32_t p = 0; p != request.world; ++p)
      list += fmt::format("{}{}", p ? "," : "", p);
    const char *comma = r ? "," : "";
    everyone += fmt::format("{}[{}]", comma, list);
    nobody += fmt::format("{}[]", comma);
    terms +=
        fmt::format(R"(["input",{},0],["reduce",{},{}],)", r, 2 * r, 2 * r + 1);
    outputs += fmt::format("{}[[0,0,1,1,{}]]", comma, 2 * request.world + 1);
  }
  return fmt::format(
      R"({{"format": 2, "params_version": 1, "name": "fixture",
"contract": "all_reduce", "world": {0}, "element": "{1}", "reduction": "{2}",
"root": {11}, "permutation": [], "hash": "{3:016x}", "max_count": 262144, "in_place": "direct", "scratch": "none", "edges": [{4}], "readers": [{5}],
"proof": {{"ranks": {0}, "operations": 1, "messages": 1, "least_slots": 1,
           "microseconds": 1}},
"compile": [{{"stage": "copy", "microseconds": 1}}],
"kinds": {{"host": {{"kernel": "fixture_all_reduce", "source": {{{6}}},
  "grid": 1, "threads": 1, "tile_groups": 1, "depth": 1,
  "protocols": ["flag"]}}}},
"objects": [{{"target": "host-x86_64", "kind": "host", {7}}}],
"oracle": {{"terms": [["identity"],{8}["finish",{9}]], "outputs": [{10}]}}}})",
      request.world, request.element, request.reduction, hash, everyone, nobody,
      source, object, terms, 2 * request.world, outputs, request.root);
}

EXPORT uint32_t rcclx_compiler_api_version(void) {
  return RCCLX_COMPILER_API_VERSION;
}

static void write(const rcclx_compile_request &request,
                  const std::string &text) {
  std::string directory = request.directory;
  std::string kernel = readAll(RCCLX_FIXTURE_KERNEL);
  std::string source =
      fileEntry(directory, "host.hip.cpp", "// " + text + "\n");
  std::string object = fileEntry(directory, "host-x86_64.so", kernel);
  if (text.starts_with("broken"))
    std::ofstream(directory + "/host-x86_64.so", std::ios::app) << "x";
  uint64_t hash =
      rcclx::runtime::xxh64(fmt::format("{} {}", text, request.world));
  writeOrFail(
      directory + "/manifest.json",
      rcclx::runtime::sealManifest(manifest(request, source, object, hash)));
  auto beside = std::filesystem::path(directory).parent_path().parent_path();
  std::ofstream(beside / "compiled", std::ios::app) << "once\n";
}

EXPORT int rcclx_compiler_compile(const rcclx_compile_request *request,
                                  rcclx_compile_result **result) {
  *result = new rcclx_compile_result;
  std::string text(request->schedule, request->schedule_bytes);
  if (text.starts_with("error")) {
    (*result)->diagnostics =
        fmt::format("{}:1:1: error: a test\n", request->schedule_name);
    return 1;
  }
  if (text.starts_with("full")) {
    (*result)->diagnostics = "no space left on device";
    return 3;
  }
  if (text.starts_with("slow"))
    usleep(500'000);
  if (text.starts_with("hang"))
    while (true)
      pause();
  try {
    write(*request, text);
  } catch (const MachineAtFault &) {
    (*result)->diagnostics = "cannot write";
    return 3;
  }
  return 0;
}

EXPORT const char *
rcclx_compile_result_diagnostics(const rcclx_compile_result *r) {
  return r->diagnostics.c_str();
}
EXPORT void rcclx_compile_result_free(rcclx_compile_result *r) { delete r; }

EXPORT int rcclx_compiler_verify(const rcclx_verify_request *request,
                                 rcclx_proof *proof,
                                 rcclx_compile_result **result) {
  *result = new rcclx_compile_result;
  std::string text(request->schedule, request->schedule_bytes);
  if (text.starts_with("error")) {
    (*result)->diagnostics =
        fmt::format("{}:1:1: error: a test\n", request->schedule_name);
    return 1;
  }
  proof->operations = request->world;
  proof->messages = request->world;
  proof->least_slots = 1;
  proof->microseconds = 1;
  return 0;
}
