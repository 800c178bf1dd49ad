//===- ManifestTest.cpp - docs/PlanFormat.md, field by field --------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "PlanTesting.h"
#include "rcclx_params.h"
#include <algorithm>
#include <numeric>
#include <regex>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rcclx::plan {
namespace {

using nlohmann::json;

std::string hashOf(const std::string &bytes) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx",
                static_cast<unsigned long long>(
                    XXH64(bytes.data(), bytes.size(), /*seed=*/0)));
  return text;
}

std::set<std::string> keysOf(const json &object) {
  std::set<std::string> keys;
  for (const auto &[key, value] : object.items())
    keys.insert(key);
  return keys;
}

void expectFile(const json &entry, const Directory &directory) {
  std::string bytes = readFile(directory.path / entry["file"]);
  EXPECT_EQ(entry["bytes"], bytes.size());
  EXPECT_EQ(entry["xxh64"], hashOf(bytes)) << entry["file"];
}

TEST(Manifest, EveryFieldOfATwoShot) {
  Request request("all_reduce_two_shot");
  request.world = 8;
  request.element = "bf16";
  request.reduction = "avg";
  request.protocol = "flag";
  request.count = 100'000;
  request.targets = {"host-x86_64", "gfx942"};
  Directory directory;
  json m = compileManifest(request, directory);
  ASSERT_FALSE(HasFailure());
  EXPECT_EQ(
      directory.list(),
      (std::set<std::string>{"manifest.json", "host.hip.cpp", "gpu.hip.cpp",
                             "host-x86_64.so", "gfx942.co"}));

  EXPECT_EQ(m["format"], 2);
  EXPECT_EQ(m["params_version"], RCCLX_PARAMS_VERSION);
  EXPECT_EQ(m["name"], "all_reduce_two_shot");
  EXPECT_EQ(m["contract"], "all_reduce");
  EXPECT_EQ(m["world"], 8);
  EXPECT_EQ(m["root"], 0);
  EXPECT_EQ(m["permutation"], json::array());
  EXPECT_EQ(m["element"], "bf16");
  EXPECT_EQ(m["reduction"], "avg");
  EXPECT_TRUE(std::regex_match(m["hash"].get<std::string>(),
                               std::regex("[0-9a-f]{16}")));

  // All pairs, itself included; nobody's window is read.
  json all = {0, 1, 2, 3, 4, 5, 6, 7};
  ASSERT_EQ(m["edges"].size(), 8u);
  ASSERT_EQ(m["readers"].size(), 8u);
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(m["edges"][rank], all) << rank;
    EXPECT_EQ(m["readers"][rank], json::array()) << rank;
  }

  EXPECT_EQ(m["proof"]["ranks"], 8);
  // Between different ranks.
  EXPECT_EQ(m["proof"]["messages"], 8 * 7 + 8 * 7);
  EXPECT_GT(m["proof"]["operations"], 0);
  EXPECT_GE(m["proof"]["least_slots"], 1);
  EXPECT_LE(m["proof"]["least_slots"], 2);
  EXPECT_GE(m["proof"]["microseconds"], 0);

  std::set<std::string> stages;
  for (const json &stage : m["compile"]) {
    stages.insert(stage["stage"]);
    EXPECT_GE(stage["microseconds"], 0);
  }
  EXPECT_EQ(stages,
            (std::set<std::string>{"parse", "prove", "lower host", "lower gpu",
                                   "compile host-x86_64", "compile gfx942"}));

  ASSERT_EQ(keysOf(m["kinds"]), (std::set<std::string>{"host", "gpu"}));
  uint64_t maxCount = UINT64_MAX;
  for (const char *kind : {"host", "gpu"}) {
    SCOPED_TRACE(kind);
    const json &k = m["kinds"][kind];
    EXPECT_EQ(k["kernel"], "rcclx_all_reduce_two_shot");
    EXPECT_EQ(k["source"]["file"], std::string(kind) + ".hip.cpp");
    expectFile(k["source"], directory);
    EXPECT_EQ(k["protocols"], json({"flag"}));
    EXPECT_EQ(k["tags"], 2);
    // All tiles in flight of all tags fit into a half.
    EXPECT_LE(k["tile_groups"].get<uint64_t>() * k["depth"].get<uint64_t>() *
                  k["tags"].get<uint64_t>() * 16,
              RCCLX_HALF_BYTES);
    std::string source = readFile(directory.path / k["source"]["file"]);
    EXPECT_NE(source.find("RX_KERNEL(" + std::to_string(int(k["threads"])) +
                          ") void rcclx_all_reduce_two_shot("),
              std::string::npos)
        << "threads do not agree with the source";
    maxCount = std::min(maxCount, ((1u << 24) - 2) / k["tags"].get<uint64_t>() *
                                      k["tile_groups"].get<uint64_t>() * 8);
  }
  EXPECT_EQ(m["kinds"]["host"]["grid"], 1);
  EXPECT_EQ(m["kinds"]["host"]["threads"], 1);
  EXPECT_GT(m["kinds"]["gpu"]["grid"], 1);
  EXPECT_EQ(m["kinds"]["gpu"]["threads"], 256);
  // Arrival counters hold 24 bits of (tile, tag).
  EXPECT_LE(m["max_count"].get<uint64_t>(), maxCount);
  EXPECT_GE(m["max_count"].get<uint64_t>(), request.count);

  ASSERT_EQ(m["objects"].size(), 2u);
  EXPECT_EQ(m["objects"][0]["target"], "host-x86_64");
  EXPECT_EQ(m["objects"][0]["kind"], "host");
  EXPECT_NE(m["objects"][0]["cpu"], "");
  EXPECT_EQ(m["objects"][1]["target"], "gfx942");
  EXPECT_EQ(m["objects"][1]["kind"], "gpu");
  for (const json &object : m["objects"]) {
    EXPECT_EQ(object["compiler"], "clang-22");
    expectFile(object, directory);
  }
}

TEST(Manifest, ReadersOfAPull) {
  Request request("all_reduce_one_shot_pull");
  request.world = 3;
  Directory directory;
  json m = compileManifest(request, directory);
  ASSERT_FALSE(HasFailure());
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(m["readers"][rank], json({0, 1, 2})) << rank;
    EXPECT_EQ(m["edges"][rank], json({0, 1, 2})) << rank;
  }
  EXPECT_EQ(m["kinds"]["host"]["protocols"], json({"direct"}));
  EXPECT_EQ(m["proof"]["messages"], 0);
}

TEST(Manifest, NeighboursOfARing) {
  Request request("all_reduce_ring");
  request.world = 5;
  Directory directory;
  json m = compileManifest(request, directory);
  ASSERT_FALSE(HasFailure());
  for (int rank = 0; rank < 5; ++rank) {
    std::set<int> neighbours = {(rank + 1) % 5, (rank + 4) % 5};
    EXPECT_EQ(m["edges"][rank].get<std::set<int>>(), neighbours) << rank;
  }
  // 2 (n - 1) messages a rank.
  EXPECT_EQ(m["proof"]["messages"], 5 * 8);
}

TEST(Manifest, BarrierHasNoData) {
  Request request("barrier");
  request.world = 5;
  Directory directory;
  json m = compileManifest(request, directory);
  ASSERT_FALSE(HasFailure());
  EXPECT_EQ(m["contract"], "barrier");
  EXPECT_EQ(m["oracle"]["outputs"], json(std::vector<json>(5, json::array())));
  EXPECT_EQ(m["kinds"]["host"]["protocols"], json({"flag"}));
  EXPECT_EQ(m["proof"]["messages"], 5 * 3);
}

/// The ranks whose input a term adds up, in order.
std::vector<int> inputsOf(const json &terms, size_t term) {
  const json &t = terms.at(term);
  if (t[0] == "input")
    return {t[1]};
  if (t[0] == "identity")
    return {};
  std::vector<int> all;
  for (size_t i = 1; i < t.size(); ++i) {
    size_t operand = t[i];
    EXPECT_LT(operand, term) << "not an earlier term";
    if (operand >= term)
      return {};
    std::vector<int> part = inputsOf(terms, operand);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

TEST(Manifest, OracleOfEveryAllReduce) {
  for (const std::string &schedule : shippedSchedules()) {
    if (schedule.rfind("all_reduce", 0) != 0)
      continue;
    SCOPED_TRACE(schedule);
    Request request(schedule);
    request.world = 6;
    Directory directory;
    json oracle = compileManifest(request, directory)["oracle"];
    ASSERT_FALSE(HasFailure());
    ASSERT_EQ(oracle["outputs"].size(), 6u);
    std::vector<int> everyone(6);
    std::iota(everyone.begin(), everyone.end(), 0);
    std::set<json> first;
    for (int rank = 0; rank < 6; ++rank) {
      std::set<std::pair<int64_t, int64_t>> covered; // in 60ths
      std::set<json> pieces;
      for (const json &piece : oracle["outputs"][rank]) {
        ASSERT_EQ(piece.size(), 5u);
        EXPECT_EQ(piece[0], 0);
        int64_t a = piece[1], l = piece[2], d = piece[3];
        ASSERT_EQ(60 % d, 0);
        covered.insert({a * 60 / d, (a + l) * 60 / d});
        pieces.insert(piece);
        size_t term = piece[4];
        EXPECT_EQ(oracle["terms"].at(term)[0], "finish");
        std::vector<int> inputs = inputsOf(oracle["terms"], term);
        std::sort(inputs.begin(), inputs.end());
        EXPECT_EQ(inputs, everyone) << "rank " << rank << " " << piece;
      }
      // The pieces are the whole output, once.
      int64_t next = 0;
      for (auto [begin, end] : covered) {
        EXPECT_EQ(begin, next);
        next = end;
      }
      EXPECT_EQ(next, 60);
      // All ranks compute the same trees: the same bits.
      if (rank == 0)
        first = pieces;
      EXPECT_EQ(pieces, first) << rank;
    }
  }
}

TEST(Manifest, OracleOfAnAllGather) {
  Request request("all_gather_direct");
  request.world = 3;
  Directory directory;
  json oracle = compileManifest(request, directory)["oracle"];
  ASSERT_FALSE(HasFailure());
  for (int rank = 0; rank < 3; ++rank) {
    ASSERT_EQ(oracle["outputs"][rank].size(), 3u);
    for (const json &piece : oracle["outputs"][rank]) {
      EXPECT_EQ(piece[1], 0);
      EXPECT_EQ(piece[2], piece[3]);
      EXPECT_EQ(oracle["terms"].at(piece[4].get<size_t>()),
                json({"input", piece[0], 0}));
    }
  }
}

TEST(Manifest, OnlyTheRootHasSomeBuffers) {
  Request request("gather_direct");
  request.world = 3;
  request.root = 2;
  Directory directory;
  json m = compileManifest(request, directory);
  ASSERT_FALSE(HasFailure());
  EXPECT_EQ(m["root"], 2);
  EXPECT_EQ(m["oracle"]["outputs"][0], json::array());
  EXPECT_EQ(m["oracle"]["outputs"][1], json::array());
  ASSERT_EQ(m["oracle"]["outputs"][2].size(), 3u);
  EXPECT_EQ(m["edges"][2], json({0, 1}));
  EXPECT_EQ(m["edges"][0], json::array({2}));
  for (const json &piece : m["oracle"]["outputs"][2])
    EXPECT_EQ(m["oracle"]["terms"].at(piece[4].get<size_t>()),
              json({"input", piece[0], 0}));
}

TEST(Manifest, PermutationOfAPermute) {
  Request request("permute_direct");
  request.world = 3;
  request.permutation = {1, 0, 2};
  Directory directory;
  json m = compileManifest(request, directory);
  ASSERT_FALSE(HasFailure());
  EXPECT_EQ(m["permutation"], json({1, 0, 2}));
  for (int rank : {0, 1, 2}) {
    ASSERT_EQ(m["oracle"]["outputs"][rank].size(), 1u);
    size_t term = m["oracle"]["outputs"][rank][0][4];
    EXPECT_EQ(m["oracle"]["terms"].at(term),
              json({"input", rank == 2 ? 2 : 1 - rank, 0}));
  }
}

std::string planHash(Request &request) {
  Directory directory;
  json manifest = compileManifest(request, directory);
  return manifest.is_object() ? manifest["hash"].get<std::string>() : "";
}

TEST(PlanHash, IsEqualForEqualRequestsAndDiffersWithEachPart) {
  Request request("all_reduce_one_shot");
  std::string hash = planHash(request);
  EXPECT_EQ(planHash(request), hash);
  std::map<std::string, std::string> hashes = {{"plain", hash}};
  auto add = [&](const char *what, auto change) {
    Request other("all_reduce_one_shot");
    change(other);
    hashes[what] = planHash(other);
  };
  add("world", [](Request &r) { r.world = 5; });
  add("element", [](Request &r) { r.element = "f16"; });
  add("reduction", [](Request &r) { r.reduction = "max"; });
  add("average", [](Request &r) { r.reduction = "avg"; });
  add("ll", [](Request &r) { r.protocol = "ll"; });
  add("sentinel", [](Request &r) { r.protocol = "sentinel"; });
  add("schedule",
      [](Request &r) { r.text = readSchedule("all_reduce_two_shot"); });
  for (uint32_t root : {0, 1, 2}) {
    Request other("scatter_direct");
    other.root = root;
    hashes["scatter from rank " + std::to_string(root)] = planHash(other);
  }
  for (uint32_t last : {2, 3}) {
    Request other("permute_direct");
    other.permutation = {1, 0, 5 - last, last};
    hashes["permutation with " + std::to_string(last)] = planHash(other);
  }
  std::map<std::string, std::string> byHash;
  for (auto &[what, value] : hashes) {
    auto [found, fresh] = byHash.insert({value, what});
    EXPECT_TRUE(fresh) << what << " has the hash of " << found->second;
  }
  // Where the file lies, and comments in it, do not matter.
  Request moved("all_reduce_one_shot");
  moved.name = "elsewhere.mlir";
  moved.text = "// A remark.\n" + moved.text;
  EXPECT_EQ(planHash(moved), hash);
}

} // namespace
} // namespace rcclx::plan
