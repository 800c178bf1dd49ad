//===- KernelTest.cpp - Calls and clocks of the proof of kernels ----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Clocks.h"
#include "rcclx/Analysis/KernelMachine.h"
// What the header's functions are declared with.
#include "rcclx_target_host.h"

#include "rcclx_tiles.h"
#include "gtest/gtest.h"

namespace rcclx {
namespace {

struct Case {
  uint64_t tile, depth, num, den;
};

// None, depth + 2, depth, depth + 1, one and one tile of the longest slice; the
// second and fourth with a last tile that is not full, where a tile has several
// granules.
TEST(KernelCalls, TileCounts) {
  for (Case c : {Case{2048, 4, 1, 1}, Case{2048, 4, 1, 8}, Case{512, 1, 1, 64},
                 Case{8, 2, 3, 4}, Case{1, 1, 1, 1}, Case{1, 3, 1, 5},
                 Case{65536, 4, 1, 3}, Case{7, 2, 2, 7}}) {
    KernelProgram program;
    program.tile = c.tile;
    program.depth = c.depth;
    std::vector<uint64_t> granules = chooseGranules(program, {{c.num, c.den}});
    ASSERT_EQ(granules.size(), 6u);
    const uint64_t expected[] = {1, c.depth + 2, c.depth, c.depth + 1, 1, 1};
    for (size_t i = 0; i < 6; ++i) {
      uint64_t g = granules[i];
      EXPECT_EQ(rx::tileCount(g, c.num, c.den, c.tile), expected[i])
          << "call " << i << ", tile " << c.tile << ", " << c.num << "/"
          << c.den;
      uint64_t longest = (g * c.num + c.den - 1) / c.den;
      if (c.tile > 1 && (i == 1 || i == 3)) {
        EXPECT_NE(longest % c.tile, 0u)
            << c.tile << " " << c.num << "/" << c.den;
      }
      if (i == 2 && c.den % c.num == 0) {
        EXPECT_EQ(longest % c.tile, 0u);
      }
    }
    EXPECT_EQ(granules[0], 0u);
    if (c.den > c.num) {
      EXPECT_NE(granules[1] * c.num % c.den, 0u) << "even slices";
      EXPECT_LT(granules[4], c.den) << "no empty slice";
    }
  }
}

TEST(KernelCalls, EveryBlockGroupHasItsOwn) {
  KernelProgram program;
  program.tile = 8;
  program.depth = 2;
  EXPECT_EQ(chooseGranules(program, {{1, 2}, {1, 2}}).size(), 6u);
  EXPECT_EQ(chooseGranules(program, {{1, 2}, {1, 1}}).size(), 11u);
  // No stage at all, as in a barrier.
  EXPECT_EQ(chooseGranules(program, {{0, 1}}).size(), 6u);
}

TEST(KernelClock, OrderNeedsReleaseAndAcquire) {
  Clock writer(0, 2), reader(1, 2);
  Moment write = writer.now();
  reader.see(writer.getReleased()); // a signal without release
  reader.acquire();
  EXPECT_FALSE(reader.knows(write));

  writer.release();
  Moment later = writer.now();
  reader.see(writer.getReleased());
  EXPECT_FALSE(reader.knows(write)) << "no acquire yet";
  reader.acquire();
  EXPECT_TRUE(reader.knows(write));
  EXPECT_FALSE(reader.knows(later)) << "after the release";
  EXPECT_TRUE(writer.knows(later)) << "its own";
}

TEST(KernelClock, OrderIsTransitive) {
  Clock first(0, 3), second(1, 3), third(2, 3);
  Moment write = first.now();
  first.release();
  second.see(first.getReleased());
  second.release(); // before the acquire: knows nothing yet
  ReleasedRef early = second.getReleased();
  second.acquire();
  second.release();
  third.see(early);
  third.acquire();
  EXPECT_FALSE(third.knows(write));
  third.see(second.getReleased());
  third.acquire();
  EXPECT_TRUE(third.knows(write));
}

} // namespace
} // namespace rcclx
