//===- CompilerLibrary.h - The compiler half, loaded on demand --*- C++ -*-===//
//
// Part of rcclx. The compiler needs LLVM, whose loading alone takes 50 to 70
// ms: it is found (a stat) always, but loaded only when a plan must be compiled
// or a schedule proved.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_COMPILERLIBRARY_H
#define RCCLX_RUNTIME_COMPILERLIBRARY_H

#include "rcclx/Runtime/Options.h"
#include "rcclx/Runtime/Status.h"
#include "rcclx/Runtime/Types.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rcclx::runtime {

/// What is to be compiled.
struct PlanRequest {
  std::string schedule;     // MLIR text
  std::string scheduleName; // for diagnostics; no part of the plan's identity
  std::string symbol;       // empty: the only collective
  uint32_t world = 0;
  Element element = Element::F32;
  Reduction reduction = Reduction::Sum;
  uint64_t count = 0;   // hint; its size class chooses protocol and tile
  std::string protocol; // empty: the compiler chooses
  std::string target;   // "host-x86_64", "gfx942", ...
  uint32_t root = 0;    // of a broadcast, reduce, gather or scatter
  /// Of a permute: where each rank's input goes; empty: to the next rank.
  std::vector<uint32_t> permutation;
  /// A plan that exists already, and says all of the above; empty: none.
  std::string planDirectory;
};

/// What a plan for other machines holds objects for.
struct PlanTargets {
  std::vector<std::string> names; // as PlanRequest::target
  std::string hostCpu;            // "x86-64-v3"; empty: this machine's
};

struct ProofResult {
  uint64_t operations = 0;
  uint64_t messages = 0;
  uint32_t leastSlots = 0;
  uint64_t microseconds = 0;
  uint64_t roots = 0;   // how many it was proved for; 0: it has none
  uint64_t kernels = 0; // lowered forms that were proved
  uint64_t kernelMicroseconds = 0;
  std::string notLowered; // why not, or not all of them
};

/// The place of librcclx_compiler.so.
class CompilerLibrary {
public:
  /// Looks at RCCLX_COMPILER_LIBRARY, else beside this library and beside the
  /// program (., ../lib). Loads nothing; the result may be absent().
  static CompilerLibrary find(const Options &options);

  bool absent() const { return path.empty(); }
  /// 16 hex digits that change when the library's file does; empty if absent.
  const std::string &stamp() const { return fileStamp; }

  /// "PATH, LLVM 22.1.8": loads the library. Unavailable as compile.
  Expected<std::string> version() const;

  /// Compiles for request.target and this machine's processor, into
  /// `directory`, which exists and is empty. Schedule, with the
  /// compiler's diagnostics as message, when the schedule is at fault;
  /// InvalidArgument when the request is; System when the machine is;
  /// Unavailable when the library is absent or of another version.
  Status compile(const PlanRequest &request,
                 const std::string &directory) const;

  /// The same for `targets`; request.target is ignored.
  Status compile(const PlanRequest &request, const PlanTargets &targets,
                 const std::string &directory) const;

  /// Proves a schedule for `world` ranks and `slots` slots (0: the default),
  /// and a root (none given: each rank in turn), and what it is lowered to but
  /// for `scheduleOnly`. Errors as for compile.
  Expected<ProofResult> verify(const std::string &schedule,
                               const std::string &scheduleName,
                               const std::string &symbol, uint32_t world,
                               uint32_t slots, std::optional<uint32_t> root,
                               const std::vector<uint32_t> &permutation,
                               bool scheduleOnly = false) const;

private:
  std::string path;
  std::string fileStamp;
  std::string tried; // for the message when absent
};

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_COMPILERLIBRARY_H
