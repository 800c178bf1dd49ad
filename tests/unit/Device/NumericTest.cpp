//===- NumericTest.cpp - reductions of every element type -----------------===//
//
// Part of rcclx. Every type of the list with every reduction of the list,
// through the functions that kernels call, element by element and bit for bit.
// Built three times, as FormatTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "NumericReference.h"

namespace rcclx::device {
namespace {

using rx::Elements, rx::Group;

/// Elements of any bits, and often of those that are special.
template <typename T> uint64_t someElement(std::mt19937_64 &random) {
  constexpr int bits = 8 * T::bytes;
  constexpr uint64_t ones = ~uint64_t(0) >> (64 - bits);
  constexpr uint64_t sign = uint64_t(1) << (bits - 1);
  uint64_t r = random();
  auto one = narrow<T>(typename T::Acc(1));
  switch (r % 16) {
  case 0:
    return 0;
  case 1:
    return sign; // -0, or the least integer
  case 2:
    return sign - 1; // a NaN, or the largest integer
  case 3:
    return ones;
  case 4:
    return narrow<T>(std::numeric_limits<typename T::Acc>::infinity());
  case 5:
    return sign | narrow<T>(std::numeric_limits<typename T::Acc>::infinity());
  case 6: // a denormal, or a small integer
    return (r >> 32 & 7) | (r >> 40 & 1 ? sign : 0);
  case 7:
  case 8: // near one: partial results keep their digits
    return one + (r >> 32) % 64;
  default:
    return r >> 4 & ones;
  }
}

template <typename T> Group someGroup(std::mt19937_64 &random) {
  Group g = {};
  for (uint32_t i = 0; i < Elements<T>::perGroup; ++i)
    Elements<T>::put(g, i, typename T::Word(someElement<T>(random)));
  return g;
}

/// What a schedule may do with `groups`, one after the other: reduce, with a
/// hop before group `hop`, and finish.
template <typename T, typename Op, uint32_t World>
Group reduceGroups(const std::vector<Group> &groups, size_t hop) {
  auto acc = rx::identity<T, Op>();
  for (size_t i = 0; i < groups.size(); ++i) {
    if (i == hop)
      acc = rx::reduce<T, Op>(rx::identity<T, Op>(), rx::round<T>(acc));
    acc = rx::reduce<T, Op>(acc, groups[i]);
  }
  return rx::finish<T, Op, World>(acc);
}

template <typename T, typename Op, uint32_t World>
uint64_t reduceElements(const std::vector<Group> &groups, size_t hop,
                        uint32_t lane) {
  typename T::Acc acc = widen<T>(Elements<T>::get(groups[0], lane));
  for (size_t i = 1; i < groups.size(); ++i) {
    if (i == hop)
      acc = widen<T>(narrow<T>(acc));
    acc = combine(Op(), acc, widen<T>(Elements<T>::get(groups[i], lane)));
  }
  return narrow<T>(finish(Op(), acc, World));
}

template <typename T, typename Op, uint32_t World>
void checkReduction(std::mt19937_64 &random) {
  for (int round = 0; round < 2000; ++round) {
    std::vector<Group> groups(1 + random() % 6);
    for (Group &g : groups)
      g = someGroup<T>(random);
    size_t hop = 1 + random() % 8;
    Group got = reduceGroups<T, Op, World>(groups, hop);
    for (uint32_t lane = 0; lane < Elements<T>::perGroup; ++lane) {
      uint64_t wanted = reduceElements<T, Op, World>(groups, hop, lane);
      ASSERT_EQ(Elements<T>::get(got, lane), wanted)
          << groups.size() << " groups, hop " << hop << ", lane " << lane
          << ", first " << std::hex << Elements<T>::get(groups[0], lane);
    }
  }
}

template <typename T> class Numeric : public testing::Test {
protected:
  void SetUp() override {
#if defined(__F16C__)
    if (!__builtin_cpu_supports("f16c"))
      GTEST_SKIP() << "this CPU has no F16C";
#endif
  }
};
TYPED_TEST_SUITE(Numeric, AllTypes);

TYPED_TEST(Numeric, EveryReduction) {
  std::mt19937_64 random = makeRandom();
#define RCCLX_CHECK(NAME, TEXT)                                                \
  {                                                                            \
    SCOPED_TRACE(#TEXT);                                                       \
    checkReduction<TypeParam, rx::NAME, 3>(random);                            \
  }
  RCCLX_REDUCTIONS(RCCLX_CHECK)
#undef RCCLX_CHECK
}

TYPED_TEST(Numeric, AverageOfAnyNumberOfRanks) {
  std::mt19937_64 random = makeRandom();
  checkReduction<TypeParam, rx::Avg, 1>(random);
  checkReduction<TypeParam, rx::Avg, 2>(random);
  checkReduction<TypeParam, rx::Avg, 7>(random);
  checkReduction<TypeParam, rx::Avg, 128>(random); // no i8
  checkReduction<TypeParam, rx::Avg, 255>(random);
  checkReduction<TypeParam, rx::Avg, 256>(random); // no u8
}

/// reduce(identity, x) is x, whatever x: -0 and NaN, too.
template <typename T, typename Op> void checkIdentity(uint64_t code) {
  Group g = {};
  for (uint32_t i = 0; i < Elements<T>::perGroup; ++i)
    Elements<T>::put(g, i, typename T::Word(code));
  Group out = rx::round<T>(rx::reduce<T, Op>(rx::identity<T, Op>(), g));
  for (uint32_t i = 0; i < Elements<T>::perGroup; ++i)
    ASSERT_EQ(Elements<T>::get(out, i), narrow<T>(widen<T>(code)))
        << std::hex << code;
}
TYPED_TEST(Numeric, IdentitiesAreNeutral) {
  std::mt19937_64 random = makeRandom();
  // All codes of narrow types.
  uint64_t codes = TypeParam::bytes <= 2 ? 1u << 8 * TypeParam::bytes : 20'000;
  for (uint64_t i = 0; i < codes; ++i) {
    uint64_t code = TypeParam::bytes <= 2 ? i : someElement<TypeParam>(random);
#define RCCLX_CHECK(NAME, TEXT) checkIdentity<TypeParam, rx::NAME>(code);
    RCCLX_REDUCTIONS(RCCLX_CHECK)
#undef RCCLX_CHECK
    if (testing::Test::HasFatalFailure())
      return;
  }
}

/// Two operands may come in either order, NaN included.
TYPED_TEST(Numeric, OperandsMayBeExchanged) {
  std::mt19937_64 random = makeRandom();
  for (int i = 0; i < 20'000; ++i) {
    auto a = TypeParam::widen(
        typename TypeParam::Word(someElement<TypeParam>(random)));
    auto b = TypeParam::widen(
        typename TypeParam::Word(someElement<TypeParam>(random)));
#define RCCLX_CHECK(NAME, TEXT)                                                \
  ASSERT_EQ(TypeParam::narrow(rx::Reduction<rx::NAME>::combine(a, b)),         \
            TypeParam::narrow(rx::Reduction<rx::NAME>::combine(b, a)))         \
      << #TEXT << ' ' << +a << ' ' << +b;
    RCCLX_REDUCTIONS(RCCLX_CHECK)
#undef RCCLX_CHECK
  }
}

TYPED_TEST(Numeric, InputsAreMultipliedAndRoundedOnce) {
  using Acc = typename TypeParam::Acc;
  std::mt19937_64 random = makeRandom();
  for (int round = 0; round < 20'000; ++round) {
    Group g = someGroup<TypeParam>(random);
    // A scale of the accumulator's type: more digits than elements have.
    Acc scale = widen<TypeParam>(someElement<TypeParam>(random));
    if (round % 2)
      scale = fromBits<Acc>(random());
    ASSERT_EQ(toBits(rx::scaleOf<Acc>(toBits(scale))), toBits(scale));
    Group got = rx::multiply<TypeParam>(g, scale);
    for (uint32_t lane = 0; lane < Elements<TypeParam>::perGroup; ++lane) {
      uint64_t x = Elements<TypeParam>::get(g, lane);
      ASSERT_EQ(
          Elements<TypeParam>::get(got, lane),
          narrow<TypeParam>(combine(rx::Prod(), widen<TypeParam>(x), scale)))
          << std::hex << x << " times " << toBits(scale);
    }
  }
}

//===----------------------------------------------------------------------===//
// What docs/Numerics.md states in words
//===----------------------------------------------------------------------===//

/// `finish` of the reduction of one group for each value, all lanes alike.
template <typename T, typename Op, uint32_t World>
uint64_t reduceValues(std::initializer_list<double> values) {
  std::vector<Group> groups;
  for (double value : values) {
    Group &g = groups.emplace_back();
    for (uint32_t i = 0; i < Elements<T>::perGroup; ++i)
      Elements<T>::put(
          g, i,
          typename T::Word(narrow<T>(static_cast<typename T::Acc>(value))));
  }
  return Elements<T>::get(reduceGroups<T, Op, World>(groups, 99), 0);
}

TEST(Numbers, NarrowFloatsAccumulateInF32) {
  // 2048 + 1 is not an f16, 256 + 1 no bf16, 16 + 1 no f8E4M3FN.
  EXPECT_EQ((reduceValues<rx::F16, rx::Sum, 3>({2048, 1, 1})), 0x6801u);
  EXPECT_EQ((reduceValues<rx::BF16, rx::Sum, 3>({256, 1, 1})), 0x4381u);
  EXPECT_EQ((reduceValues<rx::F8E4M3FN, rx::Sum, 3>({16, 1, 1})), 0x59u);
  // Neither is 448 + 448 - 448.
  EXPECT_EQ((reduceValues<rx::F8E4M3FN, rx::Sum, 3>({448, 448, -448})), 0x7eu);
}
TEST(Numbers, EightBitFloatsSaturate) {
  EXPECT_EQ((reduceValues<rx::F8E4M3FN, rx::Sum, 2>({448, 448})), 0x7eu);
  EXPECT_EQ((reduceValues<rx::F8E4M3FN, rx::Sum, 2>({-448, -448})), 0xfeu);
  EXPECT_EQ((reduceValues<rx::F8E5M2, rx::Prod, 2>({57344, 2})), 0x7bu);
  EXPECT_EQ((reduceValues<rx::F16, rx::Sum, 2>({65504, 65504})), 0x7c00u);
}
TEST(Numbers, ANumberBeatsNan) {
  EXPECT_EQ((reduceValues<rx::F32, rx::Max, 2>({NAN, -1})), 0xbf800000u);
  EXPECT_EQ((reduceValues<rx::F32, rx::Min, 2>({1, NAN})), 0x3f800000u);
  EXPECT_EQ((reduceValues<rx::F32, rx::Min, 2>({NAN, NAN})), 0x7fc00000u);
  EXPECT_EQ((reduceValues<rx::F32, rx::Sum, 2>({NAN, 1})), 0x7fc00000u);
}
TEST(Numbers, SignedZeros) {
  EXPECT_EQ((reduceValues<rx::F32, rx::Max, 2>({-0.0, 0.0})), 0u);
  EXPECT_EQ((reduceValues<rx::F32, rx::Min, 2>({0.0, -0.0})), 0x80000000u);
  EXPECT_EQ((reduceValues<rx::F32, rx::Sum, 2>({-0.0, -0.0})), 0x80000000u);
  EXPECT_EQ((reduceValues<rx::F32, rx::Sum, 2>({-0.0, 0.0})), 0u);
  EXPECT_EQ((reduceValues<rx::F32, rx::Prod, 2>({-0.0, 1})), 0x80000000u);
}
TEST(Numbers, IntegersWrapAndAveragesTruncate) {
  EXPECT_EQ((reduceValues<rx::I8, rx::Sum, 2>({127, 1})), 0x80u);
  EXPECT_EQ((reduceValues<rx::U8, rx::Prod, 2>({16, 16})), 0u);
  EXPECT_EQ((reduceValues<rx::I8, rx::Avg, 3>({-1, -1, -3})), 0xffu);
  // The sum wraps first: 200 + 100 is 44.
  EXPECT_EQ((reduceValues<rx::U8, rx::Avg, 2>({200, 100})), 22u);
  EXPECT_EQ((reduceValues<rx::U8, rx::Avg, 256>({255})), 0u);
  EXPECT_EQ((reduceValues<rx::I64, rx::Avg, 2>({-7, 0})), uint64_t(-3));
}

} // namespace
} // namespace rcclx::device
