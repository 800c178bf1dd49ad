//===- BufferTest.cpp - loads and stores of user buffers ------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "NumericReference.h"
#include <sys/mman.h>
#include <unistd.h>

namespace rcclx::device {
namespace {

/// Pages between two that nobody may touch.
class GuardedPages {
public:
  GuardedPages() : page(size_t(sysconf(_SC_PAGESIZE))) {
    base = static_cast<char *>(
        mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base == MAP_FAILED ||
        mprotect(base + page, page, PROT_READ | PROT_WRITE) != 0)
      std::abort();
  }
  GuardedPages(const GuardedPages &) = delete;
  GuardedPages &operator=(const GuardedPages &) = delete;
  ~GuardedPages() { munmap(base, 3 * page); }

  char *begin() { return base + page; }
  char *end() { return base + 2 * page; }

private:
  size_t page;
  char *base;
};

template <typename T> class Buffers : public testing::Test {};
TYPED_TEST_SUITE(Buffers, AllTypes);

TYPED_TEST(Buffers, LoadReadsNothingPastTheEndAndGivesZeros) {
  std::mt19937_64 random = makeRandom();
  GuardedPages pages;
  constexpr uint64_t n = rx::Elements<TypeParam>::perGroup;
  for (uint64_t count = 1; count <= 5 * n; ++count) {
    // The last byte lies before a page that faults: every alignment occurs.
    char *base = pages.end() - count * TypeParam::bytes;
    for (uint64_t i = 0; i < count * TypeParam::bytes; ++i)
      base[i] = char(random());
    for (uint64_t g = 0; g * n < count; ++g) {
      rx::Group got = rx::load<TypeParam>(rx::Buffer{base, count}, g);
      rx::Group want = {};
      std::memcpy(&want, base + g * 16,
                  std::min<uint64_t>(16, count * TypeParam::bytes - g * 16));
      ASSERT_EQ(std::memcmp(&got, &want, 16), 0)
          << "count " << count << " granule " << g;
    }
  }
}

TYPED_TEST(Buffers, StoreWritesItsElementsOnly) {
  std::mt19937_64 random = makeRandom();
  constexpr uint64_t n = rx::Elements<TypeParam>::perGroup;
  constexpr uint64_t guard = 64;
  for (uint64_t offset = 0; offset < 16; offset += TypeParam::bytes)
    for (uint64_t count = 1; count <= 4 * n; ++count)
      for (uint64_t g = 0; g * n < count; ++g) {
        uint64_t bytes = count * TypeParam::bytes;
        alignas(16) char memory[guard + 16 + 4 * 16 + guard];
        std::memset(memory, 0x5a, sizeof(memory));
        char *base = memory + guard + offset;
        rx::Group v;
        for (uint32_t &word : v.word)
          word = uint32_t(random());
        rx::store<TypeParam>(v, rx::Buffer{base, count}, g);

        uint64_t size = std::min<uint64_t>(16, bytes - g * 16);
        ASSERT_EQ(std::memcmp(base + g * 16, &v, size), 0)
            << "count " << count << " granule " << g << " offset " << offset;
        for (char *p = memory; p != memory + sizeof(memory); ++p)
          if (p < base + g * 16 || p >= base + g * 16 + size)
            ASSERT_EQ(*p, 0x5a) << "count " << count << " granule " << g
                                << " touches byte " << p - base;
      }
}

TYPED_TEST(Buffers, StoreAtTheEndOfAPage) {
  GuardedPages pages;
  constexpr uint64_t n = rx::Elements<TypeParam>::perGroup;
  for (uint64_t count = 1; count <= 2 * n; ++count) {
    char *base = pages.end() - count * TypeParam::bytes;
    rx::Group v = {{1, 2, 3, 4}};
    uint64_t g = (count - 1) / n;
    rx::store<TypeParam>(v, rx::Buffer{base, count}, g);
    EXPECT_EQ(std::memcmp(base + g * 16, &v, count * TypeParam::bytes - g * 16),
              0);
  }
}

TYPED_TEST(Buffers, BlocksAreCountElementsApart) {
  Fabric fabric(2);
  rcclx_kernel_params params = fabric.params(0);
  char in[1], out[1];
  params.input = in;
  params.output = out;
  params.count = 1'000'003;
  rx::Context context = {&params, 0, 0, 0, 0};
  for (uint64_t block : {0, 1, 5}) {
    EXPECT_EQ(rx::inputBlock<TypeParam>(&context, block).base - in,
              ptrdiff_t(block * 1'000'003 * TypeParam::bytes));
    rx::Buffer output = rx::outputBlock<TypeParam>(&context, block);
    EXPECT_EQ(output.base - out,
              ptrdiff_t(block * 1'000'003 * TypeParam::bytes));
    EXPECT_EQ(output.count, 1'000'003u);
  }
}

TYPED_TEST(Buffers, InputsAreMultipliedByTheScaleOfTheCall) {
  using Acc = typename TypeParam::Acc;
  Fabric fabric(1);
  rcclx_kernel_params params = fabric.params(0);
  params.scale = toBits(Acc(3));
  rx::Context context = rx::begin(params, 0);
  rx::Group ones = {}, threes = {};
  for (uint32_t i = 0; i < rx::Elements<TypeParam>::perGroup; ++i) {
    using Word = typename TypeParam::Word;
    rx::Elements<TypeParam>::put(ones, i, Word(narrow<TypeParam>(Acc(1))));
    rx::Elements<TypeParam>::put(threes, i, Word(narrow<TypeParam>(Acc(3))));
  }
  rx::Group got = rx::prescale<TypeParam>(&context, ones);
  EXPECT_EQ(std::memcmp(&got, &threes, 16), 0);
}

} // namespace
} // namespace rcclx::device
