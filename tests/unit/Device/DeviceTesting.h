//===- DeviceTesting.h - what the tests of the header share -----*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_DEVICE_DEVICETESTING_H
#define RCCLX_TESTS_DEVICE_DEVICETESTING_H

// In the order of the text before every kernel (codegen/device/CMakeLists.txt).
// clang-format off
#include "rcclx_types.h"
#include "rcclx_target_host.h"
#include "rcclx_device.h"
#include "rcclx_pack.h"
// clang-format on
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace rcclx::device {

/// A generator with a new seed each time, which is printed; RCCLX_TEST_SEED
/// repeats a run.
inline std::mt19937_64 makeRandom() {
  const char *fixed = std::getenv("RCCLX_TEST_SEED");
  uint64_t seed =
      fixed ? std::strtoull(fixed, nullptr, 0) : std::random_device{}();
  std::cout << "[   SEED   ] RCCLX_TEST_SEED=" << seed << std::endl;
  return std::mt19937_64(seed);
}

/// How often waiting threads have called the two host functions.
inline std::atomic<uint64_t> yields, clockReads;

inline void countYield() {
  ++yields;
  std::this_thread::yield();
}
inline rcclx_u64 readClock() {
  ++clockReads;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// All that `world` ranks share: regions, windows, call numbers. Zero, as after
/// the peers have connected.
class Fabric {
public:
  explicit Fabric(uint32_t world) : world(world), ranks(world) {
    for (Rank &rank : ranks) {
      for (uint32_t i = 0; i < world; ++i)
        rank.regions.emplace_back(
            static_cast<char *>(std::calloc(1, RCCLX_REGION_BYTES)));
      rank.window.reset(
          static_cast<char *>(std::calloc(1, RCCLX_WINDOW_BYTES)));
      rank.calls.assign(world, {});
      rank.control.timeout_ticks = 30'000'000'000u;
      rank.peers.resize(world);
    }
    for (uint32_t r = 0; r < world; ++r)
      for (uint32_t p = 0; p < world; ++p)
        ranks[r].peers[p] = {ranks[r].regions[p].get(),
                             ranks[p].regions[r].get(), ranks[p].window.get(),
                             ranks[r].calls[p].data()};
  }

  /// Parameters of a call on `rank`, with an edge to every rank.
  rcclx_kernel_params params(uint32_t rank, uint32_t grid = 1) {
    rcclx_kernel_params p = {};
    p.version = RCCLX_PARAMS_VERSION;
    p.rank = rank;
    p.world = world;
    p.grid = grid;
    p.plan_hash = 0x1234;
    p.window = ranks[rank].window.get();
    p.control = &ranks[rank].control;
    p.host = {countYield, readClock};
    for (uint32_t i = 0; i < world; ++i) {
      p.edges[i / 64] |= uint64_t(1) << i % 64;
      p.readers[i / 64] |= uint64_t(1) << i % 64;
    }
    if (world <= RCCLX_INLINE_PEERS)
      std::copy(ranks[rank].peers.begin(), ranks[rank].peers.end(), p.peers);
    else
      p.peer_table = ranks[rank].peers.data();
    return p;
  }

  /// As if every pair had made `calls` calls.
  void setCalls(uint64_t calls) {
    for (Rank &rank : ranks)
      for (uint32_t p = 0; p < world; ++p) {
        rank.calls[p].fill(calls);
        auto *started = reinterpret_cast<rcclx_u64 *>(rank.regions[p].get() +
                                                      RCCLX_STARTED);
        for (uint32_t b = 0; b < RCCLX_MAX_BLOCKS; ++b)
          started[2 * b] = calls;
      }
  }

  rcclx_control &control(uint32_t rank) { return ranks[rank].control; }
  /// What `from` writes and `to` reads.
  char *region(uint32_t from, uint32_t to) {
    return ranks[to].regions[from].get();
  }
  const std::array<rcclx_u64, RCCLX_MAX_BLOCKS> &calls(uint32_t rank,
                                                       uint32_t peer) {
    return ranks[rank].calls[peer];
  }

private:
  struct Free {
    void operator()(char *p) const { std::free(p); }
  };
  struct Rank {
    std::vector<std::unique_ptr<char, Free>> regions;
    std::unique_ptr<char, Free> window;
    std::vector<std::array<rcclx_u64, RCCLX_MAX_BLOCKS>> calls;
    std::vector<rcclx_peer> peers;
    rcclx_control control = {};
  };
  uint32_t world;
  std::vector<Rank> ranks;
};

} // namespace rcclx::device

#endif // RCCLX_TESTS_DEVICE_DEVICETESTING_H
