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
              size_t proofSize = sizeof(rcclx_proof)) {
  rcclx_verify_request request = {};
  request.struct_size = requestSize;
  request.schedule = text.data();
  request.schedule_bytes = text.size();
  request.schedule_name = "file.mlir";
  request.world = world;
  request.slots = slots;
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

TEST(Verify, EveryShippedScheduleOnOneToSixteenRanks) {
  for (const std::string &schedule : shippedSchedules())
    for (uint32_t world = 1; world <= 16; ++world) {
      Proved proved = verify(readSchedule(schedule), world);
      EXPECT_EQ(proved.status, 0)
          << schedule << " on " << world << ": " << proved.diagnostics;
    }
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
