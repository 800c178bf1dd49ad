//===- Aliasing.cpp - Calls in place --------------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Aliasing.h"

namespace rcclx::runtime {

Expected<bool> isInPlace(const Manifest &manifest, uint32_t rank,
                         const void *input, const void *output,
                         uint64_t count) {
  uint64_t block = count * elementBytes(manifest.element);
  uint64_t in = manifest.inputBlocksOf(rank) * block;
  uint64_t out = manifest.outputBlocksOf(rank) * block;
  auto inBegin = reinterpret_cast<uintptr_t>(input);
  auto outBegin = reinterpret_cast<uintptr_t>(output);
  if (in == 0 || out == 0 || inBegin + in <= outBegin ||
      outBegin + out <= inBegin)
    return false;
  bool same = in == out  ? inBegin == outBegin
              : in < out ? inBegin == outBegin + rank * block
                         : outBegin == inBegin + rank * block;
  if (!same)
    return makeError(Code::InvalidArgument,
                     "rank {}: input and output of {} overlap, but not in "
                     "place; the input is {} bytes, the output {}",
                     rank, manifest.name, in, out);
  return true;
}

} // namespace rcclx::runtime
