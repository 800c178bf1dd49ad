//===- UniqueId.h - Where the ranks of a communicator meet ------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_BOOTSTRAP_UNIQUEID_H
#define RCCLX_RUNTIME_BOOTSTRAP_UNIQUEID_H

#include "rcclx/Runtime/Status.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace rcclx::runtime {

/// 128 bytes that users pass from rank to rank. It names rank 0's socket, in
/// the abstract namespace (it vanishes with its last descriptor, and the file
/// system never sees it), and holds the secret that a rank must show there.
struct UniqueId {
  char magic[8];
  std::array<uint8_t, 16> token;
  char name[64]; // of the socket; null-terminated, zero-padded
  uint8_t reserved[32];
  uint64_t checksum; // XXH64 of all that is before

  /// A new random id. System when the kernel gives no random bytes.
  static Expected<UniqueId> create();
  /// The id that `text` gives, on whichever rank. Not a secret: who guesses
  /// the text can take the name, but not join, as only this user's processes
  /// may (Control::hello, Hub::admit).
  static UniqueId derive(std::string_view text);
  /// InvalidArgument unless this is an id that the above made.
  Status check() const;

private:
  void name128(std::string_view hex);
};
static_assert(sizeof(UniqueId) == 128, "the id is part of the C ABI");

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_BOOTSTRAP_UNIQUEID_H
