//===- rcclx_numeric.h - Reductions of element groups -----------*- C++ -*-===//
//
// Part of rcclx. The arithmetic of docs/Numerics.md, the same on every target
// and equal, bit for bit, to the runtime's oracle. No contraction, no fast
// math: the compilers' flags say so too.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_NUMERIC_H
#define RCCLX_NUMERIC_H

#include "rcclx_formats.h"

namespace rx {

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Bounds of the integer accumulators.
template <typename A> struct Bounds {
  static constexpr bool isSigned = static_cast<A>(-1) < static_cast<A>(0);
  static constexpr u64 ones = ~static_cast<u64>(0) >> (64 - 8 * sizeof(A));
  static constexpr A most = static_cast<A>(isSigned ? ones >> 1 : ones);
  static constexpr A least = static_cast<A>(isSigned ? ~(ones >> 1) : 0);
};

/// Integers are divided truncating towards zero; the world may exceed eight
/// bits.
template <u32 World, typename V> RX_FN V divideByWorld(V a) {
  return a / V(static_cast<i32>(World));
}
template <u32 World> RX_FN i8 divideByWorld(i8 a) {
  return static_cast<i8>(a / static_cast<i32>(World));
}
template <u32 World> RX_FN u8 divideByWorld(u8 a) {
  return static_cast<u8>(a / static_cast<i32>(World));
}
#if defined(RX_LANES)
template <u32 World> RX_FN i8x16 divideByWorld(i8x16 a) {
  return __builtin_convertvector(
      divideByWorld<World>(__builtin_convertvector(a, i32x16)), i8x16);
}
template <u32 World> RX_FN u8x16 divideByWorld(u8x16 a) {
  return __builtin_convertvector(
      divideByWorld<World>(__builtin_convertvector(a, i32x16)), u8x16);
}
#endif

/// Operations by tag, over one accumulator or the lanes of a group.
template <typename Op> struct Reduction;
template <> struct Reduction<Sum> {
  template <typename A> RX_FN A identity(A) {
    if constexpr (Lane<A>::isFloat)
      return static_cast<A>(-0.0f);
    else
      return 0;
  }
  template <typename V> RX_FN V combine(V a, V b) {
    if constexpr (Lane<V>::isFloat) {
      return a + b;
    } else { // unsigned: overflow wraps
      typedef typename Lane<V>::Bits Bits;
      return __builtin_bit_cast(V, Bits(asBits(a) + asBits(b)));
    }
  }
  template <u32 World, typename V> RX_FN V finish(V a) { return a; }
};
/// The input is multiplied before: `prescale`.
template <> struct Reduction<PremulSum> : Reduction<Sum> {};
template <> struct Reduction<Avg> : Reduction<Sum> {
  template <u32 World, typename V> RX_FN V finish(V a) {
    return divideByWorld<World>(a);
  }
};
template <> struct Reduction<Prod> {
  template <typename A> RX_FN A identity(A) { return 1; }
  template <typename V> RX_FN V combine(V a, V b) {
    if constexpr (Lane<V>::isFloat) {
      return a * b;
    } else {
      typedef typename Lane<V>::Bits Bits;
      return __builtin_bit_cast(V, Bits(asBits(a) * asBits(b)));
    }
  }
  template <u32 World, typename V> RX_FN V finish(V a) { return a; }
};
/// Floats: IEEE 754-2019 maximumNumber: a number beats NaN, +0 beats -0.
template <> struct Reduction<Max> {
  template <typename A> RX_FN A identity(A) {
    if constexpr (Lane<A>::isFloat)
      return static_cast<A>(asFloat(0x7fc00000u));
    else
      return Bounds<A>::least;
  }
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
/// Floats: minimumNumber: a number beats NaN, -0 beats +0.
template <> struct Reduction<Min> {
  template <typename A> RX_FN A identity(A) {
    if constexpr (Lane<A>::isFloat)
      return static_cast<A>(asFloat(0x7fc00000u));
    else
      return Bounds<A>::most;
  }
  template <typename V> RX_FN V combine(V a, V b) {
    V smaller = a < b ? a : b;
    if constexpr (Lane<V>::isFloat) {
      V equal = asFloat(asBits(a) | asBits(b)); // of +0 and -0: -0
      V numbers = a == b ? equal : smaller;
      V other = isNaN(b) ? a : numbers;
      return isNaN(a) ? b : other;
    } else {
      return smaller;
    }
  }
  template <u32 World, typename V> RX_FN V finish(V a) { return a; }
};

/// The scale of premul_sum, from the kernel's parameters.
template <typename A> RX_FN A scaleOf(u64 bits) {
  if constexpr (!Lane<A>::isFloat)
    return static_cast<A>(bits);
  else if constexpr (sizeof(A) == 8)
    return asFloat(bits);
  else
    return asFloat(static_cast<u32>(bits));
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

#if defined(RX_LANES)
/// The elements of a group, zero-extended, and back.
template <typename T> RX_FN typename T::Lanes unpack(Group g) {
  typedef typename T::Lanes Lanes;
  if constexpr (sizeof(Lanes) == groupBytes)
    return __builtin_bit_cast(Lanes, g);
  else if constexpr (T::bytes == 2)
    return __builtin_convertvector(__builtin_bit_cast(u16x8, g), Lanes);
  else
    return __builtin_convertvector(__builtin_bit_cast(u8x16, g), Lanes);
}
template <typename T> RX_FN Group pack(typename T::Lanes v) {
  if constexpr (sizeof(v) == groupBytes)
    return __builtin_bit_cast(Group, v);
  else if constexpr (T::bytes == 2)
    return __builtin_bit_cast(Group, __builtin_convertvector(v, u16x8));
  else
    return __builtin_bit_cast(Group, __builtin_convertvector(v, u8x16));
}

/// A running reduction of one group.
template <typename T> struct Acc {
  decltype(T::widen(typename T::Lanes{})) v;
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
template <typename T> RX_FN Group multiply(Group g, typename T::Acc scale) {
  return round<T>(Acc<T>{Reduction<Prod>::combine(T::widen(unpack<T>(g)),
                                                  decltype(Acc<T>::v)(scale))});
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
template <typename T> RX_FN Group multiply(Group g, typename T::Acc scale) {
  Acc<T> a;
  for (u32 i = 0; i < Elements<T>::perGroup; ++i)
    a.v[i] = Reduction<Prod>::combine(T::widen(Elements<T>::get(g, i)), scale);
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
