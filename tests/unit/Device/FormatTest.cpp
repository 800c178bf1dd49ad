//===- FormatTest.cpp - conversions of element types ----------------------===//
//
// Part of rcclx. Built three times on x86-64: with and without F16C, and in the
// form without vectors that NVRTC sees.
//
//===----------------------------------------------------------------------===//
#include "FullTests.h"
#include "NumericReference.h"

namespace rcclx::device {
namespace {

using rx::Elements, rx::Group;

void skipWithoutF16c() {
#if defined(__F16C__)
  if (!__builtin_cpu_supports("f16c"))
    GTEST_SKIP() << "this CPU has no F16C";
#endif
}

//===----------------------------------------------------------------------===//
// Narrow floats: all bit patterns, and all boundaries
//===----------------------------------------------------------------------===//

template <typename T> class NarrowFloats : public testing::Test {
protected:
  void SetUp() override { skipWithoutF16c(); }
  static constexpr const Format &format = *formatOf<T>();
  static constexpr uint32_t codes = 1u << format.bits;
};
using NarrowTypes = testing::Types<rx::F16, rx::BF16, rx::F8E4M3FN, rx::F8E5M2>;
TYPED_TEST_SUITE(NarrowFloats, NarrowTypes);

TYPED_TEST(NarrowFloats, WidenExactly) {
  for (uint32_t code = 0; code < this->codes; ++code) {
    float wide = TypeParam::widen(code);
    auto wanted = float(valueOf(this->format, code));
    if (std::isnan(wanted))
      ASSERT_TRUE(std::isnan(wide)) << std::hex << code;
    else
      ASSERT_EQ(std::bit_cast<uint32_t>(wide), std::bit_cast<uint32_t>(wanted))
          << std::hex << code;
  }
}

TYPED_TEST(NarrowFloats, EveryValueComesBack) {
  const Format &f = this->format;
  for (uint32_t code = 0; code < this->codes; ++code) {
    uint32_t wanted = f.isNan(code) ? f.nan
                      : f.isInfinite(code) && f.saturates
                          ? (code & f.sign()) | f.largest
                          : code;
    ASSERT_EQ(TypeParam::narrow(TypeParam::widen(code)), wanted)
        << std::hex << code;
    ASSERT_EQ(TypeParam::canonical(code), f.isNan(code) ? f.nan : code)
        << std::hex << code;
  }
}

/// By itself and in every lane of a group.
template <typename T> void checkNarrow(float value) {
  uint32_t wanted = nearest(*formatOf<T>(), value);
  ASSERT_EQ(T::narrow(value), wanted)
      << std::hexfloat << value << " = " << std::hex
      << std::bit_cast<uint32_t>(value);
}
template <typename T> void checkBothSigns(float value) {
  checkNarrow<T>(value);
  checkNarrow<T>(-value);
}

TYPED_TEST(NarrowFloats, RoundToNearestEven) {
  const Format &f = this->format;
  // Every boundary between two results, and its two neighbours. Beyond the
  // largest lies what would be next.
  for (uint32_t code = 0; code <= f.largest; ++code) {
    double low = valueOf(f, code);
    double step = low - valueOf(f, code - 1);
    double high = code == f.largest ? low + step : valueOf(f, code + 1);
    auto middle = float((low + high) / 2);
    ASSERT_EQ(double(middle), (low + high) / 2);
    for (float value : {middle, std::nextafterf(middle, 0),
                        std::nextafterf(middle, INFINITY), float(high)})
      checkBothSigns<TypeParam>(value);
    if (testing::Test::HasFatalFailure())
      return;
  }
  using Limits = std::numeric_limits<float>;
  for (float value :
       {0.0f, Limits::infinity(), Limits::quiet_NaN(), Limits::signaling_NaN(),
        Limits::max(), Limits::min(), Limits::denorm_min(), 65504.0f, 65519.0f,
        65520.0f, 65535.0f, 65536.0f, 65537.0f})
    checkBothSigns<TypeParam>(value);
}

TYPED_TEST(NarrowFloats, RoundAnyFloat) {
  std::mt19937_64 random = makeRandom();
  auto largest = float(valueOf(this->format, this->format.largest));
  for (int i = fewOrAll(1'000'000, 60'000'000); i-- != 0;) {
    uint64_t bits = random();
    checkNarrow<TypeParam>(std::bit_cast<float>(uint32_t(bits)));
    // Of the type's range.
    int exponent = std::ilogb(largest) - int(bits >> 32) % 40;
    checkNarrow<TypeParam>(std::ldexp(
        std::bit_cast<float>(0x3f800000u | uint32_t(bits) >> 9), exponent));
    if (testing::Test::HasFatalFailure())
      return;
  }
}

TYPED_TEST(NarrowFloats, AllLanesOfAGroupRoundAlike) {
  std::mt19937_64 random = makeRandom();
  constexpr uint32_t n = Elements<TypeParam>::perGroup;
  for (int i = 0; i < 20'000; ++i) {
    rx::Acc<TypeParam> acc;
    float values[n];
    for (uint32_t lane = 0; lane < n; ++lane) {
      uint64_t bits = random();
      values[lane] = std::bit_cast<float>(
          uint32_t(bits) & (bits >> 32 & 1 ? 0xffffffff : 0xc7ffffff));
      acc.v[lane] = values[lane];
    }
    Group got = rx::round<TypeParam>(acc);
    for (uint32_t lane = 0; lane < n; ++lane)
      ASSERT_EQ(Elements<TypeParam>::get(got, lane),
                nearest(this->format, values[lane]))
          << std::hexfloat << values[lane] << " in lane " << lane;
  }
}

//===----------------------------------------------------------------------===//
// Floats that are their own accumulator
//===----------------------------------------------------------------------===//

template <typename T> void checkWideFloat() {
  using Word = typename T::Word;
  std::mt19937_64 random = makeRandom();
  auto check = [](Word bits) {
    auto value = std::bit_cast<typename T::Acc>(bits);
    Word wanted = Word(narrow<T>(value)); // the canonical NaN, or itself
    ASSERT_EQ(T::narrow(value), wanted) << std::hex << bits;
    ASSERT_EQ(T::canonical(bits), wanted) << std::hex << bits;
    ASSERT_EQ(std::bit_cast<Word>(T::widen(bits)), bits) << std::hex << bits;
  };
  using Limits = std::numeric_limits<typename T::Acc>;
  auto infinity = std::bit_cast<Word>(Limits::infinity());
  constexpr Word sign = Word(1) << (8 * sizeof(Word) - 1);
  for (Word bits : {Word(0), Word(1), infinity, Word(infinity + 1),
                    Word(infinity - 1), Word(sign - 1)}) {
    check(bits);
    check(bits | sign);
  }
  for (int i = 0; i < 100'000; ++i) {
    check(Word(random()));
    check(Word(random()) | infinity); // NaNs
  }
}
TEST(WideFloats, AllButNanAreKept) {
  checkWideFloat<rx::F32>();
  checkWideFloat<rx::F64>();
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

template <typename T> class EveryType : public testing::Test {};
TYPED_TEST_SUITE(EveryType, AllTypes);

TYPED_TEST(EveryType, ElementsLieInAGroupAsInMemory) {
  using T = TypeParam;
  std::mt19937_64 random = makeRandom();
  constexpr uint32_t n = Elements<T>::perGroup;
  static_assert(n * T::bytes == 16);
  for (int round = 0; round < 100; ++round) {
    Group g = {};
    uint64_t wanted[n];
    for (uint32_t i = 0; i < n; ++i) {
      wanted[i] = random() >> (64 - 8 * T::bytes);
      Elements<T>::put(g, i, typename T::Word(wanted[i]));
    }
    for (uint32_t i = 0; i < n; ++i) {
      uint64_t inMemory = 0;
      std::memcpy(&inMemory, reinterpret_cast<char *>(&g) + i * T::bytes,
                  T::bytes);
      ASSERT_EQ(Elements<T>::get(g, i), wanted[i]) << i;
      ASSERT_EQ(inMemory, wanted[i]) << i;
    }
  }
}

} // namespace
} // namespace rcclx::device
