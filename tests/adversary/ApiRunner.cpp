//===- ApiRunner.cpp - Calls through the C interface ----------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "ApiRunner.h"

#include <chrono>
#include <thread>

namespace rcclx::adversary {

static void expectOk(rcclx_result result) {
  if (result != RCCLX_OK)
    giveUp(rcclx_last_error());
}

template <typename Body> void ApiRunner::onEachRank(Body body) {
  std::vector<std::thread> threads;
  for (uint32_t r = 0; r != ranks.size(); ++r)
    threads.emplace_back(body, r);
  for (std::thread &thread : threads)
    thread.join();
}

ApiRunner::ApiRunner(const std::vector<LoadedPlan> &plans)
    : ranks(plans.front().manifest().world) {
  rcclx_unique_id ids[communicators];
  for (rcclx_unique_id &id : ids)
    expectOk(rcclx_unique_id_create(&id));
  onEachRank([&](uint32_t r) {
    for (size_t c = 0; c != communicators; ++c) {
      rcclx_comm_params params = {};
      params.struct_size = sizeof(params);
      params.id = &ids[c];
      params.rank = r;
      params.world = uint32_t(ranks.size());
      params.timeout_ms = 60'000;
      expectOk(rcclx_comm_create(&params, &ranks[r].comms[c]));
      for (rcclx_stream *&stream : ranks[r].streams[c])
        expectOk(rcclx_stream_create(ranks[r].comms[c], &stream));
      for (const LoadedPlan &plan : plans) {
        rcclx_plan_params p = {};
        p.struct_size = sizeof(p);
        p.plan_dir = plan.plan->directory.c_str();
        expectOk(rcclx_plan_prepare(ranks[r].comms[c], &p,
                                    &ranks[r].plans[c][&plan]));
      }
    }
  });
}

ApiRunner::~ApiRunner() {
  onEachRank([&](uint32_t r) {
    for (size_t c = 0; c != communicators; ++c) {
      for (auto &entry : ranks[r].plans[c])
        expectOk(rcclx_plan_destroy(entry.second));
      for (rcclx_stream *stream : ranks[r].streams[c])
        expectOk(rcclx_stream_destroy(stream));
      expectOk(rcclx_comm_destroy(ranks[r].comms[c]));
    }
  });
}

void ApiRunner::runRank(uint32_t r, std::vector<Call> &calls, uint64_t seed) {
  // All ranks choose the same communicators, and streams of their own.
  Random common(seed), own(seed + 1 + r);
  Rank &rank = ranks[r];
  auto failed = [&](size_t k) {
    std::lock_guard lock(mutex);
    if (!result)
      result = RunFailure{k, rcclx_last_error()};
  };
  for (size_t k = 0; k != calls.size(); ++k) {
    size_t c = below(common, communicators);
    RankBuffers &b = calls[k].buffers(r);
    rcclx_launch_params launch = {};
    launch.struct_size = sizeof(launch);
    launch.plan = rank.plans[c].at(&calls[k].plan());
    launch.input = &b.memory[b.input];
    launch.output = &b.memory[b.output];
    launch.count = calls[k].count();
    if (calls[k].plan().manifest().reduction == runtime::Reduction::PremulSum)
      launch.scale = &b.scale;
    size_t stream = below(own, streamCount + 1);
    launch.stream = stream == streamCount ? nullptr : rank.streams[c][stream];
    if (oneIn(own, 8))
      std::this_thread::sleep_for(std::chrono::microseconds(below(own, 500)));
    if (rcclx_launch(rank.comms[c], &launch) != RCCLX_OK)
      return failed(k);
    if (launch.stream && oneIn(own, 8) &&
        rcclx_stream_synchronize(launch.stream) != RCCLX_OK)
      return failed(k);
  }
  for (auto &streams : rank.streams)
    for (rcclx_stream *stream : streams)
      if (rcclx_stream_synchronize(stream) != RCCLX_OK)
        return failed(calls.size() - 1);
}

RunResult ApiRunner::run(std::vector<Call> &calls, uint64_t seed) {
  onEachRank([&](uint32_t r) { runRank(r, calls, seed); });
  return result;
}

} // namespace rcclx::adversary
