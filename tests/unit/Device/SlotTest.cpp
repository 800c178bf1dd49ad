//===- SlotTest.cpp - slots, packets and sentinels ------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "NumericReference.h"
#include <map>

namespace rcclx::device {
namespace {

using rx::Group;

//===----------------------------------------------------------------------===//
// Where slots lie
//===----------------------------------------------------------------------===//

template <typename Protocol, uint32_t Tile, uint32_t Depth, uint32_t Tags>
void checkOffsets() {
  constexpr uint64_t bytes = uint64_t(Tile) * Protocol::bytesPerGroup;
  static_assert(Tags * Depth * bytes <= RCCLX_HALF_BYTES,
                "not what rcclx-map-to-blocks chooses");
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> byOffset;
  for (uint64_t tag = 0; tag < Tags; ++tag)
    for (uint64_t tile = 0; tile < 3 * Depth; ++tile) {
      uint64_t offset = rx::slotOffset<Protocol, Tile, Depth>(tag, tile);
      ASSERT_LE(offset + bytes, RCCLX_HALF_BYTES);
      std::pair key(tag, tile % Depth);
      auto [found, fresh] = byOffset.insert({offset, key});
      ASSERT_EQ(found->second, key) << "two messages share a slot";
      if (!fresh)
        continue;
      if (found != byOffset.begin())
        ASSERT_GE(offset, std::prev(found)->first + bytes);
      if (std::next(found) != byOffset.end())
        ASSERT_LE(offset + bytes, std::next(found)->first);
    }
  ASSERT_EQ(byOffset.size(), uint64_t(Tags) * Depth);
}

TEST(Slots, OfDifferentMessagesNeverOverlap) {
  checkOffsets<rx::LL, 2048, 4, 2>();
  checkOffsets<rx::LL, 1, 1, 16384>();
  checkOffsets<rx::Sentinel, 2048, 4, 8>();
  checkOffsets<rx::Sentinel, 1000, 3, 14>();
  checkOffsets<rx::Flag, 16384, 4, 1>();
  checkOffsets<rx::Flag, 7, 5, 31>();
  checkOffsets<rx::Direct, 2048, 2, 4>();
}

TEST(Slots, PartsOfARegionAreDisjoint) {
  struct Part {
    uint64_t begin, bytes;
  };
  std::vector<Part> parts = {{RCCLX_STARTED, 16 * RCCLX_MAX_BLOCKS},
                             {RCCLX_SIGNAL, 8 * RCCLX_MAX_BLOCKS},
                             {RCCLX_CREDIT, 8 * RCCLX_MAX_BLOCKS},
                             {RCCLX_PULL_SIGNAL, 8 * RCCLX_MAX_BLOCKS},
                             {RCCLX_PULL_CREDIT, 8 * RCCLX_MAX_BLOCKS},
                             {rx::LL::offset, 2 * RCCLX_HALF_BYTES},
                             {rx::Sentinel::offset, 2 * RCCLX_HALF_BYTES},
                             {rx::Flag::offset, 2 * RCCLX_HALF_BYTES}};
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_LE(parts[i].begin + parts[i].bytes, RCCLX_REGION_BYTES) << i;
    EXPECT_EQ(parts[i].begin % 16, 0u) << i;
    for (size_t j = 0; j < i; ++j)
      EXPECT_TRUE(parts[i].begin >= parts[j].begin + parts[j].bytes ||
                  parts[j].begin >= parts[i].begin + parts[i].bytes)
          << i << ' ' << j;
  }
}

template <typename Protocol> void checkEnds(uint32_t world) {
  Fabric fabric(world);
  for (uint64_t calls : {uint64_t(0), uint64_t(1), (uint64_t(1) << 33) + 1}) {
    fabric.setCalls(calls);
    for (uint32_t from = 0; from < world; ++from)
      for (uint32_t to = 0; to < world; to += 1 + to / 2) {
        rcclx_kernel_params sender = fabric.params(from);
        rcclx_kernel_params receiver = fabric.params(to);
        rx::Context s = rx::begin(sender, 0), r = rx::begin(receiver, 0);
        char *there = rx::slotTo<Protocol, 16, 2>(&s, to, 3, 5);
        ASSERT_EQ(there, (rx::slotFrom<Protocol, 16, 2>(&r, from, 3, 5)));
        uint64_t half = (calls + 1) % 2;
        ASSERT_EQ(there - fabric.region(from, to),
                  ptrdiff_t(Protocol::offset + half * RCCLX_HALF_BYTES +
                            (3 * 2 + 1) * 16 * Protocol::bytesPerGroup));
      }
  }
}
TEST(Slots, BothEndsFindTheSameSlot) {
  checkEnds<rx::LL>(3);
  checkEnds<rx::Sentinel>(3);
  checkEnds<rx::Flag>(3);
  checkEnds<rx::Flag>(17); // the peer table is a pointer
}

TEST(Slots, DirectIsTheOwnersWindow) {
  Fabric fabric(2);
  rcclx_kernel_params owner = fabric.params(0), reader = fabric.params(1);
  rx::Context o = rx::begin(owner, 0), r = rx::begin(reader, 0);
  char *slot = rx::slotTo<rx::Direct, 8, 2>(&o, 0, 1, 3);
  EXPECT_EQ(slot, (rx::slotFrom<rx::Direct, 8, 2>(&r, 0, 1, 3)));
  EXPECT_EQ(slot - owner.window, (1 * 2 + 1) * 8 * 16);
}

//===----------------------------------------------------------------------===//
// What lies in them
//===----------------------------------------------------------------------===//

/// A slot of one group, and both ends of its message.
class OneSlot {
public:
  OneSlot()
      : fabric(1), params(fabric.params(0)), context(rx::begin(params, 0)) {
    fabric.control(0).timeout_ticks = 1'000'000;
  }
  template <typename T, typename Protocol> Group pass(const Group &g) {
    rx::send<T, Protocol>(&context, g, slot, rx::Range{5, 5, 6}, 5);
    return rx::recv<T, Protocol>(&context, slot, rx::Range{5, 5, 6}, 5, 0);
  }
  bool isClean() const {
    for (char c : slot)
      if (c)
        return false;
    return true;
  }

  Fabric fabric;
  rcclx_kernel_params params;
  rx::Context context;
  alignas(16) char slot[32] = {};
};

template <typename T> Group canonical(const Group &g) {
  Group out = {};
  for (uint32_t i = 0; i < rx::Elements<T>::perGroup; ++i)
    rx::Elements<T>::put(out, i, T::canonical(rx::Elements<T>::get(g, i)));
  return out;
}

bool same(const Group &a, const Group &b) {
  return std::memcmp(&a, &b, sizeof(Group)) == 0;
}

/// Any value in any lane arrives, and as its canonical form.
template <typename T>
void checkSentinel(OneSlot &one, typename T::Word bits, const Group &others) {
  for (uint32_t lane = 0; lane < rx::Elements<T>::perGroup; ++lane) {
    Group g = {};
    for (uint32_t i = 0; i < rx::Elements<T>::perGroup; ++i)
      rx::Elements<T>::put(g, i,
                           i == lane ? bits : rx::Elements<T>::get(others, i));
    Group coded = rx::encodeSentinel<T>(g);
    ASSERT_TRUE(rx::arrived<T>(coded)) << std::hex << bits << " in " << lane;
    // A half that is missing is noticed, whatever the other holds.
    Group low = {{coded.word[0], coded.word[1], 0, 0}};
    Group high = {{0, 0, coded.word[2], coded.word[3]}};
    ASSERT_FALSE(rx::arrived<T>(low)) << std::hex << bits;
    ASSERT_FALSE(rx::arrived<T>(high)) << std::hex << bits;
    Group got = one.pass<T, rx::Sentinel>(g);
    ASSERT_TRUE(same(got, canonical<T>(g)))
        << std::hex << bits << " in " << lane;
    ASSERT_TRUE(one.isClean()) << std::hex << bits;
  }
  ASSERT_EQ(one.context.dead, 0u);
}

TEST(Sentinel, EveryNarrowValueArrivesInEveryLane) {
  OneSlot one;
  Group zeros = {}, ones = {{~0u, ~0u, ~0u, ~0u}};
  for (uint32_t bits = 0; bits < 65536; ++bits)
    for (const Group &others : {zeros, ones}) {
      checkSentinel<rx::F16>(one, bits, others);
      checkSentinel<rx::BF16>(one, bits, others);
      if (bits < 256) {
        checkSentinel<rx::F8E4M3FN>(one, bits, others);
        checkSentinel<rx::F8E5M2>(one, bits, others);
      }
      if (testing::Test::HasFatalFailure())
        return;
    }
}

TEST(Sentinel, F64ValuesArrive) {
  OneSlot one;
  std::mt19937_64 random = makeRandom();
  constexpr uint64_t infinity = 0x7ff0000000000000;
  std::vector<uint64_t> values = {0,
                                  uint64_t(1) << 63,
                                  infinity,
                                  infinity + 1,
                                  ~uint64_t(0),
                                  ~uint64_t(0) >> 1,
                                  0xffffffff00000000, // a NaN
                                  0x00000000ffffffff,
                                  0xfffffffeffffffff}; // a NaN
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(random());
    values.push_back(random() | infinity); // NaNs
  }
  for (uint64_t bits : values) {
    Group others = {{~0u, uint32_t(random()), 0, ~0u}};
    checkSentinel<rx::F64>(one, bits, others);
    if (testing::Test::HasFatalFailure())
      return;
  }
}

TEST(Sentinel, F32ValuesArrive) {
  OneSlot one;
  std::mt19937_64 random = makeRandom();
  std::vector<uint32_t> values = {0x0,        0x80000000, 0x7f800000,
                                  0xff800000, 0x7fc00000, 0xffffffff,
                                  0x7fffffff, 0x7f800001, 0xffff0000};
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(uint32_t(random()));
    values.push_back(0x7f800001 + uint32_t(random()) % 0x7ffffe); // NaNs
  }
  for (uint32_t bits : values) {
    Group others = {{~0u, uint32_t(random()), 0, ~0u}};
    checkSentinel<rx::F32>(one, bits, others);
    if (testing::Test::HasFatalFailure())
      return;
  }
}

TEST(Sentinel, ASlotAtRestIsEmpty) {
  EXPECT_FALSE(rx::arrived<rx::F32>(Group{{0, 0, 0, 0}}));
  EXPECT_FALSE(rx::arrived<rx::F16>(Group{{0, 0, 0, 0}}));
  EXPECT_FALSE(rx::arrived<rx::BF16>(Group{{0, 0, 0, 0}}));
  EXPECT_FALSE(rx::arrived<rx::F64>(Group{{0, 0, 0, 0}}));
  EXPECT_FALSE(rx::arrived<rx::F8E4M3FN>(Group{{0, 0, 0, 0}}));
  EXPECT_FALSE(rx::arrived<rx::F8E5M2>(Group{{0, 0, 0, 0}}));
}

TEST(LL, EveryBitArrivesAndTheSlotIsResetToZero) {
  std::mt19937_64 random = makeRandom();
  OneSlot one;
  for (int i = 0; i < 20'000; ++i) {
    Group g;
    for (uint32_t &word : g.word)
      word = i % 3 ? uint32_t(random()) : i % 2 ? ~0u : 0u;
    ASSERT_TRUE(same((one.pass<rx::I32, rx::LL>(g)), g));
    ASSERT_TRUE(one.isClean());
  }
  EXPECT_EQ(one.context.dead, 0u);
}

TEST(LL, WaitsUntilEveryEightBytesHaveCome) {
  // The four words of 8 bytes of a packet arrive in any order.
  OneSlot full;
  Group g = {{0, 1, 0, ~0u}};
  rx::send<rx::F32, rx::LL>(&full.context, g, full.slot, rx::Range{0, 0, 1}, 0);
  for (int missing = 0; missing < 4; ++missing) {
    OneSlot one;
    std::memcpy(one.slot, full.slot, 32);
    std::memset(one.slot + 8 * missing, 0, 8);
    rx::recv<rx::F32, rx::LL>(&one.context, one.slot, rx::Range{0, 0, 1}, 0, 0);
    EXPECT_EQ(one.context.dead, 1u) << "took a packet without part " << missing;
  }
}

TEST(LL, TakesAPacketThatComesLate) {
  OneSlot one;
  one.fabric.control(0).timeout_ticks = 30'000'000'000u;
  Group g = {{0, 0, 7, 0}};
  std::thread sender([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    rcclx_kernel_params params = one.fabric.params(0);
    rx::Context c = rx::begin(params, 0);
    rx::send<rx::F32, rx::LL>(&c, g, one.slot, rx::Range{0, 0, 1}, 0);
  });
  Group got = rx::recv<rx::F32, rx::LL>(&one.context, one.slot,
                                        rx::Range{0, 0, 1}, 0, 0);
  sender.join();
  EXPECT_TRUE(same(got, g));
  EXPECT_EQ(one.context.dead, 0u);
}

TEST(Flag, IsPlainData) {
  OneSlot one;
  Group g = {{~0u, 0, 0x7fc00001, 0xffffffff}};
  EXPECT_TRUE(same((one.pass<rx::F32, rx::Flag>(g)), g));
  EXPECT_EQ(std::memcmp(one.slot, &g, 16), 0);
}

TEST(DeadThread, SendsNothingThatWaitsInTheData) {
  OneSlot one;
  one.context.dead = 1;
  Group g = {{1, 2, 3, 4}};
  rx::send<rx::F32, rx::LL>(&one.context, g, one.slot, rx::Range{0, 0, 1}, 0);
  EXPECT_TRUE(one.isClean());
  rx::send<rx::F32, rx::Sentinel>(&one.context, g, one.slot, rx::Range{0, 0, 1},
                                  0);
  EXPECT_TRUE(one.isClean());
}

} // namespace
} // namespace rcclx::device
