//===- Data.cpp - Inputs and expected outputs of a bench ------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Data.h"

#include <algorithm>

namespace rcclx::tool {

using namespace runtime;

uint64_t CallShape::bytes() const {
  return sizeof(float) * std::max(inputElements(), outputElements());
}

static uint64_t blocksOf(Contract contract, uint32_t world) {
  return std::max(inputBlocks(contract, world), outputBlocks(contract, world));
}

bool sizeFits(Contract contract, uint32_t world, uint64_t bytes) {
  return bytes != 0 && bytes % (sizeof(float) * blocksOf(contract, world)) == 0;
}

CallShape shapeOf(Contract contract, uint32_t world, uint64_t bytes) {
  return {contract, world, bytes / sizeof(float) / blocksOf(contract, world)};
}

/// The start of a rank's sequence in a round (SplitMix64).
static uint32_t sequenceOf(uint64_t seed, uint32_t rank) {
  uint64_t x = seed * 0x9e3779b97f4a7c15 + rank * 0xd1342543de82ef95;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return uint32_t(x >> 32);
}

/// Element `index` of a sequence: a hash of 32 bits, which compilers vectorize;
/// its upper 19 bits as a signed multiple of 2^-18.
static float elementOf(uint32_t sequence, uint32_t index) {
  uint32_t x = index * 0x9e3779b1 + sequence;
  x = (x ^ (x >> 15)) * 0x85ebca77;
  x = (x ^ (x >> 13)) * 0xc2b2ae3d;
  return float(int32_t(x) >> 13) * 0x1p-18f;
}

void fillInput(uint64_t seed, uint32_t rank, float *out, uint64_t elements) {
  uint32_t sequence = sequenceOf(seed, rank);
  for (uint64_t i = 0; i != elements; ++i)
    out[i] = elementOf(sequence, uint32_t(i));
}

/// out[i] = element `first` + i of `rank`'s input.
static void copyElements(uint64_t seed, uint32_t rank, uint64_t first,
                         float *out, uint64_t elements) {
  uint32_t sequence = sequenceOf(seed, rank);
  for (uint64_t i = 0; i != elements; ++i)
    out[i] = elementOf(sequence, uint32_t(first + i));
}

/// The same, summed over all ranks: exact, so in any order.
static void sumElements(uint64_t seed, uint32_t world, uint64_t first,
                        float *out, uint64_t elements) {
  constexpr uint64_t piece = 4096; // stays in the cache
  for (uint64_t start = 0; start < elements; start += piece) {
    uint64_t end = std::min(elements, start + piece);
    std::fill(out + start, out + end, 0.0f);
    for (uint32_t rank = 0; rank != world; ++rank) {
      uint32_t sequence = sequenceOf(seed, rank);
      for (uint64_t i = start; i != end; ++i)
        out[i] += elementOf(sequence, uint32_t(first + i));
    }
  }
}

void fillExpected(const CallShape &shape, uint64_t seed, uint32_t rank,
                  float *out) {
  const uint64_t count = shape.count;
  switch (shape.contract) {
  case Contract::AllReduce:
    return sumElements(seed, shape.world, 0, out, count);
  case Contract::ReduceScatter:
    return sumElements(seed, shape.world, rank * count, out, count);
  case Contract::AllGather:
    for (uint32_t from = 0; from != shape.world; ++from)
      copyElements(seed, from, 0, out + from * count, count);
    return;
  case Contract::AllToAll:
    for (uint32_t from = 0; from != shape.world; ++from)
      copyElements(seed, from, rank * count, out + from * count, count);
    return;
  default:
    return; // BenchOptions admits no other
  }
}

} // namespace rcclx::tool
