//===- rcclx_types.h - Names that the device header owns --------*- C++ -*-===//
//
// Part of rcclx. Freestanding: NVRTC has no stdint names and hipRTC 5.2 no
// uint16_t, so kernels use these only. Compiles as C++17 with clang 15 (hipRTC
// 5.2), clang 22 and NVRTC 13.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TYPES_H
#define RCCLX_TYPES_H

#include "rcclx_params.h"

typedef decltype(sizeof(0)) size_t;
// What EmitC prints for index values in signed comparisons.
typedef decltype(static_cast<char *>(nullptr) -
                 static_cast<char *>(nullptr)) ptrdiff_t;

namespace rx {
typedef signed char i8;
typedef unsigned char u8;
typedef unsigned short u16;
typedef int i32;
typedef rcclx_u32 u32;
typedef rcclx_u64 u64;
typedef long long i64;

/// One element group: the unit of iteration, 16 bytes of elements.
struct alignas(16) Group {
  u32 word[4];
};
constexpr u32 groupBytes = 16;

/// How a message arrives (docs/Protocols.md): where its slots lie in the pair's
/// region, or in the owner's window, and what a slot of one group takes.
struct LL {
  static constexpr u32 offset = RCCLX_LL;
  static constexpr u32 bytesPerGroup = 32;
  static constexpr bool flagInPacket = true;
  static constexpr bool flagInData = false;
  static constexpr bool inWindow = false;
};
struct Sentinel {
  static constexpr u32 offset = RCCLX_SENTINEL;
  static constexpr u32 bytesPerGroup = 16;
  static constexpr bool flagInPacket = false;
  static constexpr bool flagInData = true;
  static constexpr bool inWindow = false;
};
struct Flag {
  static constexpr u32 offset = RCCLX_FLAG;
  static constexpr u32 bytesPerGroup = 16;
  static constexpr bool flagInPacket = false;
  static constexpr bool flagInData = false;
  static constexpr bool inWindow = false;
};
struct Direct {
  static constexpr u32 bytesPerGroup = 16;
  static constexpr bool flagInPacket = false;
  static constexpr bool flagInData = false;
  static constexpr bool inWindow = true;
};

struct Sum {};
struct Prod {};
struct Min {};
struct Max {};
struct Avg {};
struct PremulSum {};
} // namespace rx

#endif // RCCLX_TYPES_H
