//===- Manifest.h - What a plan says about itself ---------------*- C++ -*-===//
//
// Part of rcclx. Reads manifest.json of docs/PlanFormat.md. A manifest comes
// from a disk: nothing in it is trusted before it is checked here.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_MANIFEST_H
#define RCCLX_RUNTIME_MANIFEST_H

#include "rcclx/Runtime/Status.h"
#include "rcclx/Runtime/Types.h"
#include "rcclx_params.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rcclx::runtime {

/// A set of ranks, as rcclx_kernel_params spells it.
using RankSet = std::array<uint64_t, RCCLX_MAX_WORLD / 64>;
inline bool contains(const RankSet &set, uint32_t rank) {
  return set[rank / 64] >> (rank % 64) & 1;
}

struct PlanFile {
  std::string file; // a plain name, inside the plan's directory
  uint64_t bytes = 0;
  uint64_t xxh64 = 0;
};

/// How the plan is mapped to one kind of device.
struct PlanKind {
  std::string kind; // "host", "gpu"
  std::string kernel;
  PlanFile source;
  uint32_t grid = 0;
  uint32_t threads = 0;
  uint32_t tileGroups = 0;
  uint32_t depth = 0;
  std::vector<std::string> protocols;
};

struct PlanObject {
  std::string target; // "host-x86_64", "gfx942"
  std::string kind;
  PlanFile file;
  std::string compiler; // empty where the manifest does not say
  /// Of a host object: "x86-64-v3", or a name for one machine's processor.
  std::string cpu;
};

struct PlanProof {
  uint32_t ranks = 0;
  uint64_t operations = 0;
  uint64_t messages = 0;
  uint32_t leastSlots = 0;
  uint64_t microseconds = 0;
};

struct CompileStage {
  std::string stage;
  uint64_t microseconds = 0;
};

/// One node of the proved reduction tree; operands are earlier nodes.
struct OracleTerm {
  enum Kind { Input, Identity, Reduce, Round, Finish } kind;
  uint32_t a = 0; // Input: rank. Reduce: accumulator. Round, Finish: operand
  uint32_t b = 0; // Input: block. Reduce: what is added
};

/// The part [a/d, (a+l)/d) of output block `block` holds `term`.
struct OracleOutput {
  uint32_t block;
  uint32_t a, l, d;
  uint32_t term;
  bool operator==(const OracleOutput &) const = default;
};

struct Manifest {
  std::string name;
  Contract contract{};
  uint32_t world = 0;
  Element element{};
  Reduction reduction{};
  uint32_t root = 0; // 0 where there is none
  /// Of a permute: where each rank's input goes; empty: to the next rank.
  std::vector<uint32_t> permutation;
  uint64_t hash = 0;
  uint64_t maxCount = 0;
  /// In place, the kernel would overwrite input that it still needs: the input
  /// is copied first.
  bool stagedInPlace = false;
  /// The kernel needs scratch memory.
  bool hasScratch = false;
  std::vector<RankSet> edges;   // per rank: peers in either direction
  std::vector<RankSet> readers; // per rank: who reads its window
  PlanProof proof;
  std::vector<CompileStage> compile;
  std::vector<PlanKind> kinds;
  std::vector<PlanObject> objects;
  std::vector<OracleTerm> terms;
  std::vector<std::vector<OracleOutput>> outputs; // per rank

  /// Blocks in the input and output of `rank`; 0 where it has none.
  uint32_t inputBlocksOf(uint32_t rank) const {
    return hasInput(contract, rank, root) ? inputBlocks(contract, world) : 0;
  }
  uint32_t outputBlocksOf(uint32_t rank) const {
    return hasOutput(contract, rank, root) ? outputBlocks(contract, world) : 0;
  }

  const PlanKind *findKind(std::string_view kind) const;
  const PlanObject *findObject(std::string_view target) const;

  /// Parses and checks `text`. Corrupt, naming the field, when anything is
  /// absent, of a wrong type or out of range; Unavailable for a format or
  /// kernel ABI of another version.
  static Expected<Manifest> parse(std::string_view text);
};

/// Corrupt unless the text ends with its own checksum, as the compiler and
/// sealManifest write it.
Status checkSeal(std::string_view text);
/// `text`, a JSON object, with its checksum as last member, whether it had one
/// or not. For tools and tests that write manifests.
std::string sealManifest(std::string_view text);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_MANIFEST_H
