//===- OptionsTest.cpp - What a rank of a bench is told -------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "BenchOptions.h"

#include <gtest/gtest.h>

using namespace rcclx::tool;
using rcclx::runtime::Code;
using rcclx::runtime::Contract;

TEST(BenchOptions, travelAsJson) {
  BenchOptions options;
  options.schedules = {
      {"a/b.mlir", "b", "text \xff\n\"quoted\"", Contract::AllToAll}};
  options.collectives = {Contract::AllToAll, Contract::AllReduce};
  options.sizes = {4096, 1u << 30};
  options.world = 7;
  options.peers = {"gloo", "/a path/to.so"};
  options.warmups = 3;
  options.sweeps = 4;
  options.rounds = 5;
  options.maxRounds = 6;
  options.milliseconds = 8;
  options.arrayBytes = 10;
  options.pin = true;
  options.samples = true;
  options.seed = ~uint64_t(0);
  options.timeoutMs = 9;
  options.protocol = "flag";
  options.cacheDir = "/c";
  options.plans = "/p";
  auto back = BenchOptions::fromJson(options.toJson());
  ASSERT_TRUE(back.isOk());
  EXPECT_EQ(back->schedules[0].text, options.schedules[0].text);
  EXPECT_EQ(back->schedules[0].contract, Contract::AllToAll);
  EXPECT_EQ(back->seed, options.seed);
  // All else is seen by writing it again.
  EXPECT_EQ(back->toJson(), options.toJson());
}

TEST(BenchOptions, whatIsCutOffIsAnError) {
  BenchOptions options;
  options.schedules = {{"p", "n", "t", Contract::AllReduce}};
  std::string text = options.toJson();
  for (size_t length = 0; length != text.size(); ++length) {
    auto back = BenchOptions::fromJson(text.substr(0, length));
    ASSERT_FALSE(back.isOk());
    EXPECT_EQ(back.status().code(), Code::Internal);
  }
  EXPECT_FALSE(BenchOptions::fromJson("{}").isOk());
}

TEST(BenchOptions, collectivesAreReadFromTheText) {
  auto of = [](const char *text) { return contractOf("x.mlir", text); };
  auto found = of("// implements all_gather\n"
                  "rcclx.collective @implements_x implements all_to_all (%r)");
  ASSERT_TRUE(found.isOk()) << found.status().message();
  EXPECT_EQ(*found, Contract::AllToAll);
  EXPECT_EQ(*of("implements\n  // of\n barrier"), Contract::Barrier);
  for (const char *text : {"", "// implements all_reduce", "all_reduce",
                           "implements", "implements some_thing", "//"}) {
    auto none = of(text);
    ASSERT_FALSE(none.isOk()) << text;
    EXPECT_EQ(none.status().code(), Code::Schedule);
    EXPECT_TRUE(none.status().message().starts_with("x.mlir: error: "))
        << none.status().message();
  }
}
