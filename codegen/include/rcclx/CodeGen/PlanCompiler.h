//===- PlanCompiler.h - From schedule text to a plan ------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_CODEGEN_PLANCOMPILER_H
#define RCCLX_CODEGEN_PLANCOMPILER_H

#include "rcclx/Analysis/Proof.h"
#include "rcclx_compiler.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>
#include <vector>

namespace rcclx {

/// Whose fault a failure is, and the exit status of the C API.
enum class CompileStatus { Ok = 0, Schedule = 1, Request = 2, Machine = 3 };

/// Time of one step of a compilation.
struct StageTime {
  std::string stage;
  uint64_t microseconds;
};

/// One kernel of a plan: a kind of device, lowered and printed.
struct KindArtifact {
  std::string kind; // "host" or "gpu"
  std::string kernel;
  std::string source; // without the device header
  uint32_t grid, threads, tile, depth, tags;
  std::vector<std::string> protocols;
};

/// One compiled object of a plan.
struct ObjectArtifact {
  std::string target, kind, file, compiler;
  std::string cpu; // of host objects: a level of x86-64, or one machine's key
  std::vector<char> bytes;
};

/// A plan before it is written.
struct Plan {
  std::string name, contract, element, reduction;
  uint32_t world = 0;
  uint32_t root = 0;
  std::vector<uint32_t> permutation; // empty: none, or the next rank
  uint64_t maxCount = 0;
  bool safeInPlace = true;
  bool hasScratch = false;
  uint64_t proofMicroseconds = 0;
  Proof proof;
  std::vector<KindArtifact> kinds;
  std::vector<ObjectArtifact> objects;
  std::vector<StageTime> times;
};

/// What tests ask for beyond a request.
struct PlanVariant {
  uint32_t maxTile = 0, maxDepth = 0, grid = 0; // 0: choose
  /// Host objects: instrumented for ThreadSanitizer.
  bool threadSanitizer = false;
  /// Changes what is compiled for the host, the device header and the kernel,
  /// or returns an error.
  std::function<llvm::Error(std::string &)> edit;
};

/// Compiles as rcclx_compiler_compile says; all diagnostics go to
/// `diagnostics`.
CompileStatus compilePlan(const rcclx_compile_request &request,
                          std::string &diagnostics,
                          const PlanVariant &variant = {});

/// Proves as rcclx_compiler_verify says.
CompileStatus verifySchedule(const rcclx_verify_request &request,
                             rcclx_proof &proof, std::string &diagnostics);

/// Writes the files of `plan` into `directory` (docs/PlanFormat.md).
CompileStatus writePlan(const Plan &plan, llvm::StringRef directory,
                        std::string &diagnostics);

} // namespace rcclx

#endif // RCCLX_CODEGEN_PLANCOMPILER_H
