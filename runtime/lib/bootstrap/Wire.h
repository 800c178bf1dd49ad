//===- Wire.h - Messages between ranks and the hub --------------*- C++ -*-===//
//
// Part of rcclx. One node, one architecture, one build of rcclx (checked in
// Hello): structs travel as they are. Every field is checked by its reader.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_BOOTSTRAP_WIRE_H
#define RCCLX_RUNTIME_BOOTSTRAP_WIRE_H

#include "Socket.h"
#include "rcclx/Runtime/Device.h"

#include <array>
#include <cstring>
#include <type_traits>

namespace rcclx::runtime::wire {

inline constexpr uint32_t magic = 0x78636372; // "rccx"
/// Changes with every change of a message or of the shared memory's layout.
inline constexpr uint32_t protocolVersion = 2;

enum class Type : uint32_t {
  Hello = 1,     // rank -> hub: Hello, with the descriptor of its memory
  Refused = 2,   // hub -> rank: FailureHead, text. The hub closes then
  Table = 3,     // hub -> rank: one TableEntry per rank
  Memory = 4,    // hub -> rank: ranks (uint32_t each), one descriptor for each
  Ready = 5,     // rank -> hub: it has mapped all that it was sent so far
  Gather = 6,    // rank -> hub: GatherHead, bytes
  Gathered = 7,  // hub -> rank: GatherHead, then per rank: uint32_t size, bytes
  Failure = 8,   // rank -> hub -> others: FailureHead, text
  Leave = 9,     // rank -> hub -> others: LeaveBody. It makes no more calls
  Bye = 10,      // rank -> hub: its calls have ended; hub -> rank: it may go
  HubAt = 11,    // hub -> rank: HubAtBody. Where the hub will be
  Handover = 12, // hub -> the next: HandoverHead, HandoverEntry for each
                 // descriptor with it, which is the hub's end of a socket
  CannotJoin = 13, // rank -> hub, instead of Hello: Hello, text
};

/// In front of every message.
struct Header {
  uint32_t magic;
  Type type;
};

struct Hello {
  std::array<uint8_t, 16> token;
  uint32_t protocolVersion;
  uint32_t paramsVersion;
  uint64_t regionBytes;
  uint32_t rank;
  uint32_t world;
  MemoryName memory;
};

struct TableEntry {
  int64_t process; // id
  MemoryName memory;
};

struct GatherHead {
  uint64_t sequence;
  uint64_t timeoutMs;
};

struct FailureHead {
  uint32_t culprit;
  uint32_t code; // of Code
};

struct LeaveBody {
  uint32_t rank;
  uint32_t reserved;
  uint64_t calls; // that the rank has issued
};

struct HubAtBody {
  uint32_t rank; // noHub: there will be none
  uint32_t reserved;
};
inline constexpr uint32_t noHub = ~0u;

struct HandoverHead {
  uint64_t gatherSequence;
  uint32_t more; // not 0: another message of this kind follows
  uint32_t reserved;
};

struct HandoverEntry {
  int64_t process;
  uint32_t rank;
  uint32_t left;
};

/// Builds one message.
class Writer {
public:
  explicit Writer(Type type) { put(Header{magic, type}); }
  template <typename T> Writer &put(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(T));
    return *this;
  }
  Writer &putText(std::string_view text) {
    bytes.append(text);
    return *this;
  }
  const std::string &get() const { return bytes; }

private:
  std::string bytes;
};

/// Reads one message; a read past the end fails and changes nothing.
class Reader {
public:
  explicit Reader(std::string_view bytes) : left(bytes) {}
  template <typename T> bool get(T &out) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (left.size() < sizeof(T))
      return false;
    memcpy(&out, left.data(), sizeof(T));
    left.remove_prefix(sizeof(T));
    return true;
  }
  bool getBytes(size_t size, std::string_view &out) {
    if (left.size() < size)
      return false;
    out = left.substr(0, size);
    left.remove_prefix(size);
    return true;
  }
  /// The header's type; false when the header is not one of this protocol.
  bool getType(Type &out) {
    Header header;
    if (!get(header) || header.magic != magic)
      return false;
    out = header.type;
    return true;
  }
  std::string_view rest() const { return left; }
  bool atEnd() const { return left.empty(); }

private:
  std::string_view left;
};

} // namespace rcclx::runtime::wire

#endif // RCCLX_RUNTIME_BOOTSTRAP_WIRE_H
