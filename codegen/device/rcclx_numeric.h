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

// Clang works on all elements of a group at once, as a vector; NVRTC has no
// vector types and goes through them one by one. The formulas are the same.
#if defined(__clang__) && !defined(__CUDACC__)
#define RX_LANES 1
#endif

namespace rx {

//===----------------------------------------------------------------------===//
// Lanes: one element, or all of a group
//===----------------------------------------------------------------------===//

/// For one lane type, the types of the same number of lanes.
template <typename V> struct Lane;
#define RX_LANE(FLOAT, INT, BITS)                                              \
  template <> struct Lane<FLOAT> {                                             \
    typedef FLOAT Float;                                                       \
    typedef INT Int;                                                           \
    typedef BITS Bits;                                                         \
    static constexpr bool isFloat = true;                                      \
  };                                                                           \
  template <> struct Lane<INT> : Lane<FLOAT> {                                 \
    static constexpr bool isFloat = false;                                     \
  };                                                                           \
  template <> struct Lane<BITS> : Lane<INT> {};
RX_LANE(float, i32, u32)
#if defined(RX_LANES)
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x8 __attribute__((ext_vector_type(8)));
typedef i32 i32x4 __attribute__((ext_vector_type(4)));
typedef i32 i32x8 __attribute__((ext_vector_type(8)));
typedef u32 lanes4 __attribute__((ext_vector_type(4)));
typedef u32 lanes8 __attribute__((ext_vector_type(8)));
typedef u16 halves8 __attribute__((ext_vector_type(8)));
RX_LANE(f32x4, i32x4, lanes4)
RX_LANE(f32x8, i32x8, lanes8)
#endif

template <typename V> RX_FN typename Lane<V>::Float asFloat(V v) {
  return __builtin_bit_cast(typename Lane<V>::Float, v);
}
template <typename V> RX_FN typename Lane<V>::Bits asBits(V v) {
  return __builtin_bit_cast(typename Lane<V>::Bits, v);
}
template <typename V> RX_FN typename Lane<V>::Int asInt(V v) {
  return __builtin_bit_cast(typename Lane<V>::Int, v);
}

/// By lane: a NaN alone differs from itself.
template <typename V> RX_FN auto isNaN(V v) {
  return v != v; // NOLINT(misc-redundant-expression)
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// An element type: its width, its accumulator, and the conversions between
/// zero-extended bits (u32 lanes) and the accumulator. `canonical` leaves no
/// NaN but the canonical one, and so never the all-ones pattern.
struct F32 {
  typedef float Acc;
  static constexpr u32 bytes = 4;
  template <typename V> RX_FN auto widen(V v) { return asFloat(v); }
  template <typename V> RX_FN auto narrow(V v) {
    typedef typename Lane<V>::Bits Bits;
    return isNaN(v) ? Bits(0x7fc00000u) : asBits(v);
  }
  template <typename V> RX_FN V canonical(V v) {
    return (v & V(0x7fffffffu)) > V(0x7f800000u) ? V(0x7fc00000u) : v;
  }
};
struct BF16 {
  typedef float Acc;
  static constexpr u32 bytes = 2;
  template <typename V> RX_FN auto widen(V v) {
    return asFloat(V(v << V(16u)));
  }
  template <typename V> RX_FN auto narrow(V v) {
    typedef typename Lane<V>::Bits Bits;
    Bits bits = asBits(v);
    Bits odd = (bits >> Bits(16u)) & Bits(1u);
    return isNaN(v) ? Bits(0x7fc0u) : (bits + Bits(0x7fffu) + odd) >> Bits(16u);
  }
  template <typename V> RX_FN V canonical(V v) {
    return (v & V(0x7fffu)) > V(0x7f80u) ? V(0x7fc0u) : v;
  }
};
struct F16 {
  typedef float Acc;
  static constexpr u32 bytes = 2;
  RX_FN float widen(u32 v) { return widenF16(static_cast<u16>(v)); }
  RX_FN u32 narrow(float v) { return isNaN(v) ? 0x7e00u : narrowF16(v); }
  template <typename V> RX_FN V canonical(V v) {
    return (v & V(0x7fffu)) > V(0x7c00u) ? V(0x7e00u) : v;
  }
#if defined(RX_LANES)
  RX_FN f32x8 widen(lanes8 v) {
    f32x8 wide;
    for (u32 i = 0; i < 8; ++i)
      wide[i] = widenF16(static_cast<u16>(v[i]));
    return wide;
  }
  RX_FN lanes8 narrow(f32x8 v) {
    lanes8 bits;
    for (u32 i = 0; i < 8; ++i)
      bits[i] = narrow(v[i]);
    return bits;
  }
#endif
};
struct I32 {
  typedef i32 Acc;
  static constexpr u32 bytes = 4;
  template <typename V> RX_FN auto widen(V v) { return asInt(v); }
  template <typename V> RX_FN auto narrow(V v) { return asBits(v); }
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

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Operations by tag, over one accumulator or the lanes of a group.
template <typename Op> struct Reduction;
template <> struct Reduction<Sum> {
  RX_FN float identity(float) { return -0.0f; }
  RX_FN i32 identity(i32) { return 0; }
  template <typename V> RX_FN V combine(V a, V b) {
    if constexpr (Lane<V>::isFloat)
      return a + b;
    else // unsigned: overflow wraps
      return asInt(asBits(a) + asBits(b));
  }
  template <u32 World, typename V> RX_FN V finish(V a) { return a; }
};
template <> struct Reduction<Avg> : Reduction<Sum> {
  template <u32 World, typename V> RX_FN V finish(V a) {
    return a / V(static_cast<i32>(World));
  }
};
template <> struct Reduction<Max> {
  RX_FN float identity(float) { return asFloat(0x7fc00000u); }
  RX_FN i32 identity(i32) { return -2147483647 - 1; }
  /// Floats: IEEE 754-2019 maximumNumber: a number beats NaN, +0 beats -0.
  template <typename V> RX_FN V combine(V a, V b) {
    V larger = a > b ? a : b;
    if constexpr (Lane<V>::isFloat) {
      V equal = asFloat(asBits(a) & asBits(b)); // of +0 and -0: +0
      V numbers = a == b ? equal : larger;
      V other = isNaN(b) ? a : numbers;
      return isNaN(a) ? b : other;
    } else {
      return larger;
    }
  }
  template <u32 World, typename V> RX_FN V finish(V a) { return a; }
};

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

#if defined(RX_LANES)
template <typename T, u32 N = Elements<T>::perGroup> struct LanesOf;
template <typename T> struct LanesOf<T, 4> {
  typedef lanes4 Bits;
};
template <typename T> struct LanesOf<T, 8> {
  typedef lanes8 Bits;
};
/// The elements of a group, zero-extended, and back.
template <typename T> RX_FN typename LanesOf<T>::Bits unpack(Group g) {
  if constexpr (T::bytes == 4)
    return __builtin_bit_cast(lanes4, g);
  else
    return __builtin_convertvector(__builtin_bit_cast(halves8, g), lanes8);
}
template <typename T> RX_FN Group pack(typename LanesOf<T>::Bits v) {
  if constexpr (T::bytes == 4)
    return __builtin_bit_cast(Group, v);
  else
    return __builtin_bit_cast(Group, __builtin_convertvector(v, halves8));
}

/// A running reduction of one group.
template <typename T> struct Acc {
  decltype(T::widen(typename LanesOf<T>::Bits{})) v;
};
template <typename T, typename Op> RX_FN Acc<T> identity() {
  return {decltype(Acc<T>::v)(Reduction<Op>::identity(typename T::Acc{}))};
}
template <typename T, typename Op> RX_FN Acc<T> reduce(Acc<T> a, Group g) {
  return {Reduction<Op>::combine(a.v, T::widen(unpack<T>(g)))};
}
template <typename T> RX_FN Group round(Acc<T> a) {
  return pack<T>(T::narrow(a.v));
}
template <typename T, typename Op, u32 World> RX_FN Group finish(Acc<T> a) {
  return round<T>(Acc<T>{Reduction<Op>::template finish<World>(a.v)});
}
template <typename T> RX_FN Group canonicalGroup(Group g) {
  return pack<T>(T::canonical(unpack<T>(g)));
}
#else
/// A running reduction of one group.
template <typename T> struct Acc {
  typename T::Acc v[Elements<T>::perGroup];
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
template <typename T> RX_FN Group canonicalGroup(Group g) {
  Group v = {{0, 0, 0, 0}};
  for (u32 i = 0; i < Elements<T>::perGroup; ++i)
    Elements<T>::put(v, i, T::canonical(Elements<T>::get(g, i)));
  return v;
}
#endif

} // namespace rx

#endif // RCCLX_NUMERIC_H
