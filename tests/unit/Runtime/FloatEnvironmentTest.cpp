//===- FloatEnvironmentTest.cpp - Kernels under a program's rounding ------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "RuntimeTesting.h"

#include "../../../runtime/lib/device/HostStream.h"

#include <bit>
#include <cfenv>
#include <limits>
#include <thread>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace rcclx::runtime;

namespace {

constexpr float denormal = std::numeric_limits<float>::denorm_min();

/// 1 + 2^-30, and a denormal times 3, of every block.
void kernel(const rcclx_kernel_params &params, unsigned block) {
  auto *in = reinterpret_cast<const volatile float *>(params.input);
  auto *out = reinterpret_cast<volatile float *>(params.output) + 2 * block;
  out[0] = in[0] + in[1];
  out[1] = in[2] * in[3];
}

TEST(FloatEnvironmentTest, kernelsRoundToNearestAndKeepDenormals) {
  // Threads take over what the one that starts them has.
  std::thread([] {
    ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
#if defined(__x86_64__)
    const unsigned flush = 0x8040; // results and operands
    _mm_setcsr(_mm_getcsr() | flush);
#endif
    const float in[] = {1, 0x1p-30f, denormal, 3};
    BlockTeam team;
    for (unsigned grid : {1u, 3u}) {
      ASSERT_OK(team.reserve(grid));
      float out[6] = {};
      rcclx_kernel_params params = {};
      params.grid = grid;
      params.input = reinterpret_cast<const char *>(in);
      params.output = reinterpret_cast<char *>(out);
      team.run(kernel, params);
      for (unsigned block = 0; block != grid; ++block) {
        EXPECT_EQ(std::bit_cast<uint32_t>(out[2 * block]), 0x3f800000u);
        EXPECT_EQ(std::bit_cast<uint32_t>(out[2 * block + 1]), 3u);
      }
    }
    // The caller has its own again.
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
#if defined(__x86_64__)
    EXPECT_EQ(_mm_getcsr() & flush, flush);
#endif
  }).join();
}

} // namespace
