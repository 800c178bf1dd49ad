//===- CompileHost.cpp - generated source to a host shared object ---------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "ClangJob.h"
#include "LinkElf.h"
#include "rcclx/CodeGen/Compile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

namespace rcclx {

namespace {
struct HostCpu {
  std::string triple;
  std::string name;
  /// `+avx2`, `-sse4a`, ...: sorted, so that the key is stable.
  std::vector<std::string> features;
  std::string key;

  HostCpu() : triple(sys::getProcessTriple()), name(sys::getHostCPUName()) {
    for (const auto &feature : sys::getHostCPUFeatures())
      features.push_back((feature.second ? "+" : "-") + feature.first().str());
    llvm::sort(features);
    key = name + "-" + utohexstr(xxh3_64bits(join(features, ",")), true, 16);
  }
};
} // namespace

static const HostCpu &hostCpu() {
  static const HostCpu cpu;
  return cpu;
}

StringRef hostCpuKey() { return hostCpu().key; }

ArrayRef<StringRef> hostCpuLevels() {
  static constexpr StringRef levels[] = {"x86-64", "x86-64-v2", "x86-64-v3",
                                         "x86-64-v4"};
  return levels;
}

/// What an object may leave to the process that opens it. clang turns loops
/// that copy or fill into calls of these three, freestanding or not.
static bool isProvided(StringRef symbol, const HostCompileOptions &options) {
  if (symbol == "memcpy" || symbol == "memmove" || symbol == "memset")
    return true;
  return options.threadSanitizer && symbol.starts_with("__tsan_");
}

static Error checkUndefined(ArrayRef<char> sharedObject,
                            const HostCompileOptions &options) {
  StringRef bytes(sharedObject.data(), sharedObject.size());
  auto object = object::ObjectFile::createELFObjectFile(
      MemoryBufferRef(bytes, options.sourceName));
  if (!object)
    return object.takeError();
  auto *elf = cast<object::ELFObjectFileBase>(object->get());

  std::vector<std::string> missing;
  for (object::ELFSymbolRef symbol : elf->getDynamicSymbolIterators()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return joinErrors(flags.takeError(), name.takeError());
    if ((*flags & object::BasicSymbolRef::SF_Undefined) && !name->empty() &&
        !isProvided(*name, options))
      missing.push_back(name->str());
  }
  if (missing.empty())
    return Error::success();
  llvm::sort(missing);
  return createStringError(options.sourceName + ": error: undefined symbols: " +
                           join(missing, ", "));
}

Expected<std::vector<char>> compileHost(StringRef source,
                                        const HostCompileOptions &options) {
  const HostCpu &cpu = hostCpu();
  std::vector<std::string> args = {
      "-triple", cpu.triple, "-x", "c++", "-std=c++17", "-O3",
      "-vectorize-loops", "-vectorize-slp", "-ffp-contract=off",
      // Position-independent, and no symbol of the process can replace ours.
      "-mrelocation-model", "pic", "-pic-level", "2",
      "-fhalf-no-semantic-interposition", "-fvisibility=hidden",
      "-mframe-pointer=none", "-fno-rtti", "-fno-threadsafe-statics",
      "-nostdsysteminc", "-nobuiltininc", "-disable-llvm-verifier",
      "-discard-value-names", "-w", "-ferror-limit", "10", "-target-cpu",
      options.cpu.empty() ? cpu.name : options.cpu};
  if (options.cpu.empty())
    for (const std::string &feature : cpu.features) {
      args.push_back("-target-feature");
      args.push_back(feature);
    }
  if (options.threadSanitizer)
    args.push_back("-fsanitize=thread");

  Expected<SmallVector<char, 0>> object =
      runClang(args, source, options.sourceName, ClangOutput::Object);
  if (!object)
    return object.takeError();
  // All symbols are bound when the object is opened: no kernel stops at its
  // first call to resolve one.
  Expected<std::vector<char>> shared =
      linkElf(*object, {"-z", "now", "-z", "relro", "-z", "noexecstack",
                        "--hash-style=gnu", "--strip-all"});
  if (!shared)
    return shared.takeError();
  if (Error error = checkUndefined(*shared, options))
    return std::move(error);
  return shared;
}

} // namespace rcclx
