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

Expected<UniqueId> UniqueId::create() {
  UniqueId id = {};
  uint64_t random[2];
  if (getrandom(id.token.data(), id.token.size(), 0) !=
          ssize_t(id.token.size()) ||
      getrandom(random, sizeof(random), 0) != ssize_t(sizeof(random)))
    return systemError(errno, "getrandom");
  memcpy(id.magic, idMagic, sizeof(idMagic));
  std::string name =
      fmt::format("{}{:016x}{:016x}", namePrefix, random[0], random[1]);
  memcpy(id.name, name.data(), name.size());
  id.checksum = checksumOf(id);
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
