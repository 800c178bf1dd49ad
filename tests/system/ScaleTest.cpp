//===- ScaleTest.cpp - The scale of premul_sum, through the C ABI ---------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "RuntimeTesting.h"

#include "rcclx/rcclx.h"

#include <sstream>

using rcclx::runtime::testing::Scratch;

namespace {

/// One thread that drives two ranks.
class ScaleTest : public ::testing::Test {
protected:
  static constexpr uint32_t world = 2;
  static constexpr size_t count = 1009;

  void SetUp() override {
    ASSERT_EQ(rcclx_unique_id_create(&id), RCCLX_OK);
    ASSERT_EQ(rcclx_group_begin(), RCCLX_OK);
    for (uint32_t r = 0; r != world; ++r) {
      rcclx_comm_params params = {};
      params.struct_size = sizeof(params);
      params.id = &id;
      params.rank = r;
      params.world = world;
      params.cache_dir = cache.c_str();
      ASSERT_EQ(rcclx_comm_create(&params, &comm[r]), RCCLX_OK);
    }
    ASSERT_EQ(rcclx_group_end(), RCCLX_OK) << rcclx_last_error();
    for (uint32_t r = 0; r != world; ++r)
      ASSERT_EQ(rcclx_stream_create(comm[r], &stream[r]), RCCLX_OK);
  }
  void prepare(const char *element, const char *reduction) {
    std::ifstream in(RCCLX_SCHEDULES "/all_reduce_ring.mlir");
    std::stringstream text;
    text << in.rdbuf();
    const std::string schedule = text.str();
    ASSERT_EQ(rcclx_group_begin(), RCCLX_OK);
    for (uint32_t r = 0; r != world; ++r) {
      rcclx_plan_params params = {};
      params.struct_size = sizeof(params);
      params.schedule = schedule.data();
      params.schedule_bytes = schedule.size();
      params.element = element;
      params.reduction = reduction;
      params.count = count;
      ASSERT_EQ(rcclx_plan_prepare(comm[r], &params, &plan[r]), RCCLX_OK);
    }
    ASSERT_EQ(rcclx_group_end(), RCCLX_OK) << rcclx_last_error();
  }
  void TearDown() override {
    for (uint32_t r = 0; r != world; ++r) {
      rcclx_plan_destroy(plan[r]);
      rcclx_stream_destroy(stream[r]);
      EXPECT_EQ(rcclx_comm_destroy(comm[r]), RCCLX_OK);
    }
  }

  rcclx_launch_params call(uint32_t rank, const void *input, void *output,
                           const void *scale) {
    rcclx_launch_params params = {};
    params.struct_size = sizeof(params);
    params.plan = plan[rank];
    params.input = input;
    params.output = output;
    params.count = count;
    params.stream = stream[rank];
    params.scale = scale;
    return params;
  }
  /// Launches on both ranks, in a group or one after the other, and overwrites
  /// the scales before the calls can end.
  template <typename T, typename Scale>
  void expectSum(bool inGroup, const std::vector<Scale> &scales, T wanted) {
    std::vector<T> input(count, T(2)), output[world];
    std::vector<Scale> passed = scales;
    if (inGroup)
      ASSERT_EQ(rcclx_group_begin(), RCCLX_OK);
    for (uint32_t r = 0; r != world; ++r) {
      output[r].assign(count, T(77));
      auto params = call(r, input.data(), output[r].data(), &passed[r]);
      ASSERT_EQ(rcclx_launch(comm[r], &params), RCCLX_OK) << rcclx_last_error();
      passed[r] = Scale(99);
    }
    if (inGroup)
      ASSERT_EQ(rcclx_group_end(), RCCLX_OK) << rcclx_last_error();
    for (uint32_t r = 0; r != world; ++r) {
      ASSERT_EQ(rcclx_stream_synchronize(stream[r]), RCCLX_OK);
      for (size_t i = 0; i != count; ++i)
        ASSERT_EQ(output[r][i], wanted) << "rank " << r << " element " << i;
    }
  }

  Scratch scratch;
  const std::string cache = scratch / "cache";
  rcclx_unique_id id;
  rcclx_comm *comm[world] = {};
  rcclx_stream *stream[world] = {};
  rcclx_plan *plan[world] = {};
};

TEST_F(ScaleTest, isEachRanksOwnAndReadAtTheLaunch) {
  prepare("f32", "premul_sum");
  for (bool inGroup : {false, true}) {
    expectSum<float, float>(inGroup, {3, 0.25f}, 6.5f);
    expectSum<float, float>(inGroup, {-1, 1}, 0.0f); // another in each call
  }
}

TEST_F(ScaleTest, hasTheAccumulatorsType) {
  // The input's elements are 2 * 2^-133, the least bf16 denormals but one, and
  // an f32 makes 3 * 2^-133 of each; no bf16 would be passed as 4 bytes.
  prepare("bf16", "premul_sum");
  expectSum<uint16_t, float>(false, {1.5f, 0.5f}, 4);
}

TEST_F(ScaleTest, wrapsOfIntegers) {
  prepare("u8", "premul_sum");
  expectSum<uint8_t, uint8_t>(true, {200, 100}, uint8_t(2 * 200 + 2 * 100));
}

void expectRefused(rcclx_result result, const std::string &text) {
  EXPECT_EQ(result, RCCLX_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rcclx_last_error()).find(text), std::string::npos)
      << rcclx_last_error();
}

TEST_F(ScaleTest, isNeededByPremulSumAndRefusedByOthers) {
  std::vector<uint64_t> in(count), out(count);
  float scale = 1;
  for (auto [element, wanted] : {std::pair("f8E5M2", "point to one f32"),
                                 std::pair("i64", "point to one i64")}) {
    prepare(element, "premul_sum");
    auto without = call(0, in.data(), out.data(), nullptr);
    expectRefused(rcclx_launch(comm[0], &without), wanted);
    // A struct of before there was one.
    without.struct_size = offsetof(rcclx_launch_params, scale);
    expectRefused(rcclx_launch(comm[0], &without), wanted);
    ASSERT_EQ(rcclx_group_begin(), RCCLX_OK);
    expectRefused(rcclx_launch(comm[0], &without), wanted);
    ASSERT_EQ(rcclx_group_end(), RCCLX_OK);
    for (rcclx_plan *&each : plan) {
      rcclx_plan_destroy(each);
      each = nullptr;
    }
  }
  prepare("f32", "prod");
  auto with = call(0, in.data(), out.data(), &scale);
  expectRefused(rcclx_launch(comm[0], &with), "is for prod: leave it NULL");
}

} // namespace
