//===- SequenceTest.cpp - Any plan after any other ------------------------===//
//
// Part of rcclx. One communicator runs a random sequence of plans and counts:
// slots, call numbers and halves must be as each plan expects, whatever plan
// used them before.
//
//===----------------------------------------------------------------------===//
#include "RuntimeTesting.h"

#include "../../runtime/lib/exec/Oracle.h"
#include "rcclx/rcclx.h"

#include <algorithm>
#include <random>
#include <sstream>
#include <thread>

using namespace rcclx::runtime;
using rcclx::runtime::testing::Scratch;

namespace {

struct PlanChoice {
  std::string schedule, element, reduction, protocol;
  uint32_t root; // modulo the ranks, of schedules that have one
};

std::vector<PlanChoice> choices() {
  std::vector<PlanChoice> result;
  size_t next = 0;
  for (const char *file :
       {"all_reduce_one_shot", "all_reduce_one_shot_pull", "all_reduce_ring",
        "all_reduce_two_shot", "all_gather_direct", "barrier",
        "broadcast_binomial", "reduce_binomial", "scatter_direct",
        "gather_direct", "permute_direct"}) {
    std::ifstream in(fmt::format("{}/{}.mlir", RCCLX_SCHEDULES, file));
    std::stringstream text;
    text << in.rdbuf();
    bool hasRoot = text.str().find("rcclx.root") != std::string::npos;
    for (const char *protocol : {"ll", "flag", "sentinel"}) {
      // Every type and every reduction meet every protocol.
      size_t type = next / 3 + 5 * (next % 3), op = next / 3 + 2 * (next % 3);
      result.push_back(
          {text.str(),
           std::string(elementNames()[type % elementNames().size()]),
           std::string(reductionNames()[op % reductionNames().size()]),
           protocol, hasRoot ? uint32_t(next) : 0});
      ++next;
    }
  }
  return result;
}

/// What all ranks do, from one seed.
struct Call {
  size_t plan;
  uint64_t count;
  uint32_t data;
};
std::vector<Call> calls(size_t plans, uint32_t seed) {
  std::mt19937 random(seed);
  const uint64_t counts[] = {0, 1, 7, 64, 1009, 20000, 150001};
  std::vector<Call> result;
  for (int i = 0; i != 120; ++i)
    result.push_back(
        {random() % plans, counts[random() % 7], uint32_t(random())});
  return result;
}

/// Any bits.
std::vector<char> inputOf(const Manifest &manifest, const Call &call,
                          uint32_t rank) {
  std::vector<char> data(inputBytes(manifest, rank, call.count));
  std::mt19937_64 random(call.data + rank);
  for (size_t i = 0; i < data.size(); i += 8) {
    uint64_t bits = random();
    memcpy(&data[i], &bits, std::min<size_t>(8, data.size() - i));
  }
  return data;
}
/// Of premul_sum; in the accumulator's type, whatever number it is there.
std::vector<uint64_t> scalesOf(const Call &call, uint32_t world) {
  std::vector<uint64_t> scales;
  for (uint32_t r = 0; r != world; ++r)
    scales.push_back(0x3ff800003fc00000 + ((call.data + r) % 1000 << 8));
  return scales;
}

class SequenceTest : public ::testing::TestWithParam<uint32_t> {
protected:
  void runRank(uint32_t rank, uint32_t world) {
    rcclx_comm_params params = {};
    params.struct_size = sizeof(params);
    params.id = &id;
    params.rank = rank;
    params.world = world;
    params.timeout_ms = 60000;
    params.cache_dir = cache.c_str();
    rcclx_comm *comm = nullptr;
    ASSERT_EQ(rcclx_comm_create(&params, &comm), RCCLX_OK)
        << rcclx_last_error();
    std::vector<rcclx_plan *> plans;
    std::vector<Manifest> manifests;
    for (const PlanChoice &choice : choices()) {
      rcclx_plan_params p = {};
      p.struct_size = sizeof(p);
      p.schedule = choice.schedule.data();
      p.schedule_bytes = choice.schedule.size();
      p.element = choice.element.c_str();
      p.reduction = choice.reduction.c_str();
      p.protocol = choice.protocol.c_str();
      p.count = 20000;
      p.root = choice.root % world;
      ASSERT_EQ(rcclx_plan_prepare(comm, &p, &plans.emplace_back()), RCCLX_OK)
          << rcclx_last_error();
      rcclx_plan_info info = {};
      info.struct_size = sizeof(info);
      ASSERT_EQ(rcclx_plan_get_info(plans.back(), &info), RCCLX_OK);
      manifests.push_back(
          *Manifest::parse({info.manifest, info.manifest_bytes}));
    }
    rcclx_stream *streams[2] = {};
    for (rcclx_stream *&stream : streams)
      ASSERT_EQ(rcclx_stream_create(comm, &stream), RCCLX_OK);
    for (const Call &call : calls(plans.size(), world)) {
      const Manifest &manifest = manifests[call.plan];
      std::vector<char> input = inputOf(manifest, call, rank);
      std::vector<char> output(outputBytes(manifest, rank, call.count), 0x55);
      rcclx_launch_params launch = {};
      launch.struct_size = sizeof(launch);
      launch.plan = plans[call.plan];
      // What the rank does not have may be null, or anything.
      char *anything = reinterpret_cast<char *>(uintptr_t(call.data % 2));
      launch.input = input.empty() && call.count != 0 ? anything : input.data();
      launch.output =
          output.empty() && call.count != 0 ? anything : output.data();
      launch.count = call.count;
      launch.stream = streams[call.data % 2]; // order holds between streams
      const std::vector<uint64_t> scales = scalesOf(call, world);
      if (manifest.reduction == Reduction::PremulSum)
        launch.scale = &scales[rank];
      ASSERT_EQ(rcclx_launch(comm, &launch), RCCLX_OK) << rcclx_last_error();
      ASSERT_EQ(rcclx_stream_synchronize(launch.stream), RCCLX_OK)
          << rcclx_last_error();
      std::vector<std::vector<char>> inputs;
      std::vector<const char *> pointers;
      for (uint32_t r = 0; r != world; ++r)
        pointers.push_back(
            inputs.emplace_back(inputOf(manifest, call, r)).data());
      std::vector<char> expected(output.size(), 0x55);
      evaluateOracle(manifest, rank, call.count, pointers, expected.data(),
                     scales);
      ASSERT_TRUE(output == expected)
          << manifest.name << " " << name(manifest.element) << " "
          << name(manifest.reduction) << " " << call.count << " rank " << rank;
    }
    for (rcclx_plan *plan : plans)
      rcclx_plan_destroy(plan);
    for (rcclx_stream *stream : streams)
      rcclx_stream_destroy(stream);
    EXPECT_EQ(rcclx_comm_destroy(comm), RCCLX_OK);
  }

  Scratch scratch;
  const std::string cache = scratch / "cache";
  rcclx_unique_id id;
};

TEST_P(SequenceTest, plansShareSlots) {
  ASSERT_EQ(rcclx_unique_id_create(&id), RCCLX_OK);
  std::vector<std::thread> threads;
  for (uint32_t r = 0; r != GetParam(); ++r)
    threads.emplace_back([&, r] { runRank(r, GetParam()); });
  for (std::thread &thread : threads)
    thread.join();
}

INSTANTIATE_TEST_SUITE_P(Ranks, SequenceTest, ::testing::Values(2, 3, 8));

} // namespace
