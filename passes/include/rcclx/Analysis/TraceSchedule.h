//===- TraceSchedule.h - Executes a schedule's index code -------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_ANALYSIS_TRACESCHEDULE_H
#define RCCLX_ANALYSIS_TRACESCHEDULE_H

#include "rcclx/Analysis/Trace.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "llvm/Support/LogicalResult.h"
#include <vector>

namespace rcclx {

/// A trace and the operations that its SourceOp numbers stand for.
struct TracedSchedule {
  ScheduleTrace trace;
  std::vector<mlir::Operation *> sources;
};

/// What `contract` asks for.
Goal getGoal(Contract contract);

/// Root and permutation that `collective` is bound to: 0 and the next rank
/// where it is not. `world` is the one that it is bound to, if any.
Roles getRoles(CollectiveOp collective, uint32_t world);

/// Executes `collective` for every rank of `world`, with `roles` or those that
/// it is bound to. Emits an error where index
/// arithmetic fails, a rank, block, part or tag is out of range, or the
/// schedule runs for too long.
llvm::FailureOr<TracedSchedule>
traceSchedule(CollectiveOp collective, uint32_t world, const Roles &roles);
llvm::FailureOr<TracedSchedule> traceSchedule(CollectiveOp collective,
                                              uint32_t world);

} // namespace rcclx

#endif // RCCLX_ANALYSIS_TRACESCHEDULE_H
