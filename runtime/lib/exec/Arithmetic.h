//===- Arithmetic.h - Element types and reductions of the oracle *- C++ -*-===//
//
// Part of rcclx. docs/Numerics.md in scalar C++, written independently of the
// device header.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_EXEC_ARITHMETIC_H
#define RCCLX_RUNTIME_EXEC_ARITHMETIC_H

#include "rcclx/Runtime/Numeric.h"
#include "rcclx/Runtime/Types.h"

#include <concepts>
#include <limits>
#include <type_traits>

namespace rcclx::runtime::arithmetic {

//===----------------------------------------------------------------------===//
// Element types, by the names of rcclx_elements.h
//===----------------------------------------------------------------------===//

struct F64 {
  using Data = double;
  using Acc = double;
  static Acc widen(Data x) { return x; }
  static Data round(Acc x) { return roundF64(x); }
};
struct F32 {
  using Data = float;
  using Acc = float;
  static Acc widen(Data x) { return x; }
  static Data round(Acc x) { return roundF32(x); }
};
struct F16 {
  using Data = uint16_t;
  using Acc = float;
  static Acc widen(Data x) { return widenF16(x); }
  static Data round(Acc x) { return roundF16(x); }
};
struct BF16 {
  using Data = uint16_t;
  using Acc = float;
  static Acc widen(Data x) { return widenBf16(x); }
  static Data round(Acc x) { return roundBf16(x); }
};
template <Format8 format> struct F8 {
  using Data = uint8_t;
  using Acc = float;
  static Acc widen(Data x) { return widenF8<format>(x); }
  static Data round(Acc x) { return roundF8<format>(x); }
};
using F8E4M3FN = F8<formatE4M3>;
using F8E5M2 = F8<formatE5M2>;
template <std::integral T> struct Integer {
  using Data = T;
  using Acc = T;
  static Acc widen(Data x) { return x; }
  static Data round(Acc x) { return x; }
};
using I8 = Integer<int8_t>;
using U8 = Integer<uint8_t>;
using I32 = Integer<int32_t>;
using U32 = Integer<uint32_t>;
using I64 = Integer<int64_t>;
using U64 = Integer<uint64_t>;

//===----------------------------------------------------------------------===//
// Operations on accumulators
//===----------------------------------------------------------------------===//

// Integers wrap: as unsigned ones of 64 bits, cut off.
template <std::floating_point A> A add(A a, A b) { return a + b; }
template <std::integral A> A add(A a, A b) {
  return A(uint64_t(a) + uint64_t(b));
}
template <std::floating_point A> A product(A a, A b) { return a * b; }
template <std::integral A> A product(A a, A b) {
  return A(uint64_t(a) * uint64_t(b));
}
template <std::floating_point A> A minimum(A a, A b) {
  return minimumNumber(a, b);
}
template <std::integral A> A minimum(A a, A b) { return std::min(a, b); }
template <std::floating_point A> A maximum(A a, A b) {
  return maximumNumber(a, b);
}
template <std::integral A> A maximum(A a, A b) { return std::max(a, b); }

/// Integers: truncated towards zero. The world may exceed eight bits.
template <std::floating_point A> A divide(A a, uint32_t world) {
  return a / A(world);
}
template <std::integral A> A divide(A a, uint32_t world) {
  if constexpr (std::is_signed_v<A>)
    return A(int64_t(a) / int64_t(world));
  else
    return A(a / uint64_t(world));
}

/// The neutral element.
template <typename A> A identity(Reduction reduction) {
  using Limits = std::numeric_limits<A>;
  switch (reduction) {
  case Reduction::Sum:
  case Reduction::Avg:
  case Reduction::PremulSum:
    return std::floating_point<A> ? A(-0.0) : A(0);
  case Reduction::Prod:
    return A(1);
  case Reduction::Min:
    return std::floating_point<A> ? Limits::quiet_NaN() : Limits::max();
  case Reduction::Max:
    return std::floating_point<A> ? Limits::quiet_NaN() : Limits::lowest();
  }
  return A();
}

} // namespace rcclx::runtime::arithmetic

#endif // RCCLX_RUNTIME_EXEC_ARITHMETIC_H
