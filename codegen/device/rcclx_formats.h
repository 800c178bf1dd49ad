//===- rcclx_formats.h - Element types --------------------------*- C++ -*-===//
//
// Part of rcclx. An element type has its width, its accumulator and the
// conversions between zero-extended bits (Word, or the lanes of a group) and
// the accumulator. `canonical` leaves no NaN but the canonical one, and so
// never the all-ones pattern.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_FORMATS_H
#define RCCLX_FORMATS_H

#include "rcclx_lanes.h"

namespace rx {

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

struct F64 {
  typedef double Acc;
  typedef u64 Word;
  static constexpr u32 bytes = 8;
#if defined(RX_LANES)
  typedef u64x2 Lanes;
#endif
  template <typename V> RX_FN auto widen(V v) { return asFloat(v); }
  template <typename V> RX_FN auto narrow(V v) {
    typedef typename Lane<V>::Bits Bits;
    return isNaN(v) ? Bits(0x7ff8000000000000ull) : asBits(v);
  }
  template <typename V> RX_FN V canonical(V v) {
    return (v & V(0x7fffffffffffffffull)) > V(0x7ff0000000000000ull)
               ? V(0x7ff8000000000000ull)
               : v;
  }
};

struct F32 {
  typedef float Acc;
  typedef u32 Word;
  static constexpr u32 bytes = 4;
#if defined(RX_LANES)
  typedef lanes4 Lanes;
#endif
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
  typedef u32 Word;
  static constexpr u32 bytes = 2;
#if defined(RX_LANES)
  typedef lanes8 Lanes;
#endif
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
  typedef u32 Word;
  static constexpr u32 bytes = 2;
  RX_FN float widen(u32 v) { return widenF16(static_cast<u16>(v)); }
  RX_FN u32 narrow(float v) { return isNaN(v) ? 0x7e00u : narrowF16(v); }
  template <typename V> RX_FN V canonical(V v) {
    return (v & V(0x7fffu)) > V(0x7c00u) ? V(0x7e00u) : v;
  }
#if defined(RX_LANES)
  typedef lanes8 Lanes;
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

/// Eight bits with `Mantissa` of them stored. The magnitudes up to Largest are
/// finite, those above LastNumber NaN. In integer arithmetic on every target:
/// the conversions that some have differ in the NaN, in infinities, and in the
/// format itself (gfx942 has another bias).
template <u32 Mantissa, u32 Bias, u32 Largest, u32 LastNumber, u32 NaN>
struct F8 {
  typedef float Acc;
  typedef u32 Word;
  static constexpr u32 bytes = 1;
  static constexpr u32 shift = 23 - Mantissa;
#if defined(RX_LANES)
  typedef lanes16 Lanes;
#endif
  template <typename V> RX_FN auto widen(V v) {
    // The value bits in place, then scaled exactly from f32's bias to this.
    V magnitude = (v & V(0x7fu)) << V(shift);
    V scaled = asBits(asFloat(magnitude) * asFloat(V((254u - Bias) << 23)));
    V wide =
        (v & V(0x7fu)) > V(Largest) ? V(magnitude | V(0x7f800000u)) : scaled;
    return asFloat(V(wide | (v & V(0x80u)) << V(24u)));
  }
  /// To nearest even. What exceeds the largest finite value becomes it,
  /// infinities included.
  template <typename V> RX_FN auto narrow(V v) {
    typedef typename Lane<V>::Bits Bits;
    constexpr u32 magic = (151u - Bias - Mantissa) << 23;
    Bits bits = asBits(v), magnitude = bits & Bits(0x7fffffffu);
    Bits odd = (magnitude >> Bits(shift)) & Bits(1u);
    Bits normal = (magnitude - Bits((127u - Bias) << 23) +
                   Bits((1u << (shift - 1)) - 1) + odd) >>
                  Bits(shift);
    normal = normal > Bits(Largest) ? Bits(Largest) : normal;
    // A denormal: `magic` is so large that the addition rounds to its units.
    Bits tiny = asBits(asFloat(magnitude) + asFloat(Bits(magic))) - Bits(magic);
    Bits number = magnitude < Bits((128u - Bias) << 23) ? tiny : normal;
    number = number | ((bits >> Bits(24u)) & Bits(0x80u));
    return isNaN(v) ? Bits(NaN) : number;
  }
  template <typename V> RX_FN V canonical(V v) {
    return (v & V(0x7fu)) > V(LastNumber) ? V(NaN) : v;
  }
};
struct F8E4M3FN : F8<3, 7, 0x7e, 0x7e, 0x7f> {};
struct F8E5M2 : F8<2, 15, 0x7b, 0x7c, 0x7e> {};

//===----------------------------------------------------------------------===//
// Integers: accumulated as they are
//===----------------------------------------------------------------------===//

template <typename A, typename W> struct Integer {
  typedef A Acc;
  typedef W Word;
  static constexpr u32 bytes = sizeof(A);
  RX_FN A widen(W v) { return static_cast<A>(v); }
  RX_FN W narrow(A v) { return static_cast<W>(asBits(v)); }
};
#if defined(RX_LANES)
#define RX_INTEGER(NAME, ACC, WORD, VECTOR, BITS)                              \
  struct NAME : Integer<ACC, WORD> {                                           \
    typedef BITS Lanes;                                                        \
    using Integer::narrow;                                                     \
    using Integer::widen;                                                      \
    RX_FN VECTOR widen(BITS v) { return __builtin_bit_cast(VECTOR, v); }       \
    RX_FN BITS narrow(VECTOR v) { return __builtin_bit_cast(BITS, v); }        \
  };
#else
#define RX_INTEGER(NAME, ACC, WORD, VECTOR, BITS)                              \
  struct NAME : Integer<ACC, WORD> {};
#endif
RX_INTEGER(I8, i8, u32, i8x16, u8x16)
RX_INTEGER(U8, u8, u32, u8x16, u8x16)
RX_INTEGER(I32, i32, u32, i32x4, lanes4)
RX_INTEGER(U32, u32, u32, lanes4, lanes4)
RX_INTEGER(I64, i64, u64, i64x2, u64x2)
RX_INTEGER(U64, u64, u64, u64x2, u64x2)

//===----------------------------------------------------------------------===//
// In memory
//===----------------------------------------------------------------------===//

/// The unsigned type of an element in memory.
template <u32 Bytes> struct Stored;
template <> struct Stored<1> {
  typedef u8 Type;
};
template <> struct Stored<2> {
  typedef u16 Type;
};
template <> struct Stored<4> {
  typedef u32 Type;
};
template <> struct Stored<8> {
  typedef u64 Type;
};

template <typename T> struct Elements {
  static constexpr u32 perGroup = groupBytes / T::bytes;
  typedef typename Stored<T::bytes>::Type Memory;
  /// Element i of a group, zero-extended.
  RX_FN typename T::Word get(const Group &g, u32 i) {
    if constexpr (T::bytes == 8)
      return g.word[2 * i] | static_cast<u64>(g.word[2 * i + 1]) << 32;
    else
      return static_cast<Memory>(g.word[i * T::bytes / 4] >>
                                 (i * T::bytes % 4 * 8));
  }
  /// Puts element i, which must be zero before.
  RX_FN void put(Group &g, u32 i, typename T::Word v) {
    if constexpr (T::bytes == 8) {
      g.word[2 * i] = static_cast<u32>(v);
      g.word[2 * i + 1] = static_cast<u32>(v >> 32);
    } else {
      g.word[i * T::bytes / 4] |= v << (i * T::bytes % 4 * 8);
    }
  }
};

} // namespace rx

#endif // RCCLX_FORMATS_H
