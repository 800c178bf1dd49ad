//===- VerifySchedule.cpp - Proof of all collectives of a module ----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/Proof.h"
#include "rcclx/Analysis/TraceSchedule.h"
#include "rcclx/Passes/Passes.h"
#include <chrono>

namespace rcclx {
#define GEN_PASS_DEF_VERIFYSCHEDULE
#include "rcclx/Passes/Passes.h.inc"
} // namespace rcclx

using namespace mlir;
using namespace rcclx;

namespace {

struct VerifySchedulePass
    : public rcclx::impl::VerifyScheduleBase<VerifySchedulePass> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([&](CollectiveOp collective) {
      if (failed(verify(collective)))
        signalPassFailure();
    });
    markAllAnalysesPreserved();
  }

private:
  LogicalResult verify(CollectiveOp collective);
  LogicalResult prove(CollectiveOp collective, uint32_t ranks,
                      const Roles &roles);
};

} // namespace

LogicalResult VerifySchedulePass::verify(CollectiveOp collective) {
  uint32_t ranks = world;
  if (std::optional<SpecializationAttr> spec = collective.getSpec()) {
    if (ranks != 0 && ranks != spec->getWorld())
      return collective.emitOpError("is bound to ")
             << spec->getWorld() << " ranks and cannot be proved for " << ranks;
    ranks = spec->getWorld();
  }
  if (ranks == 0)
    return collective.emitOpError(
        "is not bound to a world size; expected rcclx-specialize before, or "
        "the option world");

  if (!roots || collective.getSpec() || !hasRoot(collective.getContract()))
    return prove(collective, ranks, getRoles(collective, ranks));
  for (uint32_t root = 0; root < ranks; ++root)
    if (failed(prove(collective, ranks, Roles(ranks, root))))
      return failure();
  return success();
}

LogicalResult VerifySchedulePass::prove(CollectiveOp collective, uint32_t ranks,
                                        const Roles &roles) {
  auto start = std::chrono::steady_clock::now();
  FailureOr<Proof> proof = proveSchedule(collective, ranks, slots, roles);
  if (failed(proof))
    return failure();
  if (report) {
    auto time = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - start);
    // No op on the remark: it would print all of the schedule.
    emitRemark(collective.getLoc())
        << "@" << collective.getSymName() << " proved for " << ranks
        << (ranks == 1 ? " rank: " : " ranks: ") << proof->operations
        << " operations, " << proof->messages << " messages, least safe slots "
        << proof->leastSlots << ", " << proof->maxTag << " tags; "
        << time.count() << " us";
  }
  return success();
}
