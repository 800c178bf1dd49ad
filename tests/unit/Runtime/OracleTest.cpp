//===- OracleTest.cpp - Arithmetic of docs/Numerics.md --------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "RuntimeTesting.h"

#include "../../../runtime/lib/exec/Oracle.h"
#include "rcclx/Runtime/Numeric.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace rcclx::runtime;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(NumericTest, everyHalfSurvivesWideningAndRounding) {
  for (uint32_t bits = 0; bits != 0x10000; ++bits) {
    float wide = widenF16(uint16_t(bits));
    if ((bits & 0x7fff) > 0x7c00) {
      EXPECT_TRUE(std::isnan(wide));
      EXPECT_EQ(roundF16(wide), canonicalNanF16);
    } else {
      EXPECT_EQ(roundF16(wide), bits);
    }
    wide = widenBf16(uint16_t(bits));
    if ((bits & 0x7fff) > 0x7f80)
      EXPECT_EQ(roundBf16(wide), canonicalNanBf16);
    else
      EXPECT_EQ(roundBf16(wide), bits);
  }
}

/// `round` is right for `value` when no other number of the type is nearer,
/// and of two that are equally near, it is the even one.
template <typename Widen>
void expectNearest(float value, uint16_t got, Widen widen) {
  double nearest = widen(got);
  for (int step : {-1, 1}) {
    auto other = uint16_t(got + step);
    double candidate = widen(other);
    if (std::isnan(candidate) || std::isinf(candidate))
      continue;
    double here = std::fabs(value - nearest);
    double there = std::fabs(value - candidate);
    EXPECT_LE(here, there) << value;
    if (here == there)
      EXPECT_EQ(got & 1, 0) << value;
  }
}

TEST(NumericTest, roundsToNearestEven) {
  // Around every f16, and the half-way points between.
  for (uint32_t bits = 1; bits < 0x7bff; bits += 7) {
    float low = widenF16(uint16_t(bits)), high = widenF16(uint16_t(bits + 1));
    float middle = (low + high) / 2; // exact
    for (float value :
         {middle, std::nextafter(middle, low), std::nextafter(middle, high)}) {
      expectNearest(value, roundF16(value), widenF16);
      expectNearest(-value, roundF16(-value), widenF16);
    }
  }
  for (uint32_t bits = 1; bits < 0x7f7f; bits += 7) {
    float middle = std::bit_cast<float>(bits << 16 | 0x8000);
    for (float value : {middle, std::nextafter(middle, 0.0f),
                        std::nextafter(middle, infinity)})
      expectNearest(value, roundBf16(value), widenBf16);
  }
}

TEST(NumericTest, edges) {
  EXPECT_EQ(roundF16(65519.996f), 0x7bff); // the largest
  EXPECT_EQ(roundF16(65520.0f), 0x7c00);   // half way: infinity
  EXPECT_EQ(roundF16(-1e30f), 0xfc00);
  EXPECT_EQ(roundF16(0x1p-25f), 0); // half of the smallest: to even
  EXPECT_EQ(roundF16(0x1.000002p-25f), 1);
  EXPECT_EQ(roundF16(-0.0f), 0x8000);
  EXPECT_EQ(roundF16(0x1.ff8p-15f), 0x03ff); // the largest denormal
  EXPECT_EQ(roundF16(0x1.ffcp-15f), 0x0400); // half way to the normal: even
  EXPECT_EQ(roundBf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(roundBf16(std::bit_cast<float>(0xff800001u)), canonicalNanBf16);
  EXPECT_EQ(std::bit_cast<uint32_t>(roundF32(std::nanf("7"))), canonicalNanF32);
}

TEST(NumericTest, maximumNumber) {
  float nan = std::nanf("");
  EXPECT_EQ(maximumNumber(nan, 1.0f), 1);
  EXPECT_EQ(maximumNumber(1.0f, nan), 1);
  EXPECT_EQ(minimumNumber(nan, 1.0f), 1);
  EXPECT_EQ(minimumNumber(1.0, double(nan)), 1);
  EXPECT_TRUE(std::isnan(minimumNumber(nan, nan)));
  EXPECT_TRUE(std::signbit(minimumNumber(0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(minimumNumber(-0.0, 0.0)));
  EXPECT_TRUE(std::isnan(maximumNumber(nan, nan)));
  EXPECT_FALSE(std::signbit(maximumNumber(-0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(maximumNumber(0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(maximumNumber(-0.0f, -0.0f)));
  EXPECT_EQ(maximumNumber(-infinity, -3.0f), -3);
  EXPECT_EQ(minimumNumber(infinity, -3.0f), -3);
  EXPECT_EQ(maximumNumber(-3, -4), -3);
}

TEST(TypesTest, slicesPartitionEveryCount) {
  for (Element element : {Element::F32, Element::F16})
    for (uint64_t count : {0, 1, 3, 4, 5, 31, 1000, 4096})
      for (uint64_t parts : {1, 2, 3, 7, 8}) {
        uint64_t at = 0;
        for (uint64_t i = 0; i != parts; ++i) {
          ElementRange range = sliceRange(count, element, i, 1, parts);
          EXPECT_EQ(range.begin, at);
          EXPECT_LE(range.begin, range.end);
          at = range.end;
          if (at != count)
            EXPECT_EQ(at * elementBytes(element) % 16, 0u);
        }
        EXPECT_EQ(at, count);
      }
}

TEST(TypesTest, countsThatOverflowAreFound) {
  EXPECT_TRUE(countFits(0, 256, Element::F32));
  EXPECT_TRUE(countFits((uint64_t(1) << 53) - 1, 256, Element::F32));
  EXPECT_FALSE(countFits(uint64_t(1) << 53, 256, Element::F32));
  EXPECT_FALSE(countFits(~uint64_t(0), 1, Element::F16));
  EXPECT_EQ(sizeClass(0), 1u);
  EXPECT_EQ(sizeClass(1025), 2048u);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

Manifest allReduce(uint32_t world, Element element, Reduction reduction) {
  Manifest m;
  m.contract = Contract::AllReduce;
  m.world = world;
  m.element = element;
  m.reduction = reduction;
  m.terms.push_back({OracleTerm::Identity});
  for (uint32_t r = 0; r != world; ++r) {
    m.terms.push_back({OracleTerm::Input, r, 0});
    m.terms.push_back({OracleTerm::Reduce, 2 * r, 2 * r + 1});
  }
  m.terms.push_back({OracleTerm::Finish, 2 * world});
  auto last = uint32_t(m.terms.size() - 1);
  // In two halves, so that slices are exercised.
  m.outputs.assign(world, {{0, 0, 1, 2, last}, {0, 1, 1, 2, last}});
  return m;
}

template <typename T>
std::vector<T> evaluate(const Manifest &m,
                        const std::vector<std::vector<T>> &inputs,
                        uint32_t rank = 0) {
  std::vector<const char *> pointers;
  for (auto &input : inputs)
    pointers.push_back(reinterpret_cast<const char *>(input.data()));
  uint64_t count = inputs[0].size() / inputBlocks(m.contract, m.world);
  std::vector<T> output(outputBytes(m, rank, count) / sizeof(T));
  evaluateOracle(m, rank, count, pointers,
                 reinterpret_cast<char *>(output.data()));
  return output;
}

TEST(OracleTest, sumsInTheOrderOfTheTree) {
  // In f32, (1e8 + 1) - 1e8 is 0 and (1e8 - 1e8) + 1 is 1.
  Manifest m = allReduce(3, Element::F32, Reduction::Sum);
  EXPECT_EQ(evaluate<float>(m, {{1e8f}, {1}, {-1e8f}})[0], 0.0f);
  EXPECT_EQ(evaluate<float>(m, {{1e8f}, {-1e8f}, {1}})[0], 1.0f);
}

TEST(OracleTest, longBuffersInSeveralBlocks) {
  Manifest m = allReduce(2, Element::F32, Reduction::Sum);
  std::vector<std::vector<float>> inputs(2, std::vector<float>(10007));
  for (size_t i = 0; i != 10007; ++i) {
    inputs[0][i] = float(i);
    inputs[1][i] = float(3 * i);
  }
  std::vector<float> output = evaluate(m, inputs);
  for (size_t i = 0; i != 10007; ++i)
    ASSERT_EQ(output[i], float(4 * i));
}

TEST(OracleTest, signedZerosSurviveASum) {
  Manifest m = allReduce(2, Element::F32, Reduction::Sum);
  EXPECT_TRUE(std::signbit(evaluate<float>(m, {{-0.0f}, {-0.0f}})[0]));
  EXPECT_FALSE(std::signbit(evaluate<float>(m, {{-0.0f}, {0.0f}})[0]));
}

TEST(OracleTest, nanBecomesCanonical) {
  Manifest m = allReduce(2, Element::F32, Reduction::Sum);
  std::vector<float> output =
      evaluate<float>(m, {{std::bit_cast<float>(0xffc12345u)}, {1.0f}});
  EXPECT_EQ(std::bit_cast<uint32_t>(output[0]), canonicalNanF32);
}

TEST(OracleTest, narrowFloatsAccumulateInF32) {
  // 256 + 1 is not a bf16; 256 + 1 + 1 is.
  Manifest m = allReduce(3, Element::BF16, Reduction::Sum);
  uint16_t big = roundBf16(256), one = roundBf16(1);
  EXPECT_EQ(widenBf16(evaluate<uint16_t>(m, {{big}, {one}, {one}})[0]), 258);
  m = allReduce(2, Element::F16, Reduction::Sum);
  EXPECT_EQ(evaluate<uint16_t>(m, {{0x7bff}, {0x7bff}})[0], 0x7c00);
}

TEST(OracleTest, averagesDivideOnce) {
  Manifest m = allReduce(3, Element::F32, Reduction::Avg);
  EXPECT_EQ(evaluate<float>(m, {{1}, {1}, {2}})[0], 4.0f / 3.0f);
  m = allReduce(3, Element::I32, Reduction::Avg);
  EXPECT_EQ(evaluate<int32_t>(m, {{-1}, {-1}, {-3}})[0], -1);
}

TEST(OracleTest, integersWrap) {
  Manifest m = allReduce(2, Element::I32, Reduction::Sum);
  EXPECT_EQ(evaluate<int32_t>(m, {{INT32_MAX}, {1}})[0], INT32_MIN);
  m = allReduce(2, Element::I32, Reduction::Max);
  EXPECT_EQ(evaluate<int32_t>(m, {{INT32_MIN}, {-5}})[0], -5);
}

TEST(OracleTest, maxPrefersNumbers) {
  Manifest m = allReduce(2, Element::F32, Reduction::Max);
  float nan = std::nanf("");
  std::vector<float> output =
      evaluate<float>(m, {{nan, nan, -0.0f}, {-7, nan, 0.0f}});
  EXPECT_EQ(output[0], -7);
  EXPECT_EQ(std::bit_cast<uint32_t>(output[1]), canonicalNanF32);
  EXPECT_FALSE(std::signbit(output[2]));
}

TEST(OracleTest, copiesKeepEveryBit) {
  Manifest m;
  m.contract = Contract::AllGather;
  m.world = 2;
  m.element = Element::F16;
  m.terms = {{OracleTerm::Input, 0, 0}, {OracleTerm::Input, 1, 0}};
  m.outputs.assign(2, {{0, 0, 1, 1, 0}, {1, 0, 1, 1, 1}});
  std::vector<uint16_t> output =
      evaluate<uint16_t>(m, {{0x7c01, 0xfe55}, {0x0001, 0x8000}}, 1);
  EXPECT_EQ(output, (std::vector<uint16_t>{0x7c01, 0xfe55, 0x0001, 0x8000}));
}

TEST(OracleTest, roundsAtHopsAndAddsRoundedData) {
  // acc(round(acc(x0)) + x1), as a ring does.
  Manifest m;
  m.contract = Contract::AllReduce;
  m.world = 2;
  m.element = Element::BF16;
  m.reduction = Reduction::Sum;
  m.terms = {{OracleTerm::Identity},     {OracleTerm::Input, 0, 0},
             {OracleTerm::Reduce, 0, 1}, {OracleTerm::Input, 1, 0},
             {OracleTerm::Reduce, 2, 3}, {OracleTerm::Round, 4},
             {OracleTerm::Reduce, 2, 5}, {OracleTerm::Finish, 6}};
  m.outputs.assign(2, {{0, 0, 1, 1, 7}});
  uint16_t big = roundBf16(256), one = roundBf16(1);
  // round(256 + 1) = 256 (to even), then 256 + 256.
  EXPECT_EQ(widenBf16(evaluate<uint16_t>(m, {{big}, {one}})[0]), 512);
  EXPECT_EQ(oracleRoundings(m, 0), 2u);
}

TEST(OracleTest, differencesAreFoundByBits) {
  std::vector<float> a(5000, 0.0f), b(5000, 0.0f);
  auto find = [&] {
    return firstDifference(reinterpret_cast<const char *>(a.data()),
                           reinterpret_cast<const char *>(b.data()), 5000,
                           Element::F32);
  };
  EXPECT_EQ(find(), 5000u);
  b[4998] = -0.0f;
  EXPECT_EQ(find(), 4998u);
}

} // namespace
