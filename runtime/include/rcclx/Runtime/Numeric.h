//===- Numeric.h - Arithmetic of docs/Numerics.md ---------------*- C++ -*-===//
//
// Part of rcclx. Written independently of the device header: it is what
// kernels are compared with.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_NUMERIC_H
#define RCCLX_RUNTIME_NUMERIC_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace rcclx::runtime {

inline constexpr uint32_t canonicalNanF32 = 0x7fc00000;
inline constexpr uint16_t canonicalNanF16 = 0x7e00;
inline constexpr uint16_t canonicalNanBf16 = 0x7fc0;
inline constexpr uint64_t canonicalNanF64 = 0x7ff8000000000000;

/// Exact.
inline float widenBf16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// To nearest even; NaN becomes the canonical one. Branch-free, for vectors.
inline uint16_t roundBf16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  bool isNan = (bits & 0x7fffffff) > 0x7f800000;
  return isNan ? canonicalNanBf16 : uint16_t(rounded);
}

/// Exact; keeps a NaN a NaN.
inline float widenF16(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t magnitude = bits & 0x7fff;
  // Normal numbers: exponents move from bias 15 to bias 127.
  uint32_t normal = (magnitude << 13) + (112u << 23);
  // Infinity and NaN: the exponent is all ones.
  uint32_t special = (magnitude << 13) | 0x7f800000;
  // Denormals: multiples of 2^-24, exact in a float.
  uint32_t denormal = std::bit_cast<uint32_t>(float(magnitude) * 0x1p-24f);
  uint32_t result = magnitude >= 0x7c00  ? special
                    : magnitude < 0x0400 ? denormal
                                         : normal;
  return std::bit_cast<float>(sign | result);
}

/// To nearest even; 65520 and more to infinity; denormals kept; NaN becomes the
/// canonical one.
inline uint16_t roundF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = bits >> 16 & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return canonicalNanF16;
  if (magnitude >= 0x477ff000) // 65520: half way to what would be 2^16
    return uint16_t(sign | 0x7c00);
  if (magnitude < 0x38800000) {
    // Below 2^-14: units of 2^-24. Adding 2^23 units makes the float addition
    // round to whole units.
    float units = std::bit_cast<float>(magnitude) * 0x1p24f + 0x1p23f;
    return uint16_t(sign | (std::bit_cast<uint32_t>(units) - 0x4b000000));
  }
  uint32_t rebased = magnitude - (112u << 23);
  return uint16_t(sign | ((rebased + 0xfff + (rebased >> 13 & 1)) >> 13));
}

/// An 8-bit float: `mantissa` bits of it are stored. Codes (without the sign)
/// up to `largest` are finite; `nan` is the canonical NaN.
struct Format8 {
  int mantissa, minExponent;
  uint8_t largest, infinity, nan; // infinity: 0 where there is none
};
inline constexpr Format8 formatE4M3 = {3, -6, 0x7e, 0, 0x7f};
inline constexpr Format8 formatE5M2 = {2, -14, 0x7b, 0x7c, 0x7e};

/// 2^exponent, of a normal f32.
constexpr float power2(int exponent) {
  return std::bit_cast<float>(uint32_t(exponent + 127) << 23);
}

/// Exact.
template <Format8 format> float widenF8(uint8_t bits) {
  int magnitude = bits & 0x7f, field = magnitude >> format.mantissa;
  int fraction = magnitude & ((1 << format.mantissa) - 1);
  int exponent = std::max(field, 1) - 1 + format.minExponent;
  int leading = field ? 1 << format.mantissa : 0;
  float value = float(leading + fraction) * power2(exponent - format.mantissa);
  if (magnitude > format.largest)
    value = std::bit_cast<float>(format.infinity && magnitude == format.infinity
                                     ? 0x7f800000
                                     : canonicalNanF32);
  return bits & 0x80 ? -value : value;
}

/// To nearest even; what exceeds the largest finite value becomes it,
/// infinities included; denormals kept; NaN becomes the canonical one.
template <Format8 format> uint8_t roundF8(float value) {
  if (value != value)
    return format.nan;
  uint8_t sign = std::bit_cast<uint32_t>(value) >> 31 ? 0x80 : 0;
  float magnitude =
      std::min(sign ? -value : value, widenF8<format>(format.largest));
  int exponent = std::max(int(std::bit_cast<uint32_t>(magnitude) >> 23) - 127,
                          format.minExponent);
  // In units of the last place, exactly; 2^23 more, and the addition rounds.
  float units = magnitude * power2(format.mantissa - exponent) + 0x1p23f;
  uint32_t whole = std::bit_cast<uint32_t>(units) - 0x4b000000;
  // Denormals and normals are one sequence of codes: a carry goes on into the
  // exponent.
  return uint8_t(sign | (whole + (uint32_t(exponent - format.minExponent)
                                  << format.mantissa)));
}

/// NaN becomes the canonical one.
inline double roundF64(double value) {
  return value != value ? std::bit_cast<double>(canonicalNanF64) : value;
}
/// NaN becomes the canonical one.
inline float roundF32(float value) {
  return value != value ? std::bit_cast<float>(canonicalNanF32) : value;
}

/// IEEE 754-2019 maximumNumber: a number beats NaN, +0 beats -0. Branch-free,
/// for vectors.
template <typename T> T maximumNumber(T a, T b) {
  T equal = std::signbit(a) ? b : a; // of zeros: the positive one
  T numbers = a == b ? equal : a > b ? a : b;
  T either = std::isnan(b) ? a : numbers;
  return std::isnan(a) ? b : either;
}

/// minimumNumber: a number beats NaN, -0 beats +0.
template <typename T> T minimumNumber(T a, T b) {
  return -maximumNumber(-a, -b);
}

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_NUMERIC_H
