//===- UniqueId.cpp - Where the ranks of a communicator meet --------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "UniqueId.h"

#include "../plan/Hash.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/random.h>

namespace rcclx::runtime {

static constexpr char idMagic[8] = {'r', 'c', 'c', 'l', 'x', 'i', 'd', '1'};
static constexpr std::string_view namePrefix = "rcclx-";
static constexpr size_t nameLength = 6 + 32;

static uint64_t checksumOf(const UniqueId &id) {
  return xxh64(
      {reinterpret_cast<const char *>(&id), offsetof(UniqueId, checksum)});
}

/// Completes an id with its token: names the socket by 32 hex digits.
void UniqueId::name128(std::string_view hex) {
  memcpy(magic, idMagic, sizeof(idMagic));
  std::string full = std::string(namePrefix) + std::string(hex);
  memcpy(name, full.data(), full.size());
  checksum = checksumOf(*this);
}

Expected<UniqueId> UniqueId::create() {
  UniqueId id = {};
  uint64_t random[2];
  if (getrandom(id.token.data(), id.token.size(), 0) !=
          ssize_t(id.token.size()) ||
      getrandom(random, sizeof(random), 0) != ssize_t(sizeof(random)))
    return systemError(errno, "getrandom");
  id.name128(fmt::format("{:016x}{:016x}", random[0], random[1]));
  return id;
}

UniqueId UniqueId::derive(std::string_view text) {
  UniqueId id = {};
  std::string token = xxh128Hex(fmt::format("token {}", text));
  memcpy(id.token.data(), token.data(), id.token.size());
  id.name128(xxh128Hex(fmt::format("name {}", text)));
  return id;
}

Status UniqueId::check() const {
  if (memcmp(magic, idMagic, sizeof(magic)) != 0 ||
      checksum != checksumOf(*this) ||
      strnlen(name, sizeof(name)) != nameLength ||
      !std::string_view(name).starts_with(namePrefix))
    return makeError(Code::InvalidArgument,
                     "the unique id is damaged or of another version");
  return Status();
}

} // namespace rcclx::runtime
