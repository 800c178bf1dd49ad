//===- Hash.cpp - XXH64 of files, XXH3 of keys ----------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Hash.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rcclx::runtime {

uint64_t xxh64(std::string_view bytes) {
  return XXH64(bytes.data(), bytes.size(), 0);
}

std::string xxh128Hex(std::string_view bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

} // namespace rcclx::runtime
