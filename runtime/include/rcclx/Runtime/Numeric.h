//===- Numeric.h - Arithmetic of docs/Numerics.md ---------------*- C++ -*-===//
//
// Part of rcclx. Written independently of the device header: it is what
// kernels are compared with.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_NUMERIC_H
#define RCCLX_RUNTIME_NUMERIC_H

#include <bit>
#include <cstdint>

namespace rcclx::runtime {

inline constexpr uint32_t canonicalNanF32 = 0x7fc00000;
inline constexpr uint16_t canonicalNanF16 = 0x7e00;
inline constexpr uint16_t canonicalNanBf16 = 0x7fc0;

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

/// NaN becomes the canonical one.
inline float roundF32(float value) {
  return value != value ? std::bit_cast<float>(canonicalNanF32) : value;
}

/// IEEE 754-2019 maximumNumber: a number beats NaN, +0 beats -0.
inline float maximumNumber(float a, float b) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  if (a == b) // equal, or zeros: the sign bit survives only in both
    return std::bit_cast<float>(std::bit_cast<uint32_t>(a) &
                                std::bit_cast<uint32_t>(b));
  return a > b ? a : b;
}

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_NUMERIC_H
