//===- HipRtc.cpp - hipRTC, loaded at run time ----------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "HipRtc.h"

#include <algorithm>
#include <mutex>

namespace rcclx::runtime {

using Program = void *; // hiprtcProgram
using Result = int;     // hiprtcResult and hipError_t; 0 is success

// The version is the run-time library's: hiprtcVersion answers a constant, 9.0,
// that says nothing about the compiler. A library without hipRuntimeGetVersion
// has an unknown version, so it is never trusted.
#define HIPRTC_SYMBOLS(X)                                                      \
  X(Required, hiprtcCreateProgram,                                             \
    Result(Program *, const char *, const char *, int, const char **,          \
           const char **))                                                     \
  X(Required, hiprtcCompileProgram, Result(Program, int, const char **))       \
  X(Required, hiprtcDestroyProgram, Result(Program *))                         \
  X(Required, hiprtcGetProgramLogSize, Result(Program, size_t *))              \
  X(Required, hiprtcGetProgramLog, Result(Program, char *))                    \
  X(Required, hiprtcGetCodeSize, Result(Program, size_t *))                    \
  X(Required, hiprtcGetCode, Result(Program, char *))                          \
  X(Required, hiprtcGetErrorString, const char *(Result))                      \
  X(Optional, hipRuntimeGetVersion, Result(int *))

struct HipRtc::Symbols {
  HIPRTC_SYMBOLS(RCCLX_DECLARE_SYMBOL)
};

namespace {
/// What one release of HIP was seen to compile.
struct Release {
  int majorMinor; // version / 100000
  std::vector<std::string_view> archs;
};
} // namespace

// hipRTC 5.2 ends the process ("munmap_chunk(): invalid pointer") when it is
// given an architecture that it does not know, and it has no call that lists
// those it knows. So a release has a row here or is not used at all; a row
// holds what was compiled with it, each in a process of its own:
// - 5.2: libamdhip64.so.5.2.21153 (Debian 12, package 5.2.3-8). gfx600 to
//   gfx810 compiled too, but are no targets of rcclx. gfx940, gfx941, gfx942,
//   gfx950, gfx1100 to gfx1103, gfx1150, gfx1151, gfx1200, gfx1201, "gfx9999",
//   "garbage" and "" ended the process.
// A new row is verified by the test HipRtcReal.CompilesEveryListedArch.
static const std::vector<Release> &releases() {
  static const std::vector<Release> table = {
      {502,
       {"gfx900", "gfx902", "gfx904", "gfx906", "gfx908", "gfx909", "gfx90a",
        "gfx90c", "gfx1010", "gfx1011", "gfx1012", "gfx1013", "gfx1030",
        "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"}},
  };
  return table;
}

bool HipRtc::mayKnow(std::string_view arch) {
  for (const Release &release : releases())
    if (std::ranges::count(release.archs, arch))
      return true;
  return false;
}

HipRtc::HipRtc(DynamicLibrary library, std::unique_ptr<Symbols> symbols)
    : library(std::move(library)), symbols(std::move(symbols)) {
  // Works without a device, and leaves 0 behind where it does not.
  if (this->symbols->hipRuntimeGetVersion &&
      this->symbols->hipRuntimeGetVersion(&reportedVersion) != 0)
    reportedVersion = 0;
}

HipRtc::~HipRtc() = default;

Expected<std::unique_ptr<HipRtc>> HipRtc::load(const std::string &path) {
  std::vector<std::string> candidates = {"libamdhip64.so.5",
                                         "libamdhip64.so",
                                         "libhiprtc.so.5",
                                         "libhiprtc.so",
                                         "/opt/rocm/lib/libamdhip64.so",
                                         "/opt/rocm/lib/libhiprtc.so"};
  if (!path.empty())
    candidates = {path};
  RCCLX_ASSIGN_OR_RETURN(DynamicLibrary library,
                         DynamicLibrary::open("hipRTC", candidates));
  auto symbols = std::make_unique<Symbols>();
  Symbols &s = *symbols;
  const SymbolEntry table[] = {HIPRTC_SYMBOLS(RCCLX_SYMBOL_ENTRY)};
  RCCLX_RETURN_IF_ERROR(library.resolve(table));
  return std::unique_ptr<HipRtc>(
      new HipRtc(std::move(library), std::move(symbols)));
}

std::vector<std::string_view> HipRtc::archs() const {
  for (const Release &release : releases())
    if (release.majorMinor == reportedVersion / 100000)
      return release.archs;
  return {};
}

bool HipRtc::supports(std::string_view arch) const {
  return std::ranges::count(archs(), arch) != 0;
}

Expected<std::vector<char>> HipRtc::compile(std::string_view source,
                                            std::string_view arch) const {
  // Nothing of the library before this check.
  if (!supports(arch)) {
    if (archs().empty())
      return makeError(Code::Unavailable,
                       "hipRTC of {} (version {}) is not used: what it does "
                       "with unknown architectures has not been verified",
                       library.path(), reportedVersion);
    return makeError(Code::Unavailable,
                     "hipRTC of {} does not know architecture '{}'; it knows "
                     "{}",
                     library.path(), arch, fmt::join(archs(), ", "));
  }

  // The library calls every source "CompileSource" in a folder of its own.
  std::string text = "#line 1 \"gpu.hip.cpp\"\n";
  text += source;
  std::string archOption = fmt::format("--offload-arch={}", arch);
  const char *options[] = {"-O3", "-std=c++17", "-ffp-contract=off",
                           archOption.c_str()};

  // hipRTC 5.2 crashes when two threads use it for the first time.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);

  auto failure = [&](const char *call, Result result) {
    return makeError(Code::Internal, "{} for {}: {}", call, arch,
                     symbols->hiprtcGetErrorString(result));
  };
  Program program = nullptr;
  if (Result r = symbols->hiprtcCreateProgram(
          &program, text.c_str(), "gpu.hip.cpp", 0, nullptr, nullptr))
    return failure("hiprtcCreateProgram", r);
  // The program is destroyed on every path.
  auto destroy = [this](Program p) { symbols->hiprtcDestroyProgram(&p); };
  std::unique_ptr<void, decltype(destroy)> owner(program, destroy);

  if (Result r = symbols->hiprtcCompileProgram(program, int(std::size(options)),
                                               options)) {
    Status status = failure("hiprtcCompileProgram", r);
    size_t bytes = 0;
    if (symbols->hiprtcGetProgramLogSize(program, &bytes) != 0 || bytes == 0)
      return status;
    std::string log(bytes, '\0');
    if (symbols->hiprtcGetProgramLog(program, log.data()) != 0)
      return status;
    log.resize(log.find_last_not_of(std::string_view("\0\n ", 3)) + 1);
    return makeError(Code::Internal, "{}\n{}", status.message(), log);
  }
  size_t bytes = 0;
  if (Result r = symbols->hiprtcGetCodeSize(program, &bytes))
    return failure("hiprtcGetCodeSize", r);
  std::vector<char> code(bytes);
  if (Result r = symbols->hiprtcGetCode(program, code.data()))
    return failure("hiprtcGetCode", r);
  return code;
}

} // namespace rcclx::runtime
