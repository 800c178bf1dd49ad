//===- CallTest.cpp - whole calls, rank against rank ----------------------===//
//
// Part of rcclx. A hand-written kernel in the shape of a generated one: all
// ranks send to all, by ll, sentinel and flag, over several tiles.
//
//===----------------------------------------------------------------------===//
#include "DeviceTesting.h"

namespace rcclx::device {
namespace {

/// Sum over all ranks, by one protocol.
template <typename Protocol, uint32_t World, uint32_t Tile, uint32_t Depth>
void allReduce(const rcclx_kernel_params &params, uint32_t block) {
  using T = rx::F32;
  constexpr bool flag = !Protocol::flagInPacket && !Protocol::flagInData;
  rx::Context context = rx::begin(params, block);
  rx::Context *c = &context;
  rx::open<1>(c);
  size_t tiles = rx::tiles<T, Tile, 1, 1>(c);
  for (size_t tile = 0; tile < tiles; ++tile) {
    if (!rx::alive(c))
      break;
    rx::Range r = rx::range<T, Tile, 1>(c, tile, 0, 1, 1);
    for (uint32_t p = 0; p < World; ++p)
      rx::waitCredit<1, Depth>(c, p, 0, tile);
    rx::acquire(c);
    for (size_t g = rx::first(c, r); g < rx::limit(r); ++g)
      for (uint32_t p = 0; p < World; ++p)
        rx::send<T, Protocol>(c, rx::load<T>(rx::input(c), g),
                              rx::slotTo<Protocol, Tile, Depth>(c, p, 0, tile),
                              r, g);
    rx::release(c);
    for (uint32_t p = 0; p < World; ++p) {
      if (flag) {
        rx::postMessage<1>(c, p, 0, tile);
      }
    }
    if (flag)
      for (uint32_t p = 0; p < World; ++p)
        rx::waitMessage<1>(c, p, 0, tile);
    rx::acquire(c);
    for (size_t g = rx::first(c, r); g < rx::limit(r); ++g) {
      auto acc = rx::identity<T, rx::Sum>();
      for (uint32_t p = 0; p < World; ++p)
        acc = rx::reduce<T, rx::Sum>(
            acc, rx::recv<T, Protocol>(
                     c, rx::slotFrom<Protocol, Tile, Depth>(c, p, 0, tile), r,
                     g, p));
      rx::store<T>(rx::finish<T, rx::Sum, World>(acc), rx::output(c), g);
    }
    rx::release(c);
    for (uint32_t p = 0; p < World; ++p)
      rx::postCredit<1, Depth>(c, p, 0, tile, tiles);
  }
  rx::close<1>(c);
}

using Kernel = void (*)(const rcclx_kernel_params &, uint32_t);

/// Runs sequences of calls on `World` ranks, a thread for each block.
template <uint32_t World> class Calls {
public:
  struct Call {
    Kernel kernel;
    uint64_t count;
    uint32_t grid;
  };

  void run(const std::vector<Call> &calls) {
    std::vector<std::thread> threads;
    std::vector<std::string> errors(World);
    for (uint32_t rank = 0; rank < World; ++rank)
      threads.emplace_back([&, rank] {
        uint64_t number = 0;
        for (const Call &call : calls)
          if (errors[rank].empty())
            errors[rank] = runOne(rank, call, ++number);
      });
    for (std::thread &thread : threads)
      thread.join();
    for (const std::string &error : errors)
      EXPECT_EQ(error, "");
  }

  /// As rules 1 and 3 have it at rest.
  void expectAtRest(uint64_t calls) {
    for (uint32_t to = 0; to < World; ++to)
      for (uint32_t from = 0; from < World; ++from) {
        for (uint32_t b = 0; b < RCCLX_MAX_BLOCKS; ++b)
          ASSERT_EQ(fabric.calls(to, from)[b], calls)
              << "pair " << to << ',' << from << " word " << b;
        const char *region = fabric.region(from, to);
        for (uint64_t at = RCCLX_LL; at < RCCLX_FLAG; ++at)
          ASSERT_EQ(region[at], 0) << "slot byte " << at << " of " << from
                                   << " at " << to << " is not clean";
      }
  }

  Fabric fabric{World};

private:
  std::string runOne(uint32_t rank, const Call &call, uint64_t number) {
    std::vector<float> in(call.count), out(call.count + 1, -1.0f);
    for (uint64_t i = 0; i < call.count; ++i)
      in[i] = float(i * 4 + rank + number);
    rcclx_kernel_params params = fabric.params(rank, call.grid);
    params.count = call.count;
    params.input = reinterpret_cast<const char *>(in.data());
    params.output = reinterpret_cast<char *>(out.data());
    std::vector<std::thread> blocks;
    for (uint32_t b = 1; b < call.grid; ++b)
      blocks.emplace_back([&, b] { call.kernel(params, b); });
    call.kernel(params, 0);
    for (std::thread &block : blocks)
      block.join();
    if (uint64_t failure = fabric.control(rank).failure)
      return "failure " + std::to_string(failure) + " in call " +
             std::to_string(number);
    for (uint64_t i = 0; i < call.count; ++i) {
      float want = 0;
      for (uint32_t r = 0; r < World; ++r)
        want += float(i * 4 + r + number);
      if (out[i] != want)
        return "call " + std::to_string(number) + " element " +
               std::to_string(i) + " is " + std::to_string(out[i]);
    }
    return out[call.count] == -1.0f ? "" : "wrote past the end";
  }
};

/// Any sequence of protocols, counts, grids, tiles and depths.
template <uint32_t World>
std::vector<typename Calls<World>::Call> makeSequence(int calls,
                                                      uint32_t maxGrid) {
  const Kernel kernels[] = {allReduce<rx::LL, World, 4, 1>,
                            allReduce<rx::LL, World, 8, 3>,
                            allReduce<rx::Sentinel, World, 8, 2>,
                            allReduce<rx::Sentinel, World, 16, 4>,
                            allReduce<rx::Flag, World, 4, 1>,
                            allReduce<rx::Flag, World, 16, 3>};
  std::mt19937_64 random = makeRandom();
  std::vector<typename Calls<World>::Call> sequence;
  for (int i = 0; i < calls; ++i)
    sequence.push_back({kernels[random() % std::size(kernels)],
                        random() % 4 ? random() % 700 : random() % 5,
                        uint32_t(1 + random() % maxGrid)});
  return sequence;
}

TEST(Calls, OfTwoRanksFromTheFirst) {
  Calls<2> calls;
  calls.run(makeSequence<2>(200, 1));
  calls.expectAtRest(200);
}

TEST(Calls, OfThreeRanksWithAnyGrid) {
  Calls<3> calls;
  calls.run(makeSequence<3>(60, 5));
  calls.expectAtRest(60);
}

TEST(Calls, PastTwoToTheThirtyTwo) {
  constexpr uint64_t start = (uint64_t(1) << 32) - 50;
  Calls<2> calls;
  calls.fabric.setCalls(start);
  calls.run(makeSequence<2>(100, 3));
  calls.expectAtRest(start + 100);
}

TEST(Calls, PastTwoToTheForty) {
  // Arrival counters wrap here; pair call numbers do not. Words that were never
  // written must not look like one call ahead, so all have been.
  constexpr uint64_t start = (uint64_t(1) << 40) - 50;
  Calls<2> calls;
  calls.fabric.setCalls(start);
  for (uint32_t to = 0; to < 2; ++to)
    for (uint32_t from = 0; from < 2; ++from)
      for (uint32_t word = RCCLX_SIGNAL; word < RCCLX_LL; word += 8)
        *reinterpret_cast<rcclx_u64 *>(calls.fabric.region(from, to) + word) =
            rx::position(start, 0);
  calls.run(makeSequence<2>(100, 2));
  calls.expectAtRest(start + 100);
}

TEST(Calls, StartedCarriesCallAndPlan) {
  Fabric fabric(2);
  fabric.setCalls(6);
  rcclx_kernel_params params = fabric.params(0, 3);
  for (uint32_t block = 0; block < 3; ++block) {
    rx::Context c = rx::begin(params, block);
    rx::open<1>(&c);
    EXPECT_EQ(c.dead, 0u);
  }
  for (uint32_t peer = 0; peer < 2; ++peer) {
    auto *started =
        reinterpret_cast<rcclx_u64 *>(fabric.region(0, peer) + RCCLX_STARTED);
    for (uint32_t block = 0; block < 3; ++block) {
      EXPECT_EQ(started[2 * block], 7u);
      EXPECT_EQ(started[2 * block + 1], params.plan_hash);
    }
    EXPECT_EQ(started[2 * 3], 6u) << "a block that is not of the grid";
  }
}

TEST(Calls, APeerIsNotLeftTwoCallsBehind) {
  // Rank 1 has started call 5 only; rank 0 may run 6, and must wait in 7.
  Fabric fabric(2);
  fabric.control(0).timeout_ticks = 5'000'000;
  rcclx_kernel_params params = fabric.params(0);
  auto open = [&](uint64_t done) {
    fabric.setCalls(done);
    *reinterpret_cast<rcclx_u64 *>(fabric.region(1, 0) + RCCLX_STARTED) = 5;
    rx::Context c = rx::begin(params, 0);
    rx::open<1>(&c);
    return c.dead;
  };
  EXPECT_EQ(open(4), 0u);
  EXPECT_EQ(open(5), 0u);
  EXPECT_EQ(open(6), 1u);
  EXPECT_EQ(fabric.control(0).failure,
            RCCLX_FAILURE_DEADLINE | RCCLX_WAIT_STARTED << 8 | 2u << 16);
  EXPECT_EQ(fabric.control(0).failure_call, 7u);
}

TEST(Calls, OnlyPeersWithAnEdgeAreCounted) {
  Fabric fabric(3);
  rcclx_kernel_params params = fabric.params(0);
  params.edges[0] = 1u << 2;
  rx::Context c = rx::begin(params, 0);
  rx::open<1>(&c);
  rx::close<1>(&c);
  EXPECT_EQ(fabric.calls(0, 0)[0], 0u);
  EXPECT_EQ(fabric.calls(0, 1)[0], 0u);
  for (uint32_t b = 0; b < RCCLX_MAX_BLOCKS; ++b)
    EXPECT_EQ(fabric.calls(0, 2)[b], 1u) << b;
  EXPECT_EQ(*reinterpret_cast<rcclx_u64 *>(fabric.region(0, 1) + RCCLX_STARTED),
            0u);
}

TEST(Calls, AMissingRankEndsTheCallWithinItsDeadline) {
  Fabric fabric(2);
  fabric.control(0).timeout_ticks = 50'000'000;
  std::vector<float> in(5000), out(5000, -1.0f);
  rcclx_kernel_params params = fabric.params(0);
  params.count = in.size();
  params.input = reinterpret_cast<const char *>(in.data());
  params.output = reinterpret_cast<char *>(out.data());
  for (Kernel kernel :
       {allReduce<rx::LL, 2, 4, 1>, allReduce<rx::Sentinel, 2, 8, 2>,
        allReduce<rx::Flag, 2, 4, 1>}) {
    fabric.control(0).failure = 0;
    auto start = readClock();
    kernel(params, 0);
    EXPECT_LT(readClock() - start, 2'000'000'000u);
    EXPECT_EQ(fabric.control(0).failure & 0xff, RCCLX_FAILURE_DEADLINE);
    EXPECT_EQ(fabric.control(0).failure >> 16, 2u) << "names another rank";
    EXPECT_EQ(fabric.calls(0, 1)[0], 0u);
  }
}

} // namespace
} // namespace rcclx::device
