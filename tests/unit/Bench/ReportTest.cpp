//===- ReportTest.cpp - What `rcclx bench` prints -------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "BenchReport.h"
#include "Machine.h"

#include <gtest/gtest.h>

using namespace rcclx::tool;
using Json = nlohmann::ordered_json;

static Json result(const char *library, double median) {
  return {{"library", library},
          {"variant", "some_variant_with_a_long_name"},
          {"memory", "malloc"},
          {"us", {{"median", median}, {"p10", 1}, {"p90", 2}, {"min", 0.5}}},
          {"algorithm_gbs", 1.0},
          {"bus_gbs", 2.0}};
}

static Json point(const char *collective, std::vector<Json> results) {
  return {{"collective", collective},
          {"ranks", 2},
          {"bytes", 4096},
          {"count", 1024},
          {"rounds", 9},
          {"results", results}};
}

static Json job() {
  return {{"ranks", 2},
          {"pinning", "none"},
          {"process_vm_readv", "permitted"},
          {"memory_gbs",
           {{"copy", 1.0},
            {"triad", 1.0},
            {"shared_copy", 1.0},
            {"process_vm_readv", 0.0}}},
          {"libraries", {{"rcclx", "1"}, {"a", "A 2"}}}};
}

TEST(BenchReport, comparesWithTheFastestPeer) {
  EXPECT_EQ(
      timesBestPeer(point("all_reduce", {result("rcclx", 10), result("a", 30),
                                         result("b", 20), result("copy", 1)})),
      2.0);
  EXPECT_EQ(
      timesBestPeer(point("all_reduce", {result("rcclx", 10), result("b", 5)})),
      0.5);
  EXPECT_EQ(timesBestPeer(
                point("all_reduce", {result("rcclx", 10), result("copy", 1)})),
            0.0);
}

TEST(BenchReport, keepsJobsAndTheirPoints) {
  BenchReport report(describeMachine(), "mpirun -x");
  EXPECT_NE(report.add(job().dump()).find("A 2"), std::string::npos);
  auto first = point("all_reduce", {result("rcclx", 10), result("a", 15)});
  std::string text = report.add(first.dump());
  // A heading, then a row; the next row has none.
  EXPECT_NE(text.find("all_reduce, 2 processes"), std::string::npos) << text;
  EXPECT_NE(text.find("1.50"), std::string::npos) << text;
  text = report.add(first.dump());
  EXPECT_EQ(text.find("all_reduce"), std::string::npos) << text;
  report.add(job().dump());
  EXPECT_NE(report.add(first.dump()).find("all_reduce, 2"), std::string::npos);
  text = report.add(point("all_gather", {result("rcclx", 10)}).dump());
  EXPECT_NE(text.find("all_gather, 2"), std::string::npos);
  EXPECT_NE(text.find("  -\n"), std::string::npos) << text;

  Json whole = Json::parse(report.toJson());
  EXPECT_EQ(whole["launcher"], "mpirun -x");
  ASSERT_EQ(whole["jobs"].size(), 2u);
  EXPECT_EQ(whole["jobs"][0]["points"], Json::array({first, first}));
  EXPECT_EQ(whole["jobs"][1]["points"].size(), 2u);
  EXPECT_GT(whole["machine"]["processors"], 0);
  for (const char *key : {"processor", "kernel", "memory", "date", "load"})
    EXPECT_NE(whole["machine"][key], "") << key;
}
