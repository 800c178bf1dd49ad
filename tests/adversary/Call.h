//===- Call.h - One call of all ranks, and what it must give ----*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_ADVERSARY_CALL_H
#define RCCLX_TESTS_ADVERSARY_CALL_H

#include "Plans.h"

#include <random>
#include <string>
#include <vector>

namespace rcclx::adversary {

using Random = std::mt19937_64;

/// 0 to n-1.
inline uint64_t below(Random &random, uint64_t n) { return random() % n; }
inline bool oneIn(Random &random, uint64_t n) { return random() % n == 0; }

/// The buffers of one rank, somewhere within memory that is filled with noise.
/// In place, one lies in the other.
struct RankBuffers {
  std::vector<char> memory;
  uint64_t input = 0, output = 0; // offsets in `memory`
  uint64_t inputBytes = 0, outputBytes = 0;
  std::vector<char> before; // `memory`, before the call
  std::vector<char> stage;  // what the kernel reads, where the plan needs it
  std::vector<char> scratch;
  uint64_t scale = 0;
};

/// A plan, a count and random data. What a call is depends on the generator
/// only.
class Call {
public:
  Call(const LoadedPlan &plan, Random &random);

  const LoadedPlan &plan() const { return *loaded; }
  uint64_t count() const { return elements; }
  RankBuffers &buffers(uint32_t rank) { return ranks[rank]; }
  /// Completes the parameters of a rank that launches the kernel itself.
  void fill(uint32_t rank, rcclx_kernel_params &params);
  /// Empty when every byte of every rank is as it must be: outputs as the
  /// oracle has them, all else as it was.
  std::string check() const;
  std::string describe() const;

private:
  std::string checkRank(uint32_t rank,
                        const std::vector<const char *> &inputs) const;

  const LoadedPlan *loaded;
  uint64_t elements;
  bool inPlace;
  std::vector<RankBuffers> ranks;
  std::vector<uint64_t> scales;
};

} // namespace rcclx::adversary

#endif // RCCLX_TESTS_ADVERSARY_CALL_H
