//===- CompileAmdgpu.cpp - generated source to an AMD code object ---------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "ClangJob.h"
#include "LinkElf.h"
#include "rcclx/CodeGen/Compile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

namespace rcclx {

ArrayRef<StringRef> amdgpuArchs() {
  // An architecture is added here together with its row in the tests: clang
  // takes any name that it knows, but the device header has to know it too.
  static constexpr StringRef archs[] = {
      "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1151", "gfx1201"};
  return archs;
}

Expected<std::vector<char>> compileAmdgpu(StringRef source, StringRef arch,
                                          const AmdgpuCompileOptions &options) {
  if (!is_contained(amdgpuArchs(), arch))
    return createStringError("unknown AMD GPU architecture '" + arch +
                             "'; known are " + join(amdgpuArchs(), ", "));
  if (options.codeObjectVersion < 4 || options.codeObjectVersion > 6)
    return createStringError("code object version " +
                             Twine(options.codeObjectVersion) +
                             " is not 4, 5 or 6");

  // As clang's driver calls cc1 for one HIP device compilation, without an SDK.
  std::vector<std::string> args = {
      "-triple",
      "amdgcn-amd-amdhsa",
      "-aux-triple",
      sys::getProcessTriple(),
      "-fcuda-is-device",
      "-x",
      "hip",
      "-std=c++17",
      "-O3",
      "-vectorize-loops",
      "-vectorize-slp",
      "-ffp-contract=off",
      "-mrelocation-model",
      "pic",
      "-pic-level",
      "2",
      "-fhalf-no-semantic-interposition",
      "-fvisibility=hidden",
      "-fapply-global-visibility-to-externs",
      "-mframe-pointer=none",
      "-fno-threadsafe-statics",
      "-fno-rtti",
      "-nostdsysteminc",
      "-nobuiltininc",
      "-disable-llvm-verifier",
      "-discard-value-names",
      "-w",
      "-ferror-limit",
      "10",
      "-mcode-object-version=" + std::to_string(options.codeObjectVersion),
      "-target-cpu",
      arch.str()};

  ClangOutput output =
      options.emitAssembly ? ClangOutput::Assembly : ClangOutput::Object;
  Expected<SmallVector<char, 0>> compiled =
      runClang(args, source, options.sourceName, output);
  if (!compiled)
    return compiled.takeError();
  if (options.emitAssembly)
    return std::vector<char>(compiled->begin(), compiled->end());
  // A device has nothing that could resolve a symbol later.
  return linkElf(*compiled, {"-m", "elf64_amdgpu", "--no-undefined"});
}

} // namespace rcclx
