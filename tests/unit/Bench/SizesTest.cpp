//===- SizesTest.cpp - Sizes of a command line ----------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Sizes.h"

#include <gtest/gtest.h>

using namespace rcclx::tool;
using rcclx::runtime::Code;

using Sizes = std::vector<uint64_t>;

static Sizes parsed(const std::string &text) {
  auto sizes = parseSizes("--sizes", text);
  EXPECT_TRUE(sizes.isOk()) << sizes.status().message();
  return sizes ? *sizes : Sizes();
}

TEST(Sizes, numbersRangesAndUnits) {
  EXPECT_EQ(parsed("1"), Sizes({1}));
  EXPECT_EQ(parsed("12,4K,3M,1G"), Sizes({12, 4096, 3u << 20, 1u << 30}));
  EXPECT_EQ(parsed("4K..32K"), Sizes({4096, 8192, 16384, 32768}));
  EXPECT_EQ(parsed("4K..100K*4"), Sizes({4096, 16384, 65536}));
  EXPECT_EQ(parsed("6..6,1K"), Sizes({6, 1024}));
  EXPECT_EQ(parsed("1..4M*2K"), Sizes({1, 2048, 4u << 20}));
  EXPECT_EQ(parsed("1..1G*1073741824"), Sizes({1, 1u << 30}));
}

TEST(Sizes, whatIsNoSizeIsAnErrorThatNamesIt) {
  for (const char *text : {"",
                           ",",
                           "4K,",
                           "K",
                           "0",
                           "0K",
                           "-1",
                           "+1",
                           "4 K",
                           "4KB",
                           "1.5M",
                           "0x10",
                           "2G",
                           "1025M",
                           "1073741825",
                           "18446744073709551616",
                           "8K..4K",
                           "4K..",
                           "..4K",
                           "4K..8K..16K",
                           "4K..8K*1",
                           "4K..8K*0",
                           "4K..8K*",
                           "4K..8K*-2",
                           "4K..8K*1073741825",
                           "1..2*99999999999999999999",
                           "4K*2"}) {
    auto sizes = parseSizes("--sizes", text);
    ASSERT_FALSE(sizes.isOk()) << text;
    EXPECT_EQ(sizes.status().code(), Code::InvalidArgument);
    EXPECT_TRUE(sizes.status().message().starts_with(std::string("--sizes ") +
                                                     text + ": \""))
        << sizes.status().message();
  }
}

TEST(Sizes, textParsesBack) {
  for (uint64_t bytes : {1ull, 1023ull, 1024ull, 1025ull, 3ull << 20,
                         (1ull << 20) + 1024, 1ull << 30}) {
    EXPECT_EQ(parsed(sizeText(bytes)), Sizes({bytes}));
  }
  EXPECT_EQ(sizeText(4096), "4K");
  EXPECT_EQ(sizeText(1000), "1000");
  EXPECT_EQ(sizeText(3u << 20), "3M");
}
