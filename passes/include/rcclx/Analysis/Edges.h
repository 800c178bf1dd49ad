//===- Edges.h - Which send feeds which receive -----------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_ANALYSIS_EDGES_H
#define RCCLX_ANALYSIS_EDGES_H

#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/LogicalResult.h"

namespace rcclx {

/// The edges of the message graph, by operation: over all ranks, the first (a
/// rcclx.send) sends what the second (a rcclx.recv) receives.
///
/// All edges of `collective` on `world` ranks, each once, in the order in which
/// they are found. Emits an error where messages do not match.
llvm::FailureOr<
    llvm::SetVector<std::pair<mlir::Operation *, mlir::Operation *>>>
findEdges(CollectiveOp collective, uint32_t world);

} // namespace rcclx

#endif // RCCLX_ANALYSIS_EDGES_H
