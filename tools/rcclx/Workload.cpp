//===- Workload.cpp - Inputs of all ranks and what must come out ----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Workload.h"

#include "exec/Oracle.h"
#include "rcclx/Runtime/Numeric.h"

#include <algorithm>
#include <cstring>

namespace rcclx::tool {

using namespace runtime;

static constexpr uint64_t guardBytes = 256;
static constexpr uint64_t alignment = 64;
// An odd pattern: as an element of any type it is an unlikely result.
static constexpr char poison = char(0xA7);

GuardedBuffer::GuardedBuffer(uint64_t bytes, uint64_t shift)
    : storage(bytes + shift + 2 * guardBytes + alignment, poison),
      bytes(bytes) {
  auto address = reinterpret_cast<uintptr_t>(storage.data()) + guardBytes;
  uint64_t pad = (alignment - address % alignment) % alignment;
  start = guardBytes + pad + shift;
}

bool GuardedBuffer::guardsIntact() const {
  auto isPoison = [](char c) { return c == poison; };
  auto first = storage.begin() + int64_t(start);
  return std::all_of(storage.begin(), first, isPoison) &&
         std::all_of(first + int64_t(bytes), storage.end(), isPoison);
}

/// A good 64-bit hash of a counter (SplitMix64).
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// In [-2, 2), with 24 significant bits: sums of 256 stay far from overflow,
/// and their rounding matters.
static float smallFloat(uint64_t random) {
  return float(int32_t(random >> 40) - (1 << 23)) * 0x1p-22f;
}

/// Bit patterns that are easy to get wrong, as f32, f16 and bf16.
static constexpr struct {
  uint32_t f32;
  uint16_t f16, bf16;
} specials[] = {
    {0x7fc00000, 0x7e00, 0x7fc0}, // canonical NaN
    {0xffffffff, 0xffff, 0xffff}, // the NaN with all bits set
    {0x7f800001, 0x7c01, 0x7f81}, // a signalling NaN
    {0x7f800000, 0x7c00, 0x7f80}, // infinities
    {0xff800000, 0xfc00, 0xff80}, {0x80000000, 0x8000, 0x8000}, // -0
    {0x00000000, 0x0000, 0x0000}, {0x00000001, 0x0001, 0x0001}, // denormals
    {0x807fffff, 0x83ff, 0x807f},
};

template <typename Word, typename Convert>
static void fill(std::vector<char> &out, uint64_t stream, bool special,
                 Convert convert) {
  auto *words = reinterpret_cast<Word *>(out.data());
  uint64_t n = out.size() / sizeof(Word);
  for (uint64_t i = 0; i != n; ++i) {
    uint64_t random = mix(stream + i);
    words[i] =
        convert(random, special && random % 13 == 0 ? &specials[random / 13 % 9]
                                                    : nullptr);
  }
}

static void fillInput(std::vector<char> &out, const RunOptions &options,
                      uint32_t rank) {
  uint64_t stream = mix(options.seed * 1000003 + rank);
  switch (options.element) {
  case Element::F32:
    return fill<uint32_t>(
        out, stream, options.special, [](uint64_t random, auto *special) {
          return special ? special->f32
                         : std::bit_cast<uint32_t>(smallFloat(random));
        });
  case Element::F16:
    return fill<uint16_t>(
        out, stream, options.special, [](uint64_t random, auto *special) {
          return special ? special->f16 : roundF16(smallFloat(random));
        });
  case Element::BF16:
    return fill<uint16_t>(
        out, stream, options.special, [](uint64_t random, auto *special) {
          return special ? special->bf16 : roundBf16(smallFloat(random));
        });
  case Element::I32: // of the whole range: sums wrap
    return fill<uint32_t>(out, stream, false, [](uint64_t random, auto *) {
      return uint32_t(random >> 32);
    });
  }
}

Workload::Workload(const RunOptions &options, const Manifest &manifest)
    : manifest(manifest), count(options.count), inputData(manifest.world),
      expectedData(manifest.world) {
  for (uint32_t r = 0; r != manifest.world; ++r) {
    inputData[r].resize(inputBytes(manifest, r, options.count));
    fillInput(inputData[r], options, r);
  }
}

std::vector<const char *> Workload::inputs() const {
  std::vector<const char *> pointers;
  for (const std::vector<char> &data : inputData)
    pointers.push_back(data.data());
  return pointers;
}

std::shared_ptr<const std::vector<char>> Workload::expected(uint32_t rank) {
  std::lock_guard lock(mutex);
  for (uint32_t r = 0; r != manifest.world; ++r)
    if (expectedData[r] && manifest.outputs[r] == manifest.outputs[rank])
      return expectedData[r];
  auto data = std::make_shared<std::vector<char>>(
      outputBytes(manifest, rank, count), poison);
  evaluateOracle(manifest, rank, count, inputs(), data->data());
  expectedData[rank] = data;
  return data;
}

Workload &WorkloadCache::get(const RunOptions &options,
                             const Manifest &manifest) {
  std::call_once(once, [&] {
    copy = manifest;
    workload = std::make_unique<Workload>(options, copy);
  });
  return *workload;
}

} // namespace rcclx::tool
