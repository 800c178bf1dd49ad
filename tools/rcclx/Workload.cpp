//===- Workload.cpp - Inputs of all ranks and what must come out ----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Workload.h"

#include "RandomElements.h"
#include "exec/Oracle.h"

#include <algorithm>

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

Workload::Workload(const RunOptions &options, const Manifest &manifest)
    : manifest(manifest), count(options.count), inputData(manifest.world),
      expectedData(manifest.world) {
  for (uint32_t r = 0; r != manifest.world; ++r) {
    inputData[r].resize(inputBytes(manifest, r, options.count));
    uint64_t stream = mix(options.seed * 1000003 + r);
    fillElements(inputData[r], options.element, options.reduction, stream,
                 options.special);
    if (options.reduction == Reduction::PremulSum)
      scales.push_back(randomScale(options.element, mix(~stream)));
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
  evaluateOracle(manifest, rank, count, inputs(), data->data(), scales);
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
