//===- NvRtc.cpp - NVRTC, loaded at run time ------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "NvRtc.h"

#include <algorithm>
#include <charconv>

namespace rcclx::runtime {

using Program = void *; // nvrtcProgram
using Result = int;     // nvrtcResult; 0 is success

// All of CUDA 11.2 and later.
#define NVRTC_SYMBOLS(X)                                                       \
  X(Required, nvrtcGetNumSupportedArchs, Result(int *))                        \
  X(Required, nvrtcGetSupportedArchs, Result(int *))                           \
  X(Required, nvrtcCreateProgram,                                              \
    Result(Program *, const char *, const char *, int, const char *const *,    \
           const char *const *))                                               \
  X(Required, nvrtcCompileProgram, Result(Program, int, const char *const *))  \
  X(Required, nvrtcDestroyProgram, Result(Program *))                          \
  X(Required, nvrtcGetProgramLogSize, Result(Program, size_t *))               \
  X(Required, nvrtcGetProgramLog, Result(Program, char *))                     \
  X(Required, nvrtcGetCUBINSize, Result(Program, size_t *))                    \
  X(Required, nvrtcGetCUBIN, Result(Program, char *))                          \
  X(Required, nvrtcGetErrorString, const char *(Result))

struct NvRtc::Symbols {
  NVRTC_SYMBOLS(RCCLX_DECLARE_SYMBOL)
};

NvRtc::NvRtc(DynamicLibrary library, std::unique_ptr<Symbols> symbols,
             std::vector<int> archs)
    : library(std::move(library)), symbols(std::move(symbols)),
      archs(std::move(archs)) {}

NvRtc::~NvRtc() = default;

Expected<std::unique_ptr<NvRtc>> NvRtc::load(const std::string &path) {
  std::vector<std::string> candidates;
  // The folder where NVIDIA's packages put it is not always searched.
  for (const char *folder : {"", "/usr/local/cuda/lib64/"})
    for (const char *name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
      candidates.push_back(std::string(folder) + name);
  if (!path.empty())
    candidates = {path};
  RCCLX_ASSIGN_OR_RETURN(DynamicLibrary library,
                         DynamicLibrary::open("NVRTC", candidates));
  auto symbols = std::make_unique<Symbols>();
  Symbols &s = *symbols;
  const SymbolEntry table[] = {NVRTC_SYMBOLS(RCCLX_SYMBOL_ENTRY)};
  RCCLX_RETURN_IF_ERROR(library.resolve(table));

  int count = 0;
  Result r = s.nvrtcGetNumSupportedArchs(&count);
  std::vector<int> archs(r == 0 ? count : 0);
  if (r == 0)
    r = s.nvrtcGetSupportedArchs(archs.data());
  if (r != 0)
    return makeError(Code::Unavailable,
                     "{} does not list its architectures: {}", library.path(),
                     s.nvrtcGetErrorString(r));
  return std::unique_ptr<NvRtc>(
      new NvRtc(std::move(library), std::move(symbols), std::move(archs)));
}

bool NvRtc::supports(std::string_view arch) const {
  if (!arch.starts_with("sm_"))
    return false;
  arch.remove_prefix(3);
  // sm_90a has what only that chip has; the list names the number alone.
  if (arch.ends_with('a') || arch.ends_with('f'))
    arch.remove_suffix(1);
  int number = 0;
  auto [end, error] =
      std::from_chars(arch.data(), arch.data() + arch.size(), number);
  return error == std::errc() && end == arch.data() + arch.size() &&
         std::ranges::count(archs, number) != 0;
}

Expected<std::vector<char>> NvRtc::compile(std::string_view source,
                                           std::string_view arch) const {
  if (!supports(arch))
    return makeError(Code::Unavailable,
                     "NVRTC of {} does not know architecture '{}'; it knows "
                     "sm_{}",
                     library.path(), arch, fmt::join(archs, ", sm_"));

  std::string text(source);
  std::string archOption = fmt::format("--gpu-architecture={}", arch);
  const char *options[] = {archOption.c_str(), "--std=c++17", "--fmad=false"};

  auto failure = [&](const char *call, Result result) {
    return makeError(Code::Internal, "{} for {}: {}", call, arch,
                     symbols->nvrtcGetErrorString(result));
  };
  Program program = nullptr;
  if (Result r = symbols->nvrtcCreateProgram(
          &program, text.c_str(), "gpu.hip.cpp", 0, nullptr, nullptr))
    return failure("nvrtcCreateProgram", r);
  // The program is destroyed on every path.
  auto destroy = [this](Program p) { symbols->nvrtcDestroyProgram(&p); };
  std::unique_ptr<void, decltype(destroy)> owner(program, destroy);

  if (Result r = symbols->nvrtcCompileProgram(program, int(std::size(options)),
                                              options)) {
    Status status = failure("nvrtcCompileProgram", r);
    size_t bytes = 0;
    if (symbols->nvrtcGetProgramLogSize(program, &bytes) != 0 || bytes == 0)
      return status;
    std::string log(bytes, '\0');
    if (symbols->nvrtcGetProgramLog(program, log.data()) != 0)
      return status;
    log.resize(log.find_last_not_of(std::string_view("\0\n ", 3)) + 1);
    return makeError(Code::Internal, "{}\n{}", status.message(), log);
  }
  size_t bytes = 0;
  if (Result r = symbols->nvrtcGetCUBINSize(program, &bytes))
    return failure("nvrtcGetCUBINSize", r);
  std::vector<char> code(bytes);
  if (Result r = symbols->nvrtcGetCUBIN(program, code.data()))
    return failure("nvrtcGetCUBIN", r);
  return code;
}

} // namespace rcclx::runtime
