//===- rcclx_numeric.h - Element types and reductions -----------*- C++ -*-===//
//
// Part of rcclx. The arithmetic of docs/Numerics.md, the same on every target
// and equal, bit for bit, to the runtime's oracle. No contraction, no fast
// math: the compilers' flags say so too.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_NUMERIC_H
#define RCCLX_NUMERIC_H

#include "rcclx_types.h"

namespace rx {

RX_FN float asFloat(u32 v) { return __builtin_bit_cast(float, v); }
RX_FN u32 asBits(float v) { return __builtin_bit_cast(u32, v); }

/// An element type: its width, its accumulator, and both conversions.
/// `sentinel` is the bit pattern that no canonical value has.
struct F32 {
  typedef float Acc;
  static constexpr u32 bytes = 4;
  RX_FN Acc widen(u32 v) { return asFloat(v); }
  RX_FN u32 narrow(Acc v) { return v != v ? 0x7fc00000u : asBits(v); }
  RX_FN u32 canonical(u32 v) {
    return (v & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : v;
  }
};
struct BF16 {
  typedef float Acc;
  static constexpr u32 bytes = 2;
  RX_FN Acc widen(u32 v) { return asFloat(v << 16); }
  RX_FN u32 narrow(Acc v) {
    u32 bits = asBits(v);
    return v != v ? 0x7fc0u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  }
  RX_FN u32 canonical(u32 v) { return (v & 0x7fffu) > 0x7f80u ? 0x7fc0u : v; }
};
struct F16 {
  typedef float Acc;
  static constexpr u32 bytes = 2;
  RX_FN Acc widen(u32 v) { return widenF16(static_cast<u16>(v)); }
  RX_FN u32 narrow(Acc v) { return v != v ? 0x7e00u : narrowF16(v); }
  RX_FN u32 canonical(u32 v) { return (v & 0x7fffu) > 0x7c00u ? 0x7e00u : v; }
};
struct I32 {
  typedef i32 Acc;
  static constexpr u32 bytes = 4;
  RX_FN Acc widen(u32 v) { return static_cast<i32>(v); }
  RX_FN u32 narrow(Acc v) { return static_cast<u32>(v); }
};

template <typename T> struct Elements {
  static constexpr u32 perGroup = groupBytes / T::bytes;
  /// Element i of a group, zero-extended.
  RX_FN u32 get(const Group &g, u32 i) {
    if constexpr (T::bytes == 4)
      return g.word[i];
    else
      return g.word[i / 2] >> (i % 2 * 16) & 0xffffu;
  }
  /// Puts element i, which must be zero before.
  RX_FN void put(Group &g, u32 i, u32 v) {
    if constexpr (T::bytes == 4)
      g.word[i] = v;
    else
      g.word[i / 2] |= v << (i % 2 * 16);
  }
};

/// A running reduction of one group.
template <typename T> struct Acc {
  typename T::Acc v[Elements<T>::perGroup];
};

/// Operations by tag and accumulator type.
template <typename Op> struct Reduction;
template <> struct Reduction<Sum> {
  RX_FN float identity(float) { return -0.0f; }
  RX_FN i32 identity(i32) { return 0; }
  RX_FN float combine(float a, float b) { return a + b; }
  // Unsigned: overflow wraps.
  RX_FN i32 combine(i32 a, i32 b) {
    return static_cast<i32>(static_cast<u32>(a) + static_cast<u32>(b));
  }
  template <u32 World, typename A> RX_FN A finish(A a) { return a; }
};
template <> struct Reduction<Avg> : Reduction<Sum> {
  template <u32 World> RX_FN float finish(float a) {
    return a / static_cast<float>(World);
  }
  template <u32 World> RX_FN i32 finish(i32 a) {
    return a / static_cast<i32>(World);
  }
};
template <> struct Reduction<Max> {
  RX_FN float identity(float) { return asFloat(0x7fc00000u); }
  RX_FN i32 identity(i32) { return -2147483647 - 1; }
  /// IEEE 754-2019 maximumNumber: a number beats NaN, +0 beats -0.
  RX_FN float combine(float a, float b) {
    float larger = a > b ? a : b;
    float equal = asFloat(asBits(a) & asBits(b)); // of +0 and -0: +0
    float numbers = a == b ? equal : larger;
    return a != a ? b : b != b ? a : numbers;
  }
  RX_FN i32 combine(i32 a, i32 b) { return a > b ? a : b; }
  template <u32 World, typename A> RX_FN A finish(A a) { return a; }
};

template <typename T, typename Op> RX_FN Acc<T> identity() {
  Acc<T> a;
  for (u32 i = 0; i < Elements<T>::perGroup; ++i)
    a.v[i] = Reduction<Op>::identity(typename T::Acc{});
  return a;
}

template <typename T, typename Op> RX_FN Acc<T> reduce(Acc<T> a, Group g) {
  for (u32 i = 0; i < Elements<T>::perGroup; ++i)
    a.v[i] = Reduction<Op>::combine(a.v[i], T::widen(Elements<T>::get(g, i)));
  return a;
}

template <typename T> RX_FN Group round(Acc<T> a) {
  Group g = {{0, 0, 0, 0}};
  for (u32 i = 0; i < Elements<T>::perGroup; ++i)
    Elements<T>::put(g, i, T::narrow(a.v[i]));
  return g;
}

template <typename T, typename Op, u32 World> RX_FN Group finish(Acc<T> a) {
  for (u32 i = 0; i < Elements<T>::perGroup; ++i)
    a.v[i] = Reduction<Op>::template finish<World>(a.v[i]);
  return round<T>(a);
}

} // namespace rx

#endif // RCCLX_NUMERIC_H
