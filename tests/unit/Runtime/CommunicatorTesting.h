//===- CommunicatorTesting.h - Ranks as threads -----------------*- C++ -*-===//
//
// Part of rcclx. The plans are those of Fixture/FakeCompiler.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_UNIT_RUNTIME_COMMUNICATORTESTING_H
#define RCCLX_TESTS_UNIT_RUNTIME_COMMUNICATORTESTING_H

#include "FullTests.h"
#include "RuntimeTesting.h"

#include "rcclx/rcclx.h"

#include <functional>
#include <thread>
#include <vector>

namespace rcclx::runtime::testing {

constexpr uint64_t shortMs = 400;

class CommunicatorFixture : public ::testing::Test {
protected:
  CommunicatorFixture() : cache(scratch / "cache") {
    EXPECT_EQ(rcclx_unique_id_create(&id), RCCLX_OK);
  }

  rcclx_comm_params params(uint32_t rank, uint32_t world,
                           uint64_t timeoutMs = 20000) {
    rcclx_comm_params p = {};
    p.struct_size = sizeof(p);
    p.id = &id;
    p.rank = rank;
    p.world = world;
    p.timeout_ms = timeoutMs;
    p.cache_dir = cache.c_str();
    return p;
  }

  static rcclx_plan_params planParams(const std::string &schedule) {
    rcclx_plan_params p = {};
    p.struct_size = sizeof(p);
    p.schedule = schedule.data();
    p.schedule_bytes = schedule.size();
    p.element = "f32";
    p.count = 100;
    return p;
  }

  /// Runs `body(rank, comm)` on one thread per rank. The body destroys comm.
  void eachRank(uint32_t world, uint64_t timeoutMs,
                const std::function<void(uint32_t, rcclx_comm *)> &body) {
    std::vector<std::thread> threads;
    for (uint32_t r = 0; r != world; ++r)
      threads.emplace_back([&, r] {
        rcclx_comm_params p = params(r, world, timeoutMs);
        rcclx_comm *comm = nullptr;
        ASSERT_EQ(rcclx_comm_create(&p, &comm), RCCLX_OK) << rcclx_last_error();
        body(r, comm);
      });
    for (std::thread &thread : threads)
      thread.join();
  }

  Scratch scratch;
  const std::string cache;
  rcclx_unique_id id;
};

/// A rank's plan, stream and buffers.
struct Worker {
  Worker(rcclx_comm *comm, const std::string &schedule, size_t count,
         uint32_t rank)
      : comm(comm), input(count), output(count) {
    for (size_t i = 0; i != count; ++i)
      input[i] = float(i % 17) + float(rank);
    rcclx_plan_params p = {};
    p.struct_size = sizeof(p);
    p.schedule = schedule.data();
    p.schedule_bytes = schedule.size();
    p.element = "f32";
    p.count = count;
    EXPECT_EQ(rcclx_plan_prepare(comm, &p, &plan), RCCLX_OK)
        << rcclx_last_error();
    EXPECT_EQ(rcclx_stream_create(comm, &stream), RCCLX_OK);
  }
  ~Worker() {
    rcclx_plan_destroy(plan);
    rcclx_stream_destroy(stream);
  }

  rcclx_launch_params launchParams() {
    rcclx_launch_params p = {};
    p.struct_size = sizeof(p);
    p.plan = plan;
    p.input = input.data();
    p.output = output.data();
    p.count = input.size();
    p.stream = stream;
    return p;
  }
  rcclx_result launch() {
    rcclx_launch_params p = launchParams();
    return rcclx_launch(comm, &p);
  }
  void expectSum(uint32_t world) {
    for (size_t i = 0; i != output.size(); ++i)
      ASSERT_EQ(output[i],
                float(world) * float(i % 17) + float(world * (world - 1) / 2));
  }

  rcclx_comm *comm;
  std::vector<float> input, output;
  rcclx_plan *plan = nullptr;
  rcclx_stream *stream = nullptr;
};

} // namespace rcclx::runtime::testing

#endif // RCCLX_TESTS_UNIT_RUNTIME_COMMUNICATORTESTING_H
