//===- Compile.h - generated source to machine code -------------*- C++ -*-===//
//
// Part of rcclx. clang and lld in this process: shared objects for the host,
// and code objects for AMD GPUs that no installed hipRTC knows. Sources are
// freestanding; no header, SDK, compiler driver or child process is involved.
//
// Every function may be called from any thread. Nothing is printed: what clang
// or lld say is the text of the returned error.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_CODEGEN_COMPILE_H
#define RCCLX_CODEGEN_COMPILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace rcclx {

struct HostCompileOptions {
  /// What diagnostics call the source.
  std::string sourceName = "host.hip.cpp";
  /// Instruments the code for ThreadSanitizer. The object then needs the
  /// sanitizer's run time in the process that opens it.
  bool threadSanitizer = false;
  /// One of hostCpuLevels, or empty: the CPU of this machine.
  std::string cpu;
};

/// The levels of x86-64 that its ABI defines.
llvm::ArrayRef<llvm::StringRef> hostCpuLevels();

/// Compiles C++17 for a CPU and returns the bytes of a shared object. Apart
/// from memcpy, memmove and memset it needs nothing of the process that opens
/// it; a source that does is refused with the symbols' names.
llvm::Expected<std::vector<char>>
compileHost(llvm::StringRef source, const HostCompileOptions &options = {});

/// Names the CPU of this machine, as `name-features` with the
/// features hashed. What was made for it runs on machines of the same key only.
llvm::StringRef hostCpuKey();

struct AmdgpuCompileOptions {
  /// What diagnostics call the source.
  std::string sourceName = "gpu.hip.cpp";
  /// Version of the code object ABI: 4, 5, or 6 (ROCm 6.3 and later).
  unsigned codeObjectVersion = 6;
  /// Returns the text of the assembly in place of the code object.
  bool emitAssembly = false;
};

/// Compiles HIP C++17 for `arch` (`gfx942`, without target features) and
/// returns the bytes of a code object that hipModuleLoadData takes.
llvm::Expected<std::vector<char>>
compileAmdgpu(llvm::StringRef source, llvm::StringRef arch,
              const AmdgpuCompileOptions &options = {});

/// What compileAmdgpu takes as `arch`.
llvm::ArrayRef<llvm::StringRef> amdgpuArchs();

} // namespace rcclx

#endif // RCCLX_CODEGEN_COMPILE_H
