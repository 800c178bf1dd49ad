//===- CompilerLibrary.cpp - The compiler half, loaded on demand ----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "rcclx/Runtime/CompilerLibrary.h"

#include "Hash.h"
#include "rcclx/Runtime/DynamicLibrary.h"
#include "rcclx/Runtime/Rtc.h"
#include "rcclx_compiler.h"

#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace rcclx::runtime {
namespace {

#define RCCLX_COMPILER_SYMBOLS(X)                                              \
  X(Required, rcclx_compiler_api_version,                                      \
    decltype(::rcclx_compiler_api_version))                                    \
  X(Optional, rcclx_compiler_version, decltype(::rcclx_compiler_version))      \
  X(Required, rcclx_compiler_compile, decltype(::rcclx_compiler_compile))      \
  X(Required, rcclx_compiler_verify, decltype(::rcclx_compiler_verify))        \
  X(Required, rcclx_compile_result_diagnostics,                                \
    decltype(::rcclx_compile_result_diagnostics))                              \
  X(Required, rcclx_compile_result_free, decltype(::rcclx_compile_result_free))

struct CompilerSymbols {
  RCCLX_COMPILER_SYMBOLS(RCCLX_DECLARE_SYMBOL)
};

/// Frees a compile result and copies its text out.
class Result {
public:
  explicit Result(const CompilerSymbols &symbols) : symbols(symbols) {}
  Result(const Result &) = delete;
  Result &operator=(const Result &) = delete;
  ~Result() {
    if (raw)
      symbols.rcclx_compile_result_free(raw);
  }
  rcclx_compile_result **out() { return &raw; }

  /// Without line breaks at its end.
  std::string diagnostics() const {
    const char *text =
        raw ? symbols.rcclx_compile_result_diagnostics(raw) : nullptr;
    std::string message = text ? text : "";
    while (message.ends_with('\n'))
      message.pop_back();
    return message;
  }

  /// The Status that a return value of the compiler's C API stands for.
  Status status(int returned) const {
    if (returned == 0)
      return Status();
    std::string message = diagnostics();
    if (message.empty())
      message = fmt::format("the compiler failed with status {}", returned);
    switch (returned) {
    case 1:
      return Status(Code::Schedule, std::move(message));
    case 2:
      return Status(Code::InvalidArgument, std::move(message));
    case 3:
      return Status(Code::System, std::move(message));
    }
    return Status(Code::Internal, std::move(message));
  }

private:
  const CompilerSymbols &symbols;
  rcclx_compile_result *raw = nullptr;
};

} // namespace

static std::string directoryOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

/// Folders of the module that holds this code and of the program.
static std::vector<std::string> ownDirectories() {
  std::vector<std::string> result;
  Dl_info info;
  // For code of the program itself the name may be relative: skip it.
  if (dladdr(reinterpret_cast<void *>(&directoryOf), &info) && info.dli_fname &&
      info.dli_fname[0] == '/')
    result.push_back(directoryOf(info.dli_fname));
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
  if (length > 0 && size_t(length) < sizeof(program))
    result.push_back(directoryOf(std::string(program, size_t(length))));
  return result;
}

CompilerLibrary CompilerLibrary::find(const Options &options) {
  static constexpr const char *fileName = "librcclx_compiler.so";
  std::vector<std::string> candidates;
  if (!options.compilerLibrary.empty())
    candidates.push_back(options.compilerLibrary);
  else
    for (const std::string &directory : ownDirectories())
      for (const char *relative : {"/", "/../lib/"})
        candidates.push_back(directory + relative + fileName);

  CompilerLibrary library;
  for (const std::string &candidate : candidates) {
    struct stat info;
    if (stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
      library.path = candidate;
      library.fileStamp =
          fmt::format("{:016x}", xxh64(fmt::format("{} {}.{}", info.st_size,
                                                   info.st_mtim.tv_sec,
                                                   info.st_mtim.tv_nsec)));
      return library;
    }
    library.tried += "\n  " + candidate;
  }
  return library;
}

/// Loads the library at `path`, once for each path; it stays loaded, as LLVM
/// cannot be unloaded.
static Expected<const CompilerSymbols *> load(const std::string &path) {
  struct Loaded {
    DynamicLibrary library;
    CompilerSymbols symbols;
  };
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<Loaded>> *loaded =
      new std::map<std::string, std::unique_ptr<Loaded>>;
  std::lock_guard lock(mutex);
  if (auto it = loaded->find(path); it != loaded->end())
    return &it->second->symbols;

  const std::string candidates[] = {path};
  RCCLX_ASSIGN_OR_RETURN(
      DynamicLibrary library,
      DynamicLibrary::open("the rcclx compiler", candidates));
  CompilerSymbols s;
  const SymbolEntry table[] = {RCCLX_COMPILER_SYMBOLS(RCCLX_SYMBOL_ENTRY)};
  RCCLX_RETURN_IF_ERROR(library.resolve(table));
  if (uint32_t version = s.rcclx_compiler_api_version();
      version != RCCLX_COMPILER_API_VERSION)
    return makeError(Code::Unavailable,
                     "{} has API version {}; this runtime needs version {}",
                     path, version, RCCLX_COMPILER_API_VERSION);
  auto &slot = (*loaded)[path];
  slot = std::make_unique<Loaded>(Loaded{std::move(library), s});
  return &slot->symbols;
}

static Status absentError(const std::string &tried) {
  return makeError(Code::Unavailable,
                   "the rcclx compiler is not installed; looked for:{}", tried);
}

Expected<std::string> CompilerLibrary::version() const {
  if (absent())
    return absentError(tried);
  RCCLX_ASSIGN_OR_RETURN(const CompilerSymbols *symbols, load(path));
  return fmt::format("{}, {}", path,
                     symbols->rcclx_compiler_version
                         ? symbols->rcclx_compiler_version()
                         : "of an unknown version");
}

Status CompilerLibrary::compile(const PlanRequest &request,
                                const std::string &directory) const {
  return compile(request, {{request.target}, ""}, directory);
}

Status CompilerLibrary::compile(const PlanRequest &request,
                                const PlanTargets &targets,
                                const std::string &directory) const {
  if (absent())
    return absentError(tried);
  RCCLX_ASSIGN_OR_RETURN(const CompilerSymbols *symbols, load(path));
  const std::string element(name(request.element));
  const std::string reduction(name(request.reduction));
  std::vector<const char *> names;
  for (const std::string &target : targets.names)
    names.push_back(target.c_str());
  rcclx_compile_request raw = {};
  raw.struct_size = sizeof(raw);
  raw.schedule = request.schedule.data();
  raw.schedule_bytes = request.schedule.size();
  raw.schedule_name = request.scheduleName.c_str();
  raw.symbol = request.symbol.empty() ? nullptr : request.symbol.c_str();
  raw.world = request.world;
  raw.element = element.c_str();
  raw.reduction = reduction.c_str();
  raw.count = sizeClass(request.count);
  raw.protocol = request.protocol.empty() ? nullptr : request.protocol.c_str();
  raw.targets = names.data();
  raw.num_targets = names.size();
  raw.host_cpu = targets.hostCpu.empty() ? nullptr : targets.hostCpu.c_str();
  raw.directory = directory.c_str();
  raw.root = request.root;
  raw.permutation_length = uint32_t(request.permutation.size());
  raw.permutation = request.permutation.data();
#ifdef RCCLX_HAVE_RTC
  raw.rtc = rtcCompile;
#endif
  Result result(*symbols);
  int returned = symbols->rcclx_compiler_compile(&raw, result.out());
  return result.status(returned);
}

Expected<ProofResult> CompilerLibrary::verify(
    const std::string &schedule, const std::string &scheduleName,
    const std::string &symbol, uint32_t world, uint32_t slots,
    std::optional<uint32_t> root, const std::vector<uint32_t> &permutation,
    bool scheduleOnly) const {
  if (absent())
    return absentError(tried);
  RCCLX_ASSIGN_OR_RETURN(const CompilerSymbols *symbols, load(path));
  rcclx_verify_request raw = {};
  raw.struct_size = sizeof(raw);
  raw.schedule = schedule.data();
  raw.schedule_bytes = schedule.size();
  raw.schedule_name = scheduleName.c_str();
  raw.symbol = symbol.empty() ? nullptr : symbol.c_str();
  raw.world = world;
  raw.slots = slots;
  raw.root = root.value_or(RCCLX_EVERY_ROOT);
  raw.permutation_length = uint32_t(permutation.size());
  raw.permutation = permutation.data();
  raw.schedule_only = scheduleOnly;
  rcclx_proof proof = {};
  proof.struct_size = sizeof(proof);
  Result result(*symbols);
  int returned = symbols->rcclx_compiler_verify(&raw, &proof, result.out());
  RCCLX_RETURN_IF_ERROR(result.status(returned));
  return ProofResult{
      proof.operations,          proof.messages,      proof.least_slots,
      proof.microseconds,        proof.roots,         proof.kernels,
      proof.kernel_microseconds, result.diagnostics()};
}

} // namespace rcclx::runtime
