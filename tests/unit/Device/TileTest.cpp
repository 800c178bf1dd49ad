//===- TileTest.cpp - who does what of a slice ----------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "DeviceTesting.h"

namespace rcclx::device {
namespace {

/// Every granule of part `a` of `Den` is done once by each block group: by one
/// block, in one tile.
template <typename T, uint32_t Tile, uint64_t Den, uint32_t Groups,
          uint32_t Group>
void checkPart(std::mt19937_64 &random) {
  uint64_t count = random() % 5 ? random() % 40'000 : random() % 40;
  // Enough for many tiles, few enough to walk.
  if (Tile == 1)
    count %= 3'000;
  uint32_t blocks =
      random() % 3 ? 1 + random() % 9 : 1 + random() % (512 / Groups);
  uint32_t grid = blocks * Groups;
  rcclx_kernel_params params = {};
  params.count = count;
  params.grid = grid;
  rx::Context context = {&params, 0, 0, 0, 0};

  constexpr uint64_t perGroup = 16 / T::bytes;
  uint64_t granules = (count + perGroup - 1) / perGroup;
  uint64_t tiles = rx::tiles<T, Tile, 1, Den>(&context);
  ASSERT_GE(tiles, 1u);
  uint64_t cover = 0;
  for (uint64_t a = 0; a < Den; ++a) {
    uint64_t next = a * granules / Den, end = (a + 1) * granules / Den;
    ASSERT_EQ(next, cover) << "parts of a block are not adjacent";
    for (uint64_t tile = 0; tile < tiles; ++tile) {
      uint64_t origin = 0;
      uint32_t members = 0;
      for (context.block = 0; context.block < grid; ++context.block) {
        if (!rx::inGroup<Groups, Group>(&context))
          continue;
        rx::Range r = rx::range<T, Tile, Groups>(&context, tile, a, 1, Den);
        if (members++ == 0)
          origin = r.origin;
        ASSERT_EQ(r.origin, origin) << "depends on the block";
        if (r.lo >= rx::limit(r))
          continue;
        ASSERT_EQ(r.lo, next) << "count " << count << " grid " << grid
                              << " tile " << tile << " block " << context.block;
        ASSERT_LE(r.hi, end);
        ASSERT_LE(r.hi - r.origin, Tile) << "leaves its slot";
        ASSERT_GE(r.lo, r.origin);
        next = r.hi;
      }
      ASSERT_EQ(members, blocks) << "block groups are of equal size";
    }
    ASSERT_EQ(next, end) << "count " << count << " grid " << grid << " part "
                         << a << " of " << Den;
    cover = end;
  }
  ASSERT_EQ(cover, granules);
}

template <typename T, uint32_t Tile> void checkParts(std::mt19937_64 &random) {
  for (int i = 0; i < 30 && !testing::Test::HasFatalFailure(); ++i) {
    checkPart<T, Tile, 1, 1, 0>(random);
    checkPart<T, Tile, 2, 1, 0>(random);
    checkPart<T, Tile, 3, 2, 0>(random);
    checkPart<T, Tile, 3, 2, 1>(random);
    checkPart<T, Tile, 7, 5, 3>(random);
    checkPart<T, Tile, 16, 1, 0>(random);
  }
}

TEST(Tiles, BlocksPartitionEverySliceOnce) {
  std::mt19937_64 random = makeRandom();
  checkParts<rx::F32, 1>(random);
  checkParts<rx::F32, 7>(random);
  checkParts<rx::BF16, 64>(random);
  checkParts<rx::F16, 1000>(random);
  checkParts<rx::I32, 2048>(random);
}

TEST(Tiles, ABlockKeepsItsPartOfASlot) {
  // A slot is handed back by the block that read it: if the last tile were cut
  // otherwise, a block would write what another one has not read yet.
  std::mt19937_64 random = makeRandom();
  for (int i = 0; i < 20'000; ++i) {
    constexpr uint32_t tile = 64;
    rcclx_kernel_params params = {};
    params.count = random() % 2'000;
    params.grid = 1 + random() % 9;
    uint64_t d = 1 + random() % 4, a = random() % d;
    std::vector<uint32_t> owner(tile, ~0u);
    for (uint64_t t = 0; t < 2'000 / 4 / tile + 2; ++t)
      for (uint32_t block = 0; block < params.grid; ++block) {
        rx::Context context = {&params, 0, block, 0, 0};
        rx::Range r = rx::range<rx::F32, tile, 1>(&context, t, a, 1, d);
        for (uint64_t g = r.lo; g < r.hi; ++g) {
          uint32_t &first = owner.at(g - r.origin);
          if (first == ~0u)
            first = block;
          ASSERT_EQ(first, block) << "count " << params.count << " grid "
                                  << params.grid << " tile " << t;
        }
      }
  }
}

TEST(Tiles, LongerAndNestedSlicesAgreeWithTheirParts) {
  std::mt19937_64 random = makeRandom();
  constexpr uint32_t all = 1u << 20; // one tile
  for (int i = 0; i < 20'000; ++i) {
    rcclx_kernel_params params = {};
    params.count = random() % 100'000;
    params.grid = 1;
    rx::Context context = {&params, 0, 0, 0, 0};
    uint64_t n = 1 + random() % 16, m = 1 + random() % 16;
    uint64_t part = random() % n, sub = random() % m;
    uint64_t length = 1 + random() % (n - part);
    // [part for length of n] is where its parts are.
    rx::Range whole = rx::range<rx::BF16, all, 1>(&context, 0, part, length, n);
    rx::Range head = rx::range<rx::BF16, all, 1>(&context, 0, part, 1, n);
    rx::Range tail =
        rx::range<rx::BF16, all, 1>(&context, 0, part + length - 1, 1, n);
    ASSERT_EQ(whole.lo, head.lo);
    ASSERT_EQ(whole.hi, tail.hi);
    // Equal rationals, equal boundaries.
    rx::Range scaled =
        rx::range<rx::BF16, all, 1>(&context, 0, part * m, length * m, n * m);
    ASSERT_EQ(scaled.lo, whole.lo);
    ASSERT_EQ(scaled.hi, whole.hi);
    // A part of a part lies inside it.
    rx::Range inner =
        rx::range<rx::BF16, all, 1>(&context, 0, part * m + sub, 1, n * m);
    ASSERT_GE(inner.lo, head.lo);
    ASSERT_LE(inner.hi, head.hi);
  }
}

TEST(Tiles, ThreadsOfABlockShareItsRange) {
  rcclx_kernel_params params = {};
  params.count = 4 * 1000;
  params.grid = 3;
  std::vector<int> done(1000);
  for (uint32_t block = 0; block < 3; ++block)
    for (uint32_t thread = 0; thread < 64; ++thread) {
      rx::Context context = {&params, 0, block, thread, 0};
      for (uint64_t tile = 0; tile < 8; ++tile) {
        rx::Range r = rx::range<rx::F32, 128, 1>(&context, tile, 0, 1, 1);
        for (size_t g = rx::first(&context, r); g < rx::limit(r);
             g += rx::stride<64>())
          for (size_t i = g; i < g + rx::packGroups && i < rx::limit(r); ++i)
            ++done.at(i);
      }
    }
  EXPECT_EQ(done, std::vector<int>(1000, 1));
}

template <uint32_t Groups, uint32_t... Group>
void checkGroups(std::integer_sequence<uint32_t, Group...>) {
  rcclx_kernel_params params = {};
  params.grid = Groups * 3;
  for (uint32_t block = 0; block < params.grid; ++block) {
    rx::Context context = {&params, 0, block, 0, 0};
    EXPECT_EQ((int(rx::inGroup<Groups, Group>(&context)) + ...), 1) << block;
  }
}
TEST(Tiles, EveryBlockIsInOneGroup) {
  checkGroups<1>(std::make_integer_sequence<uint32_t, 1>());
  checkGroups<4>(std::make_integer_sequence<uint32_t, 4>());
  checkGroups<7>(std::make_integer_sequence<uint32_t, 7>());
}

TEST(Tiles, EmptyMessagesHaveOneTile) {
  rcclx_kernel_params params = {};
  rx::Context context = {&params, 0, 0, 0, 0};
  EXPECT_EQ((rx::tiles<rx::F32, 64, 1, 8>(&context)), 1u);
  EXPECT_EQ((rx::tiles<rx::F32, 64, 0, 1>(&context)), 1u); // no slices at all
  params.count = 1;
  EXPECT_EQ((rx::tiles<rx::F32, 64, 1, 8>(&context)), 1u);
  params.count = 4 * 64 * 8;
  EXPECT_EQ((rx::tiles<rx::F32, 64, 1, 8>(&context)), 1u);
  params.count += 1;
  EXPECT_EQ((rx::tiles<rx::F32, 64, 1, 8>(&context)), 2u);
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

/// Rounds the exact quotient down.
int64_t floorOf(int64_t a, int64_t b) {
  auto q = __int128(a) / b;
  if (__int128(a) % b != 0 && (a < 0) != (b < 0))
    --q;
  return int64_t(q);
}

TEST(Index, AgainstExactArithmetic) {
  std::mt19937_64 random = makeRandom();
  for (int i = 0; i < 100'000; ++i) {
    int shiftA = int(random() % 63), shiftB = int(random() % 63);
    int64_t a = int64_t(random()) >> shiftA, b = int64_t(random()) >> shiftB;
    if (b == 0 || (a == INT64_MIN && b == -1))
      continue;
    uint64_t ua = uint64_t(a), ub = uint64_t(b);
    ASSERT_EQ(int64_t(rx::divide(ua, ub)), a / b);
    ASSERT_EQ(int64_t(rx::remainder(ua, ub)), a % b);
    ASSERT_EQ(int64_t(rx::floorDivide(ua, ub)), floorOf(a, b)) << a << '/' << b;
    ASSERT_EQ(int64_t(rx::ceilDivide(ua, ub)), floorOf(a, b) + (a % b != 0))
        << a << '/' << b;
    ASSERT_EQ(rx::divideUnsigned(ua, ub), ua / ub);
    ASSERT_EQ(rx::remainderUnsigned(ua, ub), ua % ub);
    ASSERT_EQ(rx::ceilDivideUnsigned(ua, ub), ua / ub + (ua % ub != 0));
    ASSERT_EQ(int64_t(rx::minimum(ua, ub)), std::min(a, b));
    ASSERT_EQ(int64_t(rx::maximum(ua, ub)), std::max(a, b));
    ASSERT_EQ(rx::minimumUnsigned(ua, ub), std::min(ua, ub));
    ASSERT_EQ(rx::maximumUnsigned(ua, ub), std::max(ua, ub));
  }
}

TEST(Index, DivisionByZeroIsZero) {
  for (auto *f :
       {rx::divide, rx::remainder, rx::floorDivide, rx::ceilDivide,
        rx::divideUnsigned, rx::remainderUnsigned, rx::ceilDivideUnsigned})
    EXPECT_EQ(f(7, 0), 0u);
}

template <uint32_t World> void checkShift() {
  for (int64_t rank = 0; rank < World; ++rank)
    for (int64_t offset = -3 * int64_t(World); offset <= 3 * int64_t(World);
         ++offset)
      ASSERT_EQ(int64_t(rx::shift<World>(size_t(rank), size_t(offset))),
                ((rank + offset) % World + World) % World)
          << rank << " by " << offset;
}
TEST(Index, ShiftIsModuloTheWorld) {
  checkShift<1>();
  checkShift<3>();
  checkShift<8>();
  checkShift<256>();
}

} // namespace
} // namespace rcclx::device
