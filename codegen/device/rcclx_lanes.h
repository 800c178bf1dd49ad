//===- rcclx_lanes.h - One element, or all of a group -----------*- C++ -*-===//
//
// Part of rcclx. Clang works on all elements of a group at once, as a vector;
// NVRTC has no vector types and goes through them one by one. The formulas of
// the parts below are the same. Tests run that form too (RX_NO_LANES).
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_LANES_H
#define RCCLX_LANES_H

#include "rcclx_types.h"

#if defined(__clang__) && !defined(__CUDACC__) && !defined(RX_NO_LANES)
#define RX_LANES 1
#endif

namespace rx {

/// For one lane type, the types of the same number and width of lanes.
template <typename V> struct Lane;
#define RX_INTEGER_LANE(INT, BITS)                                             \
  template <> struct Lane<INT> {                                               \
    typedef INT Int;                                                           \
    typedef BITS Bits;                                                         \
    static constexpr bool isFloat = false;                                     \
  };                                                                           \
  template <> struct Lane<BITS> : Lane<INT> {};
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
RX_LANE(double, i64, u64)
RX_INTEGER_LANE(i8, u8)

#if defined(RX_LANES)
#define RX_VECTOR(N) __attribute__((ext_vector_type(N)))
typedef float f32x4 RX_VECTOR(4);
typedef float f32x8 RX_VECTOR(8);
typedef float f32x16 RX_VECTOR(16);
typedef double f64x2 RX_VECTOR(2);
typedef i8 i8x16 RX_VECTOR(16);
typedef i32 i32x4 RX_VECTOR(4);
typedef i32 i32x8 RX_VECTOR(8);
typedef i32 i32x16 RX_VECTOR(16);
typedef i64 i64x2 RX_VECTOR(2);
typedef u8 u8x16 RX_VECTOR(16);
typedef u16 u16x8 RX_VECTOR(8);
typedef u32 lanes4 RX_VECTOR(4);
typedef u32 lanes8 RX_VECTOR(8);
typedef u32 lanes16 RX_VECTOR(16);
typedef u64 u64x2 RX_VECTOR(2);
RX_LANE(f32x4, i32x4, lanes4)
RX_LANE(f32x8, i32x8, lanes8)
RX_LANE(f32x16, i32x16, lanes16)
RX_LANE(f64x2, i64x2, u64x2)
RX_INTEGER_LANE(i8x16, u8x16)
#endif

template <typename V> RX_FN typename Lane<V>::Float asFloat(V v) {
  return __builtin_bit_cast(typename Lane<V>::Float, v);
}
template <typename V> RX_FN typename Lane<V>::Bits asBits(V v) {
  return __builtin_bit_cast(typename Lane<V>::Bits, v);
}

/// By lane: a NaN alone differs from itself.
template <typename V> RX_FN auto isNaN(V v) {
  return v != v; // NOLINT(misc-redundant-expression)
}

} // namespace rx

#endif // RCCLX_LANES_H
