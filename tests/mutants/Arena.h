//===- Arena.h - What all ranks of one run share ----------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_MUTANTS_ARENA_H
#define RCCLX_TESTS_MUTANTS_ARENA_H

#include "rcclx_params.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rcclx::mutants {

/// Regions, windows, call words, control blocks and scratch of `world` ranks,
/// as after the peers have connected. Each lies between pages that nobody may
/// touch.
class Arena {
public:
  explicit Arena(uint32_t world);
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();

  /// Parameters of a call of `rank`, but for its buffers.
  rcclx_kernel_params params(uint32_t rank, uint32_t grid,
                             const std::vector<uint32_t> &edges,
                             const std::vector<uint32_t> &readers) const;
  rcclx_control &control(uint32_t rank) const { return ranks[rank].control[0]; }
  /// A slot that was not reset, in words; empty where there is none.
  std::string findLeftOver() const;

private:
  char *map(uint64_t bytes);
  struct Rank {
    std::vector<char *> regions; // by source
    char *window;
    char *scratch;
    rcclx_control *control;
    std::vector<rcclx_peer> peers;
  };
  std::vector<Rank> ranks;
  std::vector<std::pair<void *, uint64_t>> mappings;
};

} // namespace rcclx::mutants

#endif // RCCLX_TESTS_MUTANTS_ARENA_H
