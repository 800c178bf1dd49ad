//===- Data.h - Inputs and expected outputs of a bench ----------*- C++ -*-===//
//
// Part of rcclx. Elements are f32 multiples of one unit, and so few of them
// that sums over all ranks are exact in any order: every library must give the
// same bits, whatever its algorithm.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_BENCH_DATA_H
#define RCCLX_TOOLS_RCCLX_BENCH_DATA_H

#include "rcclx/Runtime/Types.h"

#include <cstdint>
#include <vector>

namespace rcclx::tool {

/// Most ranks of a bench. 19-bit integers of 32 ranks add up to 24 bits.
inline constexpr uint32_t maxBenchWorld = 32;

/// The buffers of one call on every rank.
struct CallShape {
  runtime::Contract contract;
  uint32_t world;
  uint64_t count; // as NCCL counts

  uint64_t inputElements() const {
    return count * runtime::inputBlocks(contract, world);
  }
  uint64_t outputElements() const {
    return count * runtime::outputBlocks(contract, world);
  }
  /// Of the larger side: what a size means to nccl-tests.
  uint64_t bytes() const;
};

/// Whether a size can be had: a multiple of a block's granularity.
bool sizeFits(runtime::Contract contract, uint32_t world, uint64_t bytes);
/// The call of a size that fits.
CallShape shapeOf(runtime::Contract contract, uint32_t world, uint64_t bytes);

/// A rank's input of a round: a function of its arguments.
void fillInput(uint64_t seed, uint32_t rank, float *out, uint64_t elements);

/// What `rank` must get in that round.
void fillExpected(const CallShape &shape, uint64_t seed, uint32_t rank,
                  float *out);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_BENCH_DATA_H
