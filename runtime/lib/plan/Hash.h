//===- Hash.h - XXH64 of files, XXH3 of keys --------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_PLAN_HASH_H
#define RCCLX_RUNTIME_PLAN_HASH_H

#include <cstdint>
#include <string>
#include <string_view>

namespace rcclx::runtime {

/// XXH64, seed 0: the checksum of manifests.
uint64_t xxh64(std::string_view bytes);
/// XXH3, 128 bits, as 32 hex digits: names of cache entries.
std::string xxh128Hex(std::string_view bytes);

/// Appends `field` with its length, so that no two lists of fields give the
/// same text.
inline void appendField(std::string &key, std::string_view field) {
  key += std::to_string(field.size());
  key += ':';
  key += field;
}

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_PLAN_HASH_H
