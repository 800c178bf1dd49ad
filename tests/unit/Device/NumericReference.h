//===- NumericReference.h - docs/Numerics.md, written once more -*- C++ -*-===//
//
// Part of rcclx. Slow and plain: by case, in double, 128-bit floats and 128-bit
// integers. It shares nothing with the header that it is compared with, nor
// with the runtime's oracle.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_DEVICE_NUMERICREFERENCE_H
#define RCCLX_TESTS_DEVICE_NUMERICREFERENCE_H

#include "DeviceTesting.h"
#include "rcclx_elements.h"
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace rcclx::device {

/// All element types of the list.
template <typename First, typename... Types> struct TypesAfter {
  using Type = testing::Types<Types...>;
};
#define RCCLX_TYPE(NAME, ...) , rx::NAME
using AllTypes = TypesAfter<void RCCLX_ELEMENTS(RCCLX_TYPE)>::Type;
#undef RCCLX_TYPE

//===----------------------------------------------------------------------===//
// Narrow floats
//===----------------------------------------------------------------------===//

/// A binary format with `mantissa` stored bits. `largest`, `infinity` (0: there
/// is none) and `nan` are codes without sign.
struct Format {
  int bits, mantissa, minExponent;
  uint32_t largest, infinity, nan;
  bool saturates;

  uint32_t sign() const { return 1u << (bits - 1); }
  bool isNan(uint32_t code) const {
    return (code & (sign() - 1)) > (infinity ? infinity : largest);
  }
  bool isInfinite(uint32_t code) const {
    return infinity && (code & (sign() - 1)) == infinity;
  }
};
inline constexpr Format f16 = {16, 10, -14, 0x7bff, 0x7c00, 0x7e00, false};
inline constexpr Format bf16 = {16, 7, -126, 0x7f7f, 0x7f80, 0x7fc0, false};
inline constexpr Format e4m3 = {8, 3, -6, 0x7e, 0, 0x7f, true};
inline constexpr Format e5m2 = {8, 2, -14, 0x7b, 0x7c, 0x7e, true};

template <typename T> constexpr const Format *formatOf() {
  if constexpr (std::is_same_v<T, rx::F16>)
    return &f16;
  else if constexpr (std::is_same_v<T, rx::BF16>)
    return &bf16;
  else if constexpr (std::is_same_v<T, rx::F8E4M3FN>)
    return &e4m3;
  else if constexpr (std::is_same_v<T, rx::F8E5M2>)
    return &e5m2;
  else
    return nullptr;
}

inline double valueOf(const Format &f, uint32_t code) {
  uint32_t magnitude = code & (f.sign() - 1);
  double value = NAN;
  if (f.isInfinite(code)) {
    value = INFINITY;
  } else if (!f.isNan(code)) {
    int field = int(magnitude >> f.mantissa);
    int fraction = int(magnitude) & ((1 << f.mantissa) - 1);
    value = field == 0 ? std::ldexp(fraction, f.minExponent - f.mantissa)
                       : std::ldexp(fraction + (1 << f.mantissa),
                                    field + f.minExponent - 1 - f.mantissa);
  }
  return code & f.sign() ? -value : value;
}

/// To nearest, ties to even, by division in exact double arithmetic.
inline uint32_t nearest(const Format &f, float value) {
  if (std::isnan(value))
    return f.nan;
  uint32_t sign = std::signbit(value) ? f.sign() : 0;
  uint32_t beyond = f.saturates ? f.largest : f.infinity;
  if (std::isinf(value))
    return sign | beyond;
  if (value == 0)
    return sign;
  double magnitude = std::fabs(double(value));
  int exponent = std::max(std::ilogb(magnitude), f.minExponent);
  double steps =
      std::nearbyint(std::ldexp(magnitude, f.mantissa - exponent)); // exact
  if (std::ldexp(steps, exponent - f.mantissa) > valueOf(f, f.largest))
    return sign | beyond;
  // Denormals and normals are one sequence: a carry goes into the exponent.
  return sign |
         uint32_t(steps) + (uint32_t(exponent - f.minExponent) << f.mantissa);
}

//===----------------------------------------------------------------------===//
// Any element type T, as its accumulator
//===----------------------------------------------------------------------===//

template <typename A> A fromBits(uint64_t bits) {
  A value;
  std::memcpy(&value, &bits, sizeof(value)); // the low bytes
  return value;
}
template <typename A> uint64_t toBits(A value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

template <typename T> typename T::Acc widen(uint64_t code) {
  if constexpr (formatOf<T>() != nullptr)
    return float(valueOf(*formatOf<T>(), uint32_t(code)));
  else
    return fromBits<typename T::Acc>(code);
}
template <typename T> uint64_t narrow(typename T::Acc value) {
  if constexpr (formatOf<T>() != nullptr)
    return nearest(*formatOf<T>(), value);
  else if constexpr (std::is_floating_point_v<typename T::Acc>)
    if (std::isnan(value))
      return sizeof(value) == 8 ? 0x7ff8000000000000 : 0x7fc00000;
  return toBits(value);
}

/// Rounded once: the wider type has more than twice the digits.
template <typename A> struct Wide {
  using Type = __int128;
};
template <> struct Wide<float> {
  using Type = double;
};
template <> struct Wide<double> {
  using Type = __float128;
};
/// Integers are cut off: their results are those modulo a power of two.
template <typename A> A cut(typename Wide<A>::Type value) { return A(value); }

template <typename A> A combine(rx::Sum, A a, A b) {
  using W = typename Wide<A>::Type;
  return cut<A>(W(a) + W(b));
}
template <typename A> A combine(rx::Prod, A a, A b) {
  using W = typename Wide<A>::Type;
  if constexpr (std::is_integral_v<A>) // may exceed 128 bits with a sign
    return A((unsigned __int128)a * (unsigned __int128)b);
  return cut<A>(W(a) * W(b));
}
template <typename A> A combine(rx::Avg, A a, A b) {
  return combine(rx::Sum(), a, b);
}
template <typename A> A combine(rx::PremulSum, A a, A b) {
  return combine(rx::Sum(), a, b);
}
template <typename A> A combine(rx::Max, A a, A b) {
  if constexpr (std::is_floating_point_v<A>) {
    if (std::isnan(a))
      return b;
    if (std::isnan(b))
      return a;
    if (a == 0 && b == 0)
      return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}
template <typename A> A combine(rx::Min, A a, A b) {
  if constexpr (std::is_floating_point_v<A>) {
    if (std::isnan(a))
      return b;
    if (std::isnan(b))
      return a;
    if (a == 0 && b == 0)
      return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

/// Integers are divided truncating towards zero.
template <typename A, typename Op> A finish(Op, A a, int world) {
  using W = typename Wide<A>::Type;
  if constexpr (std::is_same_v<Op, rx::Avg>)
    return cut<A>(W(a) / W(world));
  return a;
}

} // namespace rcclx::device

#endif // RCCLX_TESTS_DEVICE_NUMERICREFERENCE_H
