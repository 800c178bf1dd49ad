//===- RandomElements.cpp - Data of every element type --------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "RandomElements.h"

#include "exec/Arithmetic.h"

#include <array>
#include <cstring>

namespace rcclx::tool {

using namespace runtime;
namespace types = runtime::arithmetic;

uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

namespace {
/// The codes of one type that are easy to get wrong.
using Specials = std::array<uint64_t, 9>;

/// What a float type's bits mean.
struct Layout {
  int bits, mantissa;
  uint64_t nan; // the canonical one
};
} // namespace

static constexpr Layout layoutOf(Element element) {
  switch (element) {
  case Element::F64:
    return {64, 52, canonicalNanF64};
  case Element::F16:
    return {16, 10, canonicalNanF16};
  case Element::BF16:
    return {16, 7, canonicalNanBf16};
  case Element::F8E4M3FN:
    return {8, 3, formatE4M3.nan};
  case Element::F8E5M2:
    return {8, 2, formatE5M2.nan};
  default:
    return {32, 23, canonicalNanF32};
  }
}

static Specials specialsOf(Element element) {
  const int bits = isFloat(element) ? layoutOf(element).bits
                                    : int(elementBytes(element)) * 8;
  const uint64_t ones = ~uint64_t(0) >> (64 - bits);
  const uint64_t sign = uint64_t(1) << (bits - 1);
  if (!isFloat(element))
    return {0, 1, ones, sign, sign - 1, 2, ones - 1, sign + 1, sign - 2};
  const Layout layout = layoutOf(element);
  // f8E4M3FN has numbers where the others have infinity.
  const uint64_t fraction = (uint64_t(1) << layout.mantissa) - 1;
  const uint64_t infinity = ones & ~sign & ~fraction;
  return {layout.nan,       // canonical NaN
          ones,             // the NaN with all bits set
          infinity | 1,     // a signalling NaN
          infinity,         //
          sign | infinity,  //
          sign,             // -0
          0,                //
          1,                // denormals
          sign | fraction}; //
}

/// For sums in [-2, 2), for products around 1; with `digits` significant bits.
template <typename Float>
static Float someFloat(Reduction reduction, uint64_t random) {
  constexpr int digits = std::numeric_limits<Float>::digits;
  auto unit = Float(random >> (64 - digits)) *
              (Float(1) / Float(uint64_t(1) << digits)); // [0, 1)
  if (reduction != Reduction::Prod)
    return 4 * unit - 2;
  Float factor = Float(0.75) + unit * Float(0.58);
  return mix(random) & 1 ? -factor : factor;
}

/// A number of T, from 64 random bits.
template <typename T>
static typename T::Data some(Reduction reduction, uint64_t random) {
  using Acc = typename T::Acc;
  if constexpr (std::floating_point<Acc>)
    return T::round(someFloat<Acc>(reduction, random));
  else // even factors would soon make any product zero
    return typename T::Data(mix(random) |
                            (reduction == Reduction::Prod && random % 16 != 0));
}

template <typename T>
static void fill(std::vector<char> &out, Element element, Reduction reduction,
                 uint64_t stream, bool special) {
  using Data = typename T::Data;
  const Specials specials = specialsOf(element);
  for (uint64_t i = 0; i != out.size() / sizeof(Data); ++i) {
    uint64_t random = mix(stream + i);
    Data value;
    if (special && random % 13 == 0)
      memcpy(&value, &specials[random / 13 % specials.size()], sizeof(value));
    else
      value = some<T>(reduction, random);
    memcpy(out.data() + i * sizeof(Data), &value, sizeof(value));
  }
}

void fillElements(std::vector<char> &out, Element element, Reduction reduction,
                  uint64_t stream, bool special) {
  switch (element) {
#define RCCLX_FILL(NAME, ...)                                                  \
  case Element::NAME:                                                          \
    return fill<types::NAME>(out, element, reduction, stream, special);
    RCCLX_ELEMENTS(RCCLX_FILL)
#undef RCCLX_FILL
  }
}

template <typename Acc> static uint64_t scaleBits(uint64_t random) {
  uint64_t bits = 0;
  auto scale = Acc(random);
  if constexpr (std::floating_point<Acc>)
    scale = someFloat<Acc>(Reduction::Sum, random);
  memcpy(&bits, &scale, sizeof(scale));
  return bits;
}

uint64_t randomScale(Element element, uint64_t random) {
  switch (element) {
#define RCCLX_SCALE(NAME, ...)                                                 \
  case Element::NAME:                                                          \
    return scaleBits<types::NAME::Acc>(random);
    RCCLX_ELEMENTS(RCCLX_SCALE)
#undef RCCLX_SCALE
  }
  return 0;
}

} // namespace rcclx::tool
