//===- VerifyTest.cpp - rcclx_compiler_verify -----------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "PlanTesting.h"

namespace rcclx::plan {
namespace {

struct Proved {
  int status;
  std::string diagnostics;
  rcclx_proof proof;
};

Proved verify(const std::string &text, uint32_t world, uint32_t slots = 0,
              size_t requestSize = sizeof(rcclx_verify_request),
              size_t proofSize = sizeof(rcclx_proof), uint32_t root = 0,
              const std::vector<uint32_t> &permutation = {}) {
  rcclx_verify_request request = {};
  request.struct_size = requestSize;
  request.schedule = text.data();
  request.schedule_bytes = text.size();
  request.schedule_name = "file.mlir";
  request.world = world;
  request.slots = slots;
  request.root = root;
  request.permutation_length = permutation.size();
  request.permutation = permutation.data();
  Proved proved = {};
  proved.proof.struct_size = proofSize;
  rcclx_compile_result *result = nullptr;
  proved.status = rcclx_compiler_verify(&request, &proved.proof, &result);
  EXPECT_NE(result, nullptr);
  proved.diagnostics = rcclx_compile_result_diagnostics(result);
  rcclx_compile_result_free(result);
  return proved;
}

TEST(Verify, CountsOfATwoShot) {
  Proved proved = verify(readSchedule("all_reduce_two_shot"), 8);
  ASSERT_EQ(proved.status, 0) << proved.diagnostics;
  EXPECT_EQ(proved.diagnostics, "");
  EXPECT_EQ(proved.proof.struct_size, sizeof(rcclx_proof));
  EXPECT_EQ(proved.proof.messages, 8u * 7 + 8 * 7);
  EXPECT_GT(proved.proof.operations, proved.proof.messages * 2);
  EXPECT_GE(proved.proof.least_slots, 1u);
}

Proved verifyFor(const std::string &text, uint32_t world, uint32_t root,
                 const std::vector<uint32_t> &permutation = {}) {
  return verify(text, world, 0, sizeof(rcclx_verify_request),
                sizeof(rcclx_proof), root, permutation);
}

TEST(Verify, EveryShippedScheduleOnOneToSixteenRanks) {
  for (const std::string &schedule : shippedSchedules())
    for (uint32_t world = 1; world <= 16; ++world) {
      std::string text = readSchedule(schedule);
      Proved proved = verifyFor(text, world, RCCLX_EVERY_ROOT);
      EXPECT_EQ(proved.status, 0)
          << schedule << " on " << world << ": " << proved.diagnostics;
      EXPECT_EQ(proved.proof.kernels, 3u) << schedule << " on " << world;
      EXPECT_EQ(proved.diagnostics, "") << schedule << " on " << world;
      bool rooted = text.find("rcclx.root") != std::string::npos;
      EXPECT_EQ(proved.proof.roots, rooted ? world : 0) << schedule;
    }
}

TEST(Verify, KernelsOfLargerWorldsByDefaultOnly) {
  Proved proved = verify(readSchedule("all_reduce_ring"), 17);
  EXPECT_EQ(proved.status, 0) << proved.diagnostics;
  EXPECT_EQ(proved.proof.kernels, 1u);
}

// Proved, but refused by the lowering, which says why.
TEST(Verify, NotLowered) {
  std::string text = "rcclx.collective @put implements all_gather (%r, %w) {\n"
                     "  %c0 = arith.constant 0 : index\n"
                     "  %c1 = arith.constant 1 : index\n"
                     "  %in = rcclx.buffer input\n"
                     "  %out = rcclx.buffer output block(%r)\n"
                     "  scf.for %p = %c0 to %w step %c1 {\n"
                     "    %x = rcclx.load %in\n"
                     "    rcclx.store %x, %out at %p\n"
                     "  }\n"
                     "}\n";
  Proved proved = verify(text, 3);
  EXPECT_EQ(proved.status, 0) << proved.diagnostics;
  EXPECT_EQ(proved.proof.kernels, 0u);
  EXPECT_NE(proved.diagnostics.find("file.mlir:8:5: error: 'rcclx.store' op "
                                    "writes another rank's memory, which is "
                                    "not lowered yet"),
            std::string::npos)
      << proved.diagnostics;

  rcclx_verify_request request = {};
  request.struct_size = sizeof(request);
  request.schedule = text.data();
  request.schedule_bytes = text.size();
  request.schedule_name = "file.mlir";
  request.world = 3;
  request.schedule_only = 1;
  rcclx_proof proof = {};
  proof.struct_size = sizeof(proof);
  rcclx_compile_result *result = nullptr;
  EXPECT_EQ(rcclx_compiler_verify(&request, &proof, &result), 0);
  EXPECT_STREQ(rcclx_compile_result_diagnostics(result), "");
  EXPECT_EQ(proof.kernels, 0u);
  rcclx_compile_result_free(result);
}

TEST(Verify, EveryRootIsEachRootInTurn) {
  std::string text = readSchedule("broadcast_binomial");
  uint64_t operations = 0;
  for (uint32_t root = 0; root < 6; ++root) {
    Proved proved = verifyFor(text, 6, root);
    EXPECT_EQ(proved.status, 0) << proved.diagnostics;
    EXPECT_EQ(proved.proof.roots, 1u);
    operations = std::max(operations, proved.proof.operations);
  }
  Proved every = verifyFor(text, 6, RCCLX_EVERY_ROOT);
  EXPECT_EQ(every.proof.operations, operations);
  EXPECT_EQ(every.proof.messages, 5u);

  // Right for root 0 alone.
  text = "rcclx.collective @a implements broadcast (%rank, %world) {\n"
         "  %c0 = arith.constant 0 : index\n"
         "  %out = rcclx.buffer output\n"
         "  %in = rcclx.buffer input\n"
         "  %x = rcclx.load %in at %c0\n"
         "  rcclx.store %x, %out\n"
         "}\n";
  Proved right = verifyFor(text, 3, 0);
  EXPECT_EQ(right.status, 0) << right.diagnostics;
  EXPECT_EQ(right.proof.kernels, 3u);
  Proved wrong = verifyFor(text, 3, RCCLX_EVERY_ROOT);
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.diagnostics.find(
                "file.mlir:5:8: error: 'rcclx.load' op at rank 0 of 3, root 1"),
            std::string::npos)
      << wrong.diagnostics;
}

TEST(Verify, PermutationsWithAndWithoutFixedPoints) {
  std::string text = readSchedule("permute_direct");
  EXPECT_EQ(verifyFor(text, 3, 0, {0, 1, 2}).proof.messages, 0u);
  EXPECT_EQ(verifyFor(text, 3, 0, {2, 1, 0}).proof.messages, 2u);
  EXPECT_EQ(verifyFor(text, 3, 0, {2, 0, 1}).proof.messages, 3u);
  EXPECT_EQ(verifyFor(text, 3, 0, {2, 0, 0}).status, 2);
  EXPECT_EQ(verifyFor(text, 3, 0, {2, 0}).status, 2);
  EXPECT_EQ(verifyFor(text, 3, 1).status, 2);
  EXPECT_EQ(verifyFor(readSchedule("gather_direct"), 3, 3).status, 2);
}

TEST(Verify, BadRequests) {
  std::string barrier = readSchedule("barrier");
  for (uint32_t world : {0u, 257u})
    EXPECT_EQ(verify(barrier, world).status, 2) << world;
  size_t request = sizeof(rcclx_verify_request), proof = sizeof(rcclx_proof);
  for (size_t size : {size_t(0), size_t(7), request + 1})
    EXPECT_EQ(verify(barrier, 2, 0, size).status, 2) << size;
  for (size_t size : {size_t(0), size_t(7), proof + 1})
    EXPECT_EQ(verify(barrier, 2, 0, request, size).status, 2) << size;
  EXPECT_EQ(rcclx_compiler_verify(nullptr, nullptr, nullptr), 2);
  rcclx_compile_result *result = nullptr;
  EXPECT_EQ(rcclx_compiler_verify(nullptr, nullptr, &result), 2);
  EXPECT_STRNE(rcclx_compile_result_diagnostics(result), "");
  rcclx_compile_result_free(result);
}

TEST(Verify, AnOlderCallerGetsWhatItKnowsOf) {
  Proved proved =
      verify(readSchedule("barrier"), 2, 0, sizeof(rcclx_verify_request),
             offsetof(rcclx_proof, least_slots));
  EXPECT_EQ(proved.status, 0);
  EXPECT_EQ(proved.proof.messages, 2u);
  EXPECT_EQ(proved.proof.least_slots, 0u) << "written past the caller's struct";
  EXPECT_EQ(proved.proof.microseconds, 0u);
}

TEST(Verify, RefusalsNameTheLine) {
  Proved proved =
      verify("rcclx.collective @a implements all_gather (%rank, %world) {\n"
             "  %in = rcclx.buffer input\n"
             "  %x = rcclx.load %in\n"
             "  rcclx.send %x to %rank\n"
             "}\n",
             2);
  EXPECT_EQ(proved.status, 1);
  EXPECT_EQ(proved.diagnostics.rfind("file.mlir:4:3: error: ", 0), 0u)
      << proved.diagnostics;
  EXPECT_EQ(proved.proof.operations, 0u);
}

} // namespace
} // namespace rcclx::plan
