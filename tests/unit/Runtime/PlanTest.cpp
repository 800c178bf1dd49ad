//===- PlanTest.cpp - Manifests and plan directories that lie -------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "RuntimeTesting.h"

#include "../../../runtime/lib/plan/Hash.h"
#include "rcclx/Runtime/Plan.h"

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

using namespace rcclx::runtime;
using namespace rcclx::runtime::testing;
using nlohmann::json;

namespace {

json goodManifest() {
  return json::parse(R"({
    "format": 2, "params_version": 1, "name": "two", "contract": "all_reduce",
    "world": 2, "element": "f32", "reduction": "sum",
    "root": 0, "permutation": [], "hash": "00000000000000ff", "max_count": 4096, "in_place": "direct", "scratch": "none",
    "edges": [[0, 1], [0, 1]], "readers": [[], [0]],
    "proof": {"ranks": 2, "operations": 5, "messages": 4, "least_slots": 1,
              "microseconds": 7},
    "compile": [{"stage": "parse", "microseconds": 3}],
    "kinds": {"host": {"kernel": "k", "source": {"file": "host.hip.cpp",
      "bytes": 2, "xxh64": "0123456789abcdef"}, "grid": 1, "threads": 1,
      "tile_groups": 2048, "depth": 4, "protocols": ["flag"]}},
    "objects": [{"target": "host-x86_64", "kind": "host",
      "file": "host-x86_64.so", "bytes": 3, "xxh64": "0123456789abcdef"}],
    "oracle": {"terms": [["input", 0, 0], ["input", 1, 0], ["identity"],
        ["reduce", 2, 0], ["reduce", 3, 1], ["finish", 4]],
      "outputs": [[[0, 0, 1, 1, 5]], [[0, 0, 1, 2, 5], [0, 1, 1, 2, 5]]]}
  })");
}

TEST(ManifestTest, readsEveryField) {
  auto manifest = Manifest::parse(goodManifest().dump());
  ASSERT_OK(manifest.status());
  EXPECT_EQ(manifest->name, "two");
  EXPECT_EQ(manifest->contract, Contract::AllReduce);
  EXPECT_EQ(manifest->world, 2u);
  EXPECT_EQ(manifest->hash, 0xffu);
  EXPECT_EQ(manifest->maxCount, 4096u);
  EXPECT_TRUE(contains(manifest->edges[0], 1));
  EXPECT_TRUE(contains(manifest->readers[1], 0));
  EXPECT_FALSE(contains(manifest->readers[0], 0));
  EXPECT_EQ(manifest->proof.operations, 5u);
  ASSERT_NE(manifest->findKind("host"), nullptr);
  EXPECT_EQ(manifest->findKind("host")->tileGroups, 2048u);
  ASSERT_NE(manifest->findObject("host-x86_64"), nullptr);
  EXPECT_EQ(manifest->findObject("gfx942"), nullptr);
  EXPECT_EQ(manifest->terms[4].a, 3u);
  EXPECT_EQ(manifest->outputs[1].size(), 2u);
}

TEST(ManifestTest, everyTruncationIsRefused) {
  std::string text = goodManifest().dump();
  for (size_t size = 0; size < text.size(); ++size)
    ASSERT_FALSE(Manifest::parse(text.substr(0, size)).isOk()) << size;
}

TEST(ManifestTest, everyAbsentFieldIsNamed) {
  json good = goodManifest();
  for (auto it = good.begin(); it != good.end(); ++it) {
    json bad = good;
    bad.erase(it.key());
    EXPECT_ERROR(Manifest::parse(bad.dump()).status(), Code::Corrupt,
                 "\"" + it.key() + "\"");
  }
}

TEST(ManifestTest, everyWrongTypeIsRefused) {
  // Each value, at any depth, is replaced by values of other kinds.
  json flat = goodManifest().flatten();
  const json wrong[] = {nullptr,
                        true,
                        -1,
                        1.5,
                        "",
                        json::array({-1}),
                        json::parse("1e400", nullptr, false)};
  for (auto it = flat.begin(); it != flat.end(); ++it)
    for (const json &value : wrong) {
      if (value.is_discarded())
        continue;
      json bad = goodManifest();
      bad[json::json_pointer(it.key())] = value;
      EXPECT_FALSE(Manifest::parse(bad.dump()).isOk())
          << it.key() << " = " << value;
    }
}

TEST(ManifestTest, huge64BitNumbersAreRefused) {
  std::string text = goodManifest().dump();
  size_t at = text.find("\"max_count\":4096");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 16, "\"max_count\":99999999999999999999999");
  EXPECT_ERROR(Manifest::parse(text).status(), Code::Corrupt, "max_count");
}

TEST(ManifestTest, deepNestingIsNoCrash) {
  EXPECT_FALSE(Manifest::parse(std::string(1000000, '[')).isOk());
  EXPECT_FALSE(
      Manifest::parse(std::string(100000, '[') + std::string(100000, ']'))
          .isOk());
}

struct BadEdit {
  const char *pointer;
  json value;
  const char *message;
};

TEST(ManifestTest, valuesOutOfRangeAreNamed) {
  const BadEdit edits[] = {
      {"/world", 0, "world"},
      {"/world", 257, "world"},
      {"/world", 3, "edges"},
      {"/element", "f8", "element"},
      {"/reduction", "xor", "reduction"},
      {"/contract", "guess", "contract"},
      {"/root", 2, "root"},
      {"/root", 1, "its contract has none"},
      {"/permutation", json::array({1, 0}), "permutation"},
      {"/hash", "xyz", "hash"},
      {"/hash", "00FF00FF00FF00FF", "hash"},
      {"/edges/0/1", 2, "edges[0][1]"},
      {"/edges/0", json::array({0, 1, 0}), "edges[0]"},
      {"/kinds/host/grid", 0, "kinds.host.grid"},
      {"/kinds/host/grid", 513, "kinds.host.grid"},
      {"/kinds/host/kernel", "a b", "kinds.host"},
      {"/kinds/host/source/file", "../x", "outside the plan"},
      {"/objects/0/file", "a/b.so", "outside the plan"},
      {"/objects/0/file", ".hidden", "outside the plan"},
      {"/objects/0/file", std::string("a\0b", 3), "null character"},
      {"/objects/0/file", std::string(200, 'a'), "longer"},
      {"/objects/0/bytes", 1ull << 40, "objects[0].bytes"},
      {"/objects/0/kind", "gpu", "objects[0]"},
      {"/oracle/terms/0", json::array({"input", 2, 0}), "oracle.terms[0][1]"},
      {"/oracle/terms/0", json::array({"input", 0, 1}), "oracle.terms[0][2]"},
      {"/oracle/terms/3", json::array({"reduce", 3, 0}), "later term"},
      {"/oracle/terms/3", json::array({"reduce", 0, 1}), "accumulator"},
      {"/oracle/terms/5", json::array({"finish", 0}), "accumulator"},
      {"/oracle/terms/5", json::array({"divide", 0}), "no term"},
      {"/oracle/terms/5", json::array(), "is empty"},
      {"/oracle/outputs/0/0", json::array({1, 0, 1, 1, 5}), "outputs[0][0]"},
      {"/oracle/outputs/0/0", json::array({0, 0, 1, 0, 5}), "outputs[0][0]"},
      {"/oracle/outputs/0/0", json::array({0, 2, 1, 2, 5}), "outputs[0][0]"},
      {"/oracle/outputs/0/0", json::array({0, 0, 1, 1, 6}), "not listed"},
      {"/oracle/outputs/0/0", json::array({0, 0, 1, 1, 4}), "accumulator"},
      {"/oracle/outputs", json::array({json::array()}), "one list per rank"},
  };
  for (const BadEdit &edit : edits) {
    json bad = goodManifest();
    bad[json::json_pointer(edit.pointer)] = edit.value;
    EXPECT_ERROR(Manifest::parse(bad.dump()).status(), Code::Corrupt,
                 edit.message);
  }
}

TEST(ManifestTest, otherVersionsAreUnavailable) {
  json other = goodManifest();
  other["format"] = 1;
  EXPECT_ERROR(Manifest::parse(other.dump()).status(), Code::Unavailable,
               "format 1");
  other = goodManifest();
  other["params_version"] = 7;
  EXPECT_ERROR(Manifest::parse(other.dump()).status(), Code::Unavailable,
               "ABI 7");
}

//===----------------------------------------------------------------------===//
// Directories
//===----------------------------------------------------------------------===//

class PlanDirectoryTest : public ::testing::Test {
protected:
  PlanDirectoryTest() {
    json manifest = goodManifest();
    add(manifest["kinds"]["host"]["source"], "host.hip.cpp", "//");
    add(manifest["objects"][0], "host-x86_64.so", "ELF");
    writeFile(scratch / "manifest.json", sealManifest(manifest.dump()));
  }
  void add(json &entry, const std::string &file, const std::string &content) {
    writeFile(scratch / file, content);
    entry["bytes"] = content.size();
    entry["xxh64"] = fmt::format("{:016x}", xxh64(content));
  }
  Status load() { return Plan::load(scratch.path, hostTarget).status(); }

  Scratch scratch;
};

TEST_F(PlanDirectoryTest, loads) {
  auto plan = Plan::load(scratch.path, hostTarget);
  ASSERT_OK(plan.status());
  EXPECT_EQ((*plan)->objectPath(hostTarget), scratch / "host-x86_64.so");
  EXPECT_EQ((*plan)->kindOf(hostTarget).kernel, "k");
}

TEST_F(PlanDirectoryTest, missingTargetNamesThoseThatAreThere) {
  EXPECT_ERROR(Plan::load(scratch.path, "gfx942").status(), Code::Unavailable,
               "no object for gfx942 (it has: host-x86_64)");
}

TEST_F(PlanDirectoryTest, damagedFilesAreFound) {
  writeFile(scratch / "host-x86_64.so", "elf");
  EXPECT_ERROR(load(), Code::Corrupt, "checksum");
  writeFile(scratch / "host-x86_64.so", "EL");
  EXPECT_ERROR(load(), Code::Corrupt, "checksum");
  writeFile(scratch / "host-x86_64.so", "ELF and more");
  EXPECT_ERROR(load(), Code::Corrupt, "host-x86_64.so");
  std::filesystem::remove(scratch / "host-x86_64.so");
  EXPECT_ERROR(load(), Code::Corrupt, "host-x86_64.so");
}

TEST_F(PlanDirectoryTest, onlyRegularFilesAreRead) {
  std::filesystem::remove(scratch / "host-x86_64.so");
  std::filesystem::create_symlink("/etc/passwd", scratch / "host-x86_64.so");
  EXPECT_ERROR(load(), Code::Corrupt, "host-x86_64.so");
  std::filesystem::remove(scratch / "host-x86_64.so");
  ASSERT_EQ(mkfifo((scratch / "host-x86_64.so").c_str(), 0600), 0);
  EXPECT_ERROR(load(), Code::Corrupt, "regular");
}

TEST_F(PlanDirectoryTest, whatOthersMayWriteIsNotLoaded) {
  chmod((scratch / "host-x86_64.so").c_str(), 0666);
  EXPECT_ERROR(load(), Code::InvalidUsage, "writable by other users");
  chmod((scratch / "host-x86_64.so").c_str(), 0644);
  chmod(scratch.path.c_str(), 0777);
  EXPECT_ERROR(load(), Code::InvalidUsage, "writable by other users");
}

TEST_F(PlanDirectoryTest, filesOfOthersAreNotLoaded) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root to give a file away";
  ASSERT_EQ(chown((scratch / "manifest.json").c_str(), 12345, 12345), 0);
  EXPECT_ERROR(load(), Code::InvalidUsage, "belongs to user 12345");
}

} // namespace
