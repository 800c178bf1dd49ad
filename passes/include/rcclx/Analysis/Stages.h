//===- Stages.h - What stages may do side by side or in place ---*- C++ -*-===//
//
// Part of rcclx. Queries on a staged collective; nothing is changed.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_ANALYSIS_STAGES_H
#define RCCLX_ANALYSIS_STAGES_H

#include "rcclx/Analysis/Trace.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/LogicalResult.h"

namespace rcclx {

/// The block group of every stage of `collective`, from 0 in program order.
/// Stages are in one group when a message goes between them, on any ranks, or
/// when one reads output that the other wrote, or, in place, could overwrite
/// what the other reads; others (rings, trees, rails) run side by side. Stages
/// that only move data of the own rank join another one. Empty messages order
/// everything: one group.
llvm::FailureOr<llvm::MapVector<StageOp, unsigned>>
groupStages(CollectiveOp collective, uint32_t world);

/// The longest slice of the stages of a block group, as a fraction of a block.
/// A length that is not constant counts as the whole. 0 where there is no
/// stage.
std::pair<int64_t, int64_t> findLongestSlice(CollectiveOp collective,
                                             unsigned group);

/// A load of the own output that reads what a store over another part of the
/// buffer wrote. Only equal parts are cut into the same tiles and given to the
/// same threads. Null where there is none.
llvm::FailureOr<mlir::Operation *>
findUnalignedReadBack(CollectiveOp collective, uint32_t world);

/// The output block that lies where input block `block` of `rank` does when a
/// call is in place; none where that block has no counterpart.
std::optional<uint32_t> getAliasedBlock(Goal goal, uint32_t rank,
                                        uint32_t block);

/// Whether the input may be the output's memory: on every rank, what is loaded
/// from a position is loaded before anything is stored there, and by stages
/// that cut the buffer in the same way, since a tile of one stage runs before
/// the next tile of another.
llvm::FailureOr<bool> isSafeInPlace(CollectiveOp collective, uint32_t world);

} // namespace rcclx

#endif // RCCLX_ANALYSIS_STAGES_H
