//===- OracleHeaderTest.cpp - The oracle and the device header agree ------===//
//
// Part of rcclx. Two implementations of docs/Numerics.md, written apart: every
// element type and reduction of the list, through a tree with a hop in it, bit
// for bit.
//
//===----------------------------------------------------------------------===//
#include "RuntimeTesting.h"

#include "../../../runtime/lib/exec/Arithmetic.h"
#include "../../../runtime/lib/exec/Oracle.h"
// In the order of the text before every kernel (codegen/device/CMakeLists.txt).
// clang-format off
#include "rcclx_types.h"
#include "rcclx_target_host.h"
#include "rcclx_device.h"
// clang-format on

#include <bit>
#include <cmath>
#include <cstring>
#include <iostream>
#include <random>

using namespace rcclx::runtime;

namespace {

constexpr uint32_t world = 4;
constexpr uint64_t count = 997; // a multiple of no group

/// reduce(reduce(identity, in0), in1), rounded; then in2 and in3; finished. An
/// accumulator is a second operand, too.
Manifest makeManifest(Element element, Reduction reduction) {
  Manifest m;
  m.contract = Contract::AllReduce;
  m.world = world;
  m.element = element;
  m.reduction = reduction;
  m.terms = {{OracleTerm::Identity},     {OracleTerm::Input, 0, 0},
             {OracleTerm::Reduce, 0, 1}, {OracleTerm::Input, 1, 0},
             {OracleTerm::Reduce, 2, 3}, {OracleTerm::Round, 4},
             {OracleTerm::Reduce, 0, 5}, {OracleTerm::Input, 2, 0},
             {OracleTerm::Reduce, 6, 7}, {OracleTerm::Input, 3, 0},
             {OracleTerm::Reduce, 8, 9}, {OracleTerm::Finish, 10}};
  m.outputs.assign(world, {{0, 0, 1, 1, 11}});
  return m;
}

/// Any bits, with many zeros of both signs, NaNs and infinities.
std::vector<char> someInput(uint32_t size, std::mt19937_64 &random) {
  std::vector<char> data(count * size);
  for (char *at = data.data(); at != data.data() + data.size(); at += size) {
    uint64_t r = random(), bits = r >> 3;
    if (r % 8 == 0)
      bits = ~uint64_t(0) << (r >> 8) % 64;
    else if (r % 8 == 1)
      bits = ~uint64_t(0) >> (r >> 8) % 64;
    memcpy(at, &bits, size);
  }
  return data;
}

template <typename T>
rx::Group groupAt(const std::vector<char> &data, size_t g) {
  rx::Group group = {};
  memcpy(&group, data.data() + 16 * g,
         std::min<size_t>(16, data.size() - 16 * g));
  return group;
}

template <typename T, typename Op>
std::vector<char> byHeader(const std::vector<std::vector<char>> &inputs,
                           const std::vector<uint64_t> &scales) {
  std::vector<char> output(inputs[0].size());
  for (size_t g = 0; 16 * g < output.size(); ++g) {
    rx::Group in[world];
    for (uint32_t r = 0; r != world; ++r) {
      in[r] = groupAt<T>(inputs[r], g);
      if (!scales.empty())
        in[r] = rx::multiply<T>(in[r], rx::scaleOf<typename T::Acc>(scales[r]));
    }
    auto acc = rx::identity<T, Op>();
    acc = rx::reduce<T, Op>(acc, in[0]);
    acc = rx::reduce<T, Op>(acc, in[1]);
    rx::Group hop = rx::round<T>(acc);
    acc = rx::reduce<T, Op>(rx::identity<T, Op>(), hop);
    acc = rx::reduce<T, Op>(acc, in[2]);
    acc = rx::reduce<T, Op>(acc, in[3]);
    rx::Group result = rx::finish<T, Op, world>(acc);
    memcpy(output.data() + 16 * g, &result,
           std::min<size_t>(16, output.size() - 16 * g));
  }
  return output;
}

template <typename T, typename Op>
void compare(Element element, Reduction reduction, std::mt19937_64 &random) {
  SCOPED_TRACE(fmt::format("{} {}", name(element), name(reduction)));
  std::vector<std::vector<char>> inputs;
  std::vector<const char *> pointers;
  std::vector<uint64_t> scales;
  for (uint32_t r = 0; r != world; ++r) {
    inputs.push_back(someInput(elementBytes(element), random));
    pointers.push_back(inputs.back().data());
    uint64_t bits = 0;
    memcpy(&bits, inputs.back().data(), sizeof(typename T::Acc));
    if (reduction == Reduction::PremulSum)
      scales.push_back(bits);
  }
  std::vector<char> oracle(inputs[0].size());
  evaluateOracle(makeManifest(element, reduction), 0, count, pointers,
                 oracle.data(), scales);
  std::vector<char> header = byHeader<T, Op>(inputs, scales);
  uint64_t at = firstDifference(header.data(), oracle.data(), count, element);
  ASSERT_EQ(at, count) << "first difference";
}

template <typename Op> struct AllElements {
  static void compareAll(Reduction reduction, std::mt19937_64 &random) {
#define RCCLX_COMPARE(NAME, ...)                                               \
  compare<rx::NAME, Op>(Element::NAME, reduction, random);
    RCCLX_ELEMENTS(RCCLX_COMPARE)
#undef RCCLX_COMPARE
  }
};

/// All codes, and floats at and beside every boundary of the 8-bit formats.
template <typename T, typename Header, uint32_t mantissa>
void compareConversions() {
  for (uint32_t code = 0; code != 1u << 8 * Header::bytes; ++code) {
    float wide = Header::widen(code), other = T::widen(typename T::Data(code));
    ASSERT_EQ(std::isnan(wide), std::isnan(other)) << code;
    if (!std::isnan(wide))
      ASSERT_EQ(std::bit_cast<uint32_t>(wide), std::bit_cast<uint32_t>(other));
    // Three bits more than the format has, and what is beside them.
    auto bits = std::bit_cast<uint32_t>(wide);
    for (uint32_t i = 0; i != 8; ++i)
      for (uint32_t beside : {0u, 1u, ~0u}) {
        auto value =
            std::bit_cast<float>(bits + (i << (20 - mantissa)) + beside);
        ASSERT_EQ(Header::narrow(value), T::round(value))
            << std::hexfloat << value;
      }
  }
}

TEST(OracleHeaderTest, conversions) {
  compareConversions<arithmetic::F16, rx::F16, 10>();
  compareConversions<arithmetic::BF16, rx::BF16, 7>();
  compareConversions<arithmetic::F8E4M3FN, rx::F8E4M3FN, 3>();
  compareConversions<arithmetic::F8E5M2, rx::F8E5M2, 2>();
}

TEST(OracleHeaderTest, everyTypeAndReduction) {
  uint32_t seed = std::random_device{}();
  std::cout << "[   SEED   ] " << seed << "\n";
  std::mt19937_64 random(seed);
  for (int round = 0; round != 10; ++round) {
#define RCCLX_COMPARE(NAME, ...)                                               \
  AllElements<rx::NAME>::compareAll(Reduction::NAME, random);
    RCCLX_REDUCTIONS(RCCLX_COMPARE)
#undef RCCLX_COMPARE
    if (HasFatalFailure())
      return;
  }
}

} // namespace
