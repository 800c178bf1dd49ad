//===- NumericTest.cpp - element types and reductions ---------------------===//
//
// Part of rcclx. The reference is written from docs/Numerics.md, in double and
// 64-bit integer arithmetic. Built twice on x86-64: with and without F16C.
//
//===----------------------------------------------------------------------===//
#include "DeviceTesting.h"
#include <bit>
#include <cmath>
#include <limits>

namespace rcclx::device {
namespace {

using rx::Elements, rx::Group;

class Numeric : public testing::Test {
protected:
  void SetUp() override {
#if defined(__F16C__)
    if (!__builtin_cpu_supports("f16c"))
      GTEST_SKIP() << "this CPU has no F16C";
#endif
  }
};

/// A binary format of 16 bits with `mantissa` stored bits.
struct Format {
  int mantissa, minExponent, maxExponent;
  uint32_t infinity, nan;
};
constexpr Format f16 = {10, -14, 15, 0x7c00, 0x7e00};
constexpr Format bf16 = {7, -126, 127, 0x7f80, 0x7fc0};

double valueOf(const Format &f, uint32_t bits) {
  int field = int(bits & 0x7fff) >> f.mantissa;
  int fraction = int(bits) & ((1 << f.mantissa) - 1);
  double magnitude = field == 0
                         ? std::ldexp(fraction, f.minExponent - f.mantissa)
                         : std::ldexp(fraction + (1 << f.mantissa),
                                      field + f.minExponent - 1 - f.mantissa);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// To nearest, ties to even, by division in exact double arithmetic.
uint32_t nearest(const Format &f, float value) {
  if (std::isnan(value))
    return f.nan;
  uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isinf(value))
    return sign | f.infinity;
  if (value == 0)
    return sign;
  double magnitude = std::fabs(double(value));
  int exponent = std::max(std::ilogb(magnitude), f.minExponent);
  double steps =
      std::nearbyint(std::ldexp(magnitude, f.mantissa - exponent)); // exact
  if (std::ldexp(steps, exponent - f.mantissa) >=
      std::ldexp(1.0, f.maxExponent + 1))
    return sign | f.infinity;
  // Denormals and normals are one sequence: a carry goes into the exponent.
  return sign |
         uint32_t(steps) + (uint32_t(exponent - f.minExponent) << f.mantissa);
}

bool isNaN(const Format &f, uint32_t bits) {
  return (bits & 0x7fff) > f.infinity;
}

template <typename T> void checkWidensAll(const Format &f) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    float wide = T::widen(bits);
    if (isNaN(f, bits)) {
      ASSERT_TRUE(std::isnan(wide)) << std::hex << bits;
      continue;
    }
    if ((bits & 0x7fff) == f.infinity) {
      ASSERT_TRUE(std::isinf(wide)) << std::hex << bits;
      ASSERT_EQ(std::signbit(wide), bits >> 15) << std::hex << bits;
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint32_t>(wide),
              std::bit_cast<uint32_t>(float(valueOf(f, bits))))
        << std::hex << bits;
  }
}
TEST_F(Numeric, F16WidensExactly) { checkWidensAll<rx::F16>(f16); }
TEST_F(Numeric, BF16WidensExactly) { checkWidensAll<rx::BF16>(bf16); }

template <typename T> void checkRoundTrip(const Format &f) {
  for (uint32_t bits = 0; bits < 65536; ++bits)
    ASSERT_EQ(T::narrow(T::widen(bits)), isNaN(f, bits) ? f.nan : bits)
        << std::hex << bits;
}
TEST_F(Numeric, F16RoundTrip) { checkRoundTrip<rx::F16>(f16); }
TEST_F(Numeric, BF16RoundTrip) { checkRoundTrip<rx::BF16>(bf16); }

template <typename T> void checkNarrow(const Format &f, float value) {
  ASSERT_EQ(T::narrow(value), nearest(f, value))
      << std::hexfloat << value << " = " << std::hex
      << std::bit_cast<uint32_t>(value);
}
template <typename T> void checkNarrows(const Format &f) {
  // Every boundary between two results, and its two neighbours.
  for (uint32_t bits = 0; bits < f.infinity; ++bits) {
    double low = valueOf(f, bits);
    double high = bits + 1 == f.infinity ? std::ldexp(1.0, f.maxExponent + 1)
                                         : valueOf(f, bits + 1);
    auto middle = float((low + high) / 2);
    ASSERT_EQ(double(middle), (low + high) / 2);
    for (float value : {middle, std::nextafterf(middle, 0),
                        std::nextafterf(middle, INFINITY)}) {
      checkNarrow<T>(f, value);
      checkNarrow<T>(f, -value);
    }
    if (testing::Test::HasFatalFailure())
      return;
  }
  using Limits = std::numeric_limits<float>;
  for (float value :
       {0.0f, Limits::infinity(), Limits::quiet_NaN(), Limits::signaling_NaN(),
        Limits::max(), Limits::min(), Limits::denorm_min(), 65504.0f, 65519.0f,
        65520.0f, 65535.0f, 65536.0f, 65537.0f}) {
    checkNarrow<T>(f, value);
    checkNarrow<T>(f, -value);
  }
  std::mt19937_64 random = makeRandom();
  for (int i = 0; i < 4'000'000; ++i) {
    checkNarrow<T>(f, std::bit_cast<float>(uint32_t(random())));
    if (testing::Test::HasFatalFailure())
      return;
  }
}
TEST_F(Numeric, F16NarrowsToNearestEven) { checkNarrows<rx::F16>(f16); }
TEST_F(Numeric, BF16NarrowsToNearestEven) { checkNarrows<rx::BF16>(bf16); }

TEST_F(Numeric, F32NarrowKeepsAllButNaN) {
  std::mt19937_64 random = makeRandom();
  auto check = [](uint32_t bits) {
    bool nan = (bits & 0x7fffffff) > 0x7f800000;
    EXPECT_EQ(rx::F32::narrow(std::bit_cast<float>(bits)),
              nan ? 0x7fc00000 : bits)
        << std::hex << bits;
    EXPECT_EQ(rx::F32::canonical(bits), nan ? 0x7fc00000 : bits)
        << std::hex << bits;
  };
  for (uint32_t bits : {0x0u, 0x80000000u, 0x7f800000u, 0xff800000u,
                        0x7f800001u, 0xffffffffu, 0x7fffffffu, 0x1u})
    check(bits);
  for (int i = 0; i < 100'000; ++i)
    check(uint32_t(random()));
}

template <typename T> void checkCanonical(const Format &f) {
  for (uint32_t bits = 0; bits < 65536; ++bits)
    ASSERT_EQ(T::canonical(bits), isNaN(f, bits) ? f.nan : bits)
        << std::hex << bits;
}
TEST_F(Numeric, CanonicalOfAllNarrowValues) {
  checkCanonical<rx::F16>(f16);
  checkCanonical<rx::BF16>(bf16);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// IEEE 754-2019 maximumNumber, case by case.
float maximumNumber(float a, float b) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  if (a == 0 && b == 0)
    return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

TEST_F(Numeric, MaxIsMaximumNumber) {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values = {0.0f,
                               -0.0f,
                               1.0f,
                               -1.0f,
                               2.0f,
                               Limits::min(),
                               -Limits::min(),
                               Limits::denorm_min(),
                               -Limits::denorm_min(),
                               Limits::max(),
                               Limits::lowest(),
                               Limits::infinity(),
                               -Limits::infinity(),
                               Limits::quiet_NaN(),
                               -Limits::quiet_NaN()};
  std::mt19937_64 random = makeRandom();
  for (int i = 0; i < 200; ++i)
    values.push_back(std::bit_cast<float>(uint32_t(random())));
  for (float a : values)
    for (float b : values) {
      float got = rx::Reduction<rx::Max>::combine(a, b);
      float want = maximumNumber(a, b);
      if (std::isnan(want))
        EXPECT_TRUE(std::isnan(got)) << a << ' ' << b;
      else
        EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(want))
            << a << ' ' << b;
    }
}

template <typename T, typename Op> uint32_t reduceOnce(uint32_t x) {
  Group g = {{0, 0, 0, 0}};
  Elements<T>::put(g, Elements<T>::perGroup - 1, x);
  Group out = rx::round<T>(rx::reduce<T, Op>(rx::identity<T, Op>(), g));
  return Elements<T>::get(out, Elements<T>::perGroup - 1);
}

TEST_F(Numeric, IdentitiesAreNeutralForEveryNarrowValue) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    uint32_t half = isNaN(f16, bits) ? f16.nan : bits;
    ASSERT_EQ((reduceOnce<rx::F16, rx::Sum>(bits)), half) << std::hex << bits;
    ASSERT_EQ((reduceOnce<rx::F16, rx::Max>(bits)), half) << std::hex << bits;
    uint32_t brain = isNaN(bf16, bits) ? bf16.nan : bits;
    ASSERT_EQ((reduceOnce<rx::BF16, rx::Sum>(bits)), brain) << std::hex << bits;
    ASSERT_EQ((reduceOnce<rx::BF16, rx::Max>(bits)), brain) << std::hex << bits;
  }
  for (uint32_t bits : {0x0u, 0x80000000u, 0x7fffffffu, 0xffffffffu}) {
    EXPECT_EQ((reduceOnce<rx::I32, rx::Sum>(bits)), bits);
    EXPECT_EQ((reduceOnce<rx::I32, rx::Max>(bits)), bits);
  }
  // Signed zeros survive.
  EXPECT_EQ((reduceOnce<rx::F32, rx::Sum>(0x80000000u)), 0x80000000u);
  EXPECT_EQ((reduceOnce<rx::F32, rx::Avg>(0x80000000u)), 0x80000000u);
  EXPECT_EQ((reduceOnce<rx::F32, rx::Max>(0x80000000u)), 0x80000000u);
}

TEST_F(Numeric, I32Wraps) {
  std::mt19937_64 random = makeRandom();
  auto check = [](int32_t a, int32_t b) {
    EXPECT_EQ(uint32_t(rx::Reduction<rx::Sum>::combine(a, b)),
              uint32_t(int64_t(a) + int64_t(b)))
        << a << ' ' << b;
    EXPECT_EQ(rx::Reduction<rx::Max>::combine(a, b), std::max(a, b));
  };
  check(INT32_MAX, 1);
  check(INT32_MIN, -1);
  check(INT32_MIN, INT32_MIN);
  check(INT32_MAX, INT32_MAX);
  for (int i = 0; i < 10'000; ++i)
    check(int32_t(random()), int32_t(random()));
}

template <uint32_t World> void checkAverage(std::mt19937_64 &random) {
  auto average = [](auto a) {
    return rx::Reduction<rx::Avg>::template finish<World>(a);
  };
  auto sum = [](auto a) {
    return rx::Reduction<rx::Sum>::template finish<World>(a);
  };
  for (int i = 0; i < 20'000; ++i) {
    auto integer = int32_t(random());
    // Truncated towards zero: the magnitude, rounded down.
    int64_t magnitude = std::abs(int64_t(integer)) / World;
    ASSERT_EQ(average(integer), integer < 0 ? -magnitude : magnitude)
        << integer << " / " << World;
    ASSERT_EQ(sum(integer), integer);
    auto value = std::bit_cast<float>(uint32_t(random()));
    if (std::isnan(value))
      continue;
    // Division is correctly rounded: twice rounded by way of double is, too.
    ASSERT_EQ(std::bit_cast<uint32_t>(average(value)),
              std::bit_cast<uint32_t>(float(double(value) / double(World))))
        << value << " / " << World;
    ASSERT_EQ(sum(value), value);
  }
}
TEST_F(Numeric, AverageDivides) {
  std::mt19937_64 random = makeRandom();
  checkAverage<1>(random);
  checkAverage<2>(random);
  checkAverage<3>(random);
  checkAverage<7>(random);
  checkAverage<16>(random);
  checkAverage<255>(random);
  checkAverage<256>(random);
}

TEST_F(Numeric, HalfSumsAccumulateInF32) {
  // 2048 + 1 is not an f16; 2048 + 1 + 1 is.
  Group big = {}, one = {};
  for (uint32_t i = 0; i < 8; ++i) {
    Elements<rx::F16>::put(big, i, 0x6800);
    Elements<rx::F16>::put(one, i, 0x3c00);
  }
  auto acc = rx::identity<rx::F16, rx::Sum>();
  for (const Group &g : {big, one, one})
    acc = rx::reduce<rx::F16, rx::Sum>(acc, g);
  Group out = rx::finish<rx::F16, rx::Sum, 3>(acc);
  for (uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(Elements<rx::F16>::get(out, i), 0x6801u) << i;
}

template <typename T> void checkLanes() {
  std::mt19937_64 random = makeRandom();
  constexpr uint32_t n = Elements<T>::perGroup;
  ASSERT_EQ(n * T::bytes, 16u);
  for (int round = 0; round < 100; ++round) {
    Group g = {};
    uint32_t want[n];
    for (uint32_t i = 0; i < n; ++i) {
      want[i] = uint32_t(random()) & (T::bytes == 4 ? 0xffffffffu : 0xffffu);
      Elements<T>::put(g, i, want[i]);
    }
    // The order in registers is that of memory.
    for (uint32_t i = 0; i < n; ++i) {
      uint32_t inMemory = 0;
      std::memcpy(&inMemory, reinterpret_cast<char *>(&g) + i * T::bytes,
                  T::bytes);
      ASSERT_EQ(Elements<T>::get(g, i), want[i]) << i;
      ASSERT_EQ(inMemory, want[i]) << i;
    }
  }
}
TEST_F(Numeric, ElementsOfAGroup) {
  checkLanes<rx::F32>();
  checkLanes<rx::I32>();
  checkLanes<rx::F16>();
  checkLanes<rx::BF16>();
}

} // namespace
} // namespace rcclx::device
