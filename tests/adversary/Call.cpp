//===- Call.cpp - One call of all ranks, and what it must give ------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Call.h"

#include "exec/Aliasing.h"
#include "exec/Oracle.h"

#include <bit>
#include <cstring>

namespace rcclx::adversary {

using namespace runtime;

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// Patterns that a protocol could take for its own: flags, slots at rest,
/// inverted NaNs; and what arithmetic treats apart.
static uint64_t special(Random &random, uint32_t bytes) {
  static constexpr uint64_t patterns[] = {
      0,
      ~uint64_t(0),
      1,
      0x7fc000007fc00000, // canonical NaNs: f32, bf16
      0x7e007e007e007e00, // f16
      0x7ff8000000000000, // f64
      0xffff0000ffff0000,
      0x0000ffff0000ffff,
      0x7f8000007f800000, // infinities
      0xff800000ff800000,
      0x7c007c007c007c00,
      0xfff0000000000000,
      0x7f8000017f800001, // signalling NaNs
      0x8000800080008000, // zeros with signs
      0x8000000080000000,
      0x8000000000000000,
      0x0001000100010001, // denormals
      0x0000000100000001,
      0x7f7fffff7f7fffff, // the largest
      0x8080808080808080,
      0x7f7f7f7f7f7f7f7f,
  };
  uint64_t pattern = patterns[below(random, std::size(patterns))];
  return bytes == 8 ? pattern : pattern >> 8 * below(random, 8 / bytes) * bytes;
}

/// Bits of a moderate number, so that sums are neither NaN nor infinite.
static uint64_t moderate(Random &random, Element element) {
  float x = float(int64_t(below(random, 4001)) - 2000) / 16;
  auto bits = std::bit_cast<uint32_t>(x);
  if (!isFloat(element))
    return random();
  switch (elementBytes(element)) {
  case 8:
    return std::bit_cast<uint64_t>(double(x));
  case 4:
    return bits;
  case 2:
    return element == Element::F16 ? 0x3000 + below(random, 0x1800)
                                   : bits >> 16;
  }
  return random();
}

static void fillNoise(Random &random, std::vector<char> &bytes) {
  for (size_t i = 0; i < bytes.size(); i += 8) {
    uint64_t word = random();
    memcpy(&bytes[i], &word, std::min<size_t>(8, bytes.size() - i));
  }
}

static void fillData(Random &random, char *data, uint64_t bytes,
                     Element element) {
  uint32_t size = elementBytes(element);
  uint64_t style = below(random, 4);
  for (uint64_t i = 0; i < bytes; i += size) {
    uint64_t bits = style == 0 ? random()
                    : style == 1 || oneIn(random, 16)
                        ? special(random, size)
                        : moderate(random, element);
    memcpy(data + i, &bits, size);
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Around the boundaries of granules, tiles and tiles in flight; now and then
/// nothing, one, or much.
static uint64_t chooseCount(const LoadedPlan &plan, Random &random) {
  const Manifest &manifest = plan.manifest();
  uint64_t perGroup = 16 / elementBytes(manifest.element);
  uint64_t tile = plan.kind().tileGroups * perGroup;
  uint64_t parts = oneIn(random, 2) ? manifest.world : 1;
  uint64_t unit = 1;
  switch (below(random, 8)) {
  case 0:
    return below(random, 3);
  case 1:
    unit = perGroup * parts;
    break;
  case 2:
  case 3:
    unit = tile * parts;
    break;
  case 4:
    unit = tile * parts * plan.kind().depth;
    break;
  case 5:
    unit = tile * parts * (plan.kind().depth + 1);
    break;
  case 6:
    return below(random, 4 * tile * parts + 2);
  case 7:
    unit = tile * parts * plan.kind().depth * (2 + below(random, 3));
    break;
  }
  uint64_t times = 1 + below(random, 3);
  uint64_t around = below(random, 3) == 0 ? below(random, 2 * perGroup) : 0;
  uint64_t count = unit * times + around;
  return count > perGroup / 2 ? count - below(random, perGroup / 2 + 1) : count;
}

static uint64_t chooseScale(Random &random, Element element) {
  uint32_t bytes = elementBytes(accumulator(element));
  uint64_t bits = oneIn(random, 4) ? special(random, bytes)
                                   : moderate(random, accumulator(element));
  return bytes == 8 ? bits : bits & ((uint64_t(1) << 8 * bytes) - 1);
}

Call::Call(const LoadedPlan &plan, Random &random)
    : loaded(&plan), elements(chooseCount(plan, random)),
      inPlace(oneIn(random, 3)), ranks(plan.manifest().world) {
  const Manifest &manifest = plan.manifest();
  const uint32_t size = elementBytes(manifest.element);
  for (uint32_t rank = 0; rank != ranks.size(); ++rank) {
    RankBuffers &b = ranks[rank];
    b.inputBytes = inputBytes(manifest, rank, elements);
    b.outputBytes = outputBytes(manifest, rank, elements);
    // Aligned to elements, but not to more.
    auto guard = [&] { return 64 + below(random, 16 / size) * size; };
    uint64_t at = guard();
    if (inPlace && b.inputBytes && b.outputBytes) {
      b.input = b.output = at;
      if (b.inputBytes < b.outputBytes)
        b.input += rank * b.inputBytes;
      else if (b.outputBytes < b.inputBytes)
        b.output += rank * b.outputBytes;
      at += std::max(b.inputBytes, b.outputBytes);
    } else {
      b.input = at;
      b.output = at + b.inputBytes + guard();
      at = b.output + b.outputBytes;
    }
    b.memory.resize(at + guard());
    fillNoise(random, b.memory);
    fillData(random, &b.memory[b.input], b.inputBytes, manifest.element);
    b.before = b.memory;
    b.scale = manifest.reduction == Reduction::PremulSum
                  ? chooseScale(random, manifest.element)
                  : 0;
    scales.push_back(b.scale);
  }
}

void Call::fill(uint32_t rank, rcclx_kernel_params &params) {
  RankBuffers &b = ranks[rank];
  const Manifest &manifest = loaded->manifest();
  params.count = elements;
  params.grid = loaded->kind().grid;
  params.scale = b.scale;
  params.input = &b.memory[b.input];
  params.output = &b.memory[b.output];
  auto isInside =
      isInPlace(manifest, rank, params.input, params.output, elements);
  if (!isInside)
    giveUp(isInside.status().message());
  if (*isInside && manifest.stagedInPlace) {
    b.stage.assign(params.input, params.input + b.inputBytes);
    params.input = b.stage.data();
  }
  if (manifest.hasScratch)
    b.scratch.resize(
        manifest.world *
        ((elements * elementBytes(manifest.element) + 15) / 16 * 16));
  params.scratch = b.scratch.data();
}

std::string Call::describe() const {
  return fmt::format("{} with {} elements{}", loaded->name, elements,
                     inPlace ? ", in place" : "");
}

std::string Call::checkRank(uint32_t rank,
                            const std::vector<const char *> &inputs) const {
  const RankBuffers &b = ranks[rank];
  const Manifest &manifest = loaded->manifest();
  std::vector<char> expected = b.before;
  evaluateOracle(manifest, rank, elements, inputs, &expected[b.output], scales);
  if (expected == b.memory)
    return "";
  uint64_t n = b.outputBytes / elementBytes(manifest.element);
  uint64_t i = firstDifference(&b.memory[b.output], &expected[b.output], n,
                               manifest.element);
  if (i == n)
    return fmt::format("rank {} wrote outside of its output", rank);
  uint32_t size = elementBytes(manifest.element);
  uint64_t found = 0, wanted = 0;
  memcpy(&found, &b.memory[b.output + i * size], size);
  memcpy(&wanted, &expected[b.output + i * size], size);
  return fmt::format("rank {}, element {}: expected {:#x}, found {:#x}", rank,
                     i, wanted, found);
}

std::string Call::check() const {
  std::vector<const char *> inputs;
  for (const RankBuffers &b : ranks)
    inputs.push_back(&b.before[b.input]);
  for (uint32_t rank = 0; rank != ranks.size(); ++rank)
    if (std::string error = checkRank(rank, inputs); !error.empty())
      return error;
  return "";
}

} // namespace rcclx::adversary
