//===- Edges.cpp - Which send feeds which receive -------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/Edges.h"
#include "rcclx/Analysis/Simulate.h"
#include "rcclx/Analysis/TraceSchedule.h"

using namespace mlir;
using namespace rcclx;

FailureOr<llvm::SetVector<std::pair<Operation *, Operation *>>>
rcclx::findEdges(CollectiveOp collective, uint32_t world) {
  FailureOr<TracedSchedule> traced = traceSchedule(collective, world);
  if (failed(traced))
    return failure();
  ChannelTable channels(world);
  if (matchMessages(traced->trace, channels))
    return collective.emitOpError(
        "has messages that do not match; expected rcclx-verify first");

  llvm::SetVector<std::pair<Operation *, Operation *>> edges;
  for (const Channel &channel : channels)
    for (auto [sent, received] :
         llvm::zip_equal(channel.sent, channel.received))
      if (!sent.isSignal)
        edges.insert({traced->sources[sent.op], traced->sources[received.op]});
  return edges;
}
