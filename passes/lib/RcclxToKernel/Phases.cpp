//===- Phases.cpp - Waits, elements and signals of a stage ----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace rcclx;

static bool waitsInElements(Protocol protocol) {
  return protocol == Protocol::LL || protocol == Protocol::Sentinel;
}

LogicalResult Lowering::lowerWait(Operation *op, OpBuilder &b,
                                  IRMapping &scope) {
  Location loc = op->getLoc();
  if (auto send = dyn_cast<SendOp>(op)) {
    kernel::WaitCreditOp::create(b, loc, context, scope.lookup(send.getPeer()),
                                 tagOf(b, loc, send.getTag(), scope), tile);
  } else if (auto recv = dyn_cast<RecvOp>(op)) {
    if (!waitsInElements(recv.getProtocolAttr().getValue()))
      kernel::WaitMessageOp::create(b, loc, context,
                                    scope.lookup(recv.getPeer()),
                                    tagOf(b, loc, recv.getTag(), scope), tile);
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    if (load.getAt()) {
      Value tag = pullOf(b, load);
      kernel::WaitPullOp::create(b, loc, context, scope.lookup(load.getAt()),
                                 tag, tile);
    }
  }
  return success();
}

LogicalResult Lowering::lowerSignal(Operation *op, OpBuilder &b,
                                    IRMapping &scope) {
  Location loc = op->getLoc();
  if (auto send = dyn_cast<SendOp>(op)) {
    if (!waitsInElements(send.getProtocolAttr().getValue()))
      kernel::PostMessageOp::create(b, loc, context,
                                    scope.lookup(send.getPeer()),
                                    tagOf(b, loc, send.getTag(), scope), tile);
  } else if (auto recv = dyn_cast<RecvOp>(op)) {
    kernel::PostCreditOp::create(b, loc, context, scope.lookup(recv.getPeer()),
                                 tagOf(b, loc, recv.getTag(), scope), tile,
                                 tiles);
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    if (load.getAt()) {
      Value tag = pullOf(b, load);
      kernel::PostPullOp::create(b, loc, context, scope.lookup(load.getAt()),
                                 tag, tile);
    }
  }
  return success();
}

LogicalResult Lowering::lowerElement(Operation *op, OpBuilder &b,
                                     IRMapping &scope) {
  Location loc = op->getLoc();
  Value result;
  if (auto load = dyn_cast<LoadOp>(op)) {
    if (load.getAt()) {
      Value owner = scope.lookup(load.getAt());
      Value tag = pullOf(b, load);
      Value slot = kernel::SlotFromOp::create(b, loc, context, owner, tag, tile,
                                              Protocol::Direct);
      result = kernel::RecvOp::create(b, loc, context, slot, range, granule,
                                      owner, Protocol::Direct);
    } else {
      result = lowerLoad(lowerSlice(load.getSource(), b, scope), range, granule,
                         b, loc);
    }
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    if (store.getAt())
      return store.emitOpError("writes another rank's memory, which is not "
                               "lowered yet; expected a message");
    Value base =
        lowerBuffer(lowerSlice(store.getDestination(), b, scope), b, loc);
    kernel::StoreOp::create(b, loc, scope.lookup(store.getChunk()), base, range,
                            granule);
  } else if (auto send = dyn_cast<SendOp>(op)) {
    Protocol protocol = send.getProtocolAttr().getValue();
    Value slot = kernel::SlotToOp::create(
        b, loc, context, scope.lookup(send.getPeer()),
        tagOf(b, loc, send.getTag(), scope), tile, protocol);
    kernel::SendOp::create(b, loc, context, scope.lookup(send.getChunk()), slot,
                           range, granule, protocol);
  } else if (auto recv = dyn_cast<RecvOp>(op)) {
    Protocol protocol = recv.getProtocolAttr().getValue();
    Value source = scope.lookup(recv.getPeer());
    Value slot = kernel::SlotFromOp::create(b, loc, context, source,
                                            tagOf(b, loc, recv.getTag(), scope),
                                            tile, protocol);
    result = kernel::RecvOp::create(b, loc, context, slot, range, granule,
                                    source, protocol);
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    result =
        arith::SelectOp::create(b, loc, scope.lookup(select.getCondition()),
                                scope.lookup(select.getTrueValue()),
                                scope.lookup(select.getFalseValue()));
  } else if (isa<IdentityOp>(op)) {
    result = kernel::IdentityOp::create(
        b, loc, kernel::AccType::get(collective.getContext()));
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    result = kernel::ReduceOp::create(
        b, loc, kernel::AccType::get(b.getContext()),
        scope.lookup(reduce.getAcc()), scope.lookup(reduce.getChunk()));
  } else if (auto round = dyn_cast<RoundOp>(op)) {
    result =
        kernel::RoundOp::create(b, loc, kernel::GroupType::get(b.getContext()),
                                scope.lookup(round.getAcc()));
  } else if (auto finish = dyn_cast<FinishOp>(op)) {
    result =
        kernel::FinishOp::create(b, loc, kernel::GroupType::get(b.getContext()),
                                 scope.lookup(finish.getAcc()));
  }
  if (result)
    scope.map(op->getResult(0), result);
  return success();
}

LogicalResult Lowering::lowerStage(StageOp stage, OpBuilder &b,
                                   IRMapping &scope) {
  Location loc = stage.getLoc();
  Block *body = &stage.getBody().front();
  auto runPhase = [&](Phase phase, OpBuilder &builder, auto lower) {
    IRMapping inner = scope;
    return copyBlock(body, builder, inner, phase,
                     [&](Operation *op, OpBuilder &at, IRMapping &values) {
                       return (this->*lower)(op, at, values);
                     });
  };

  if (failed(runPhase(Phase::Waits, b, &Lowering::lowerWait)))
    return failure();
  kernel::AcquireOp::create(b, loc, context);

  Rational over = lowerSlice(stage.getOver(), b, scope);
  range =
      kernel::RangeOp::create(b, loc, context, tile, over.a, over.l, over.d);
  Value first = kernel::FirstOp::create(b, loc, context, range);
  Value limit = kernel::LimitOp::create(b, loc, range);
  Value step = kernel::StrideOp::create(b, loc);
  auto elements = scf::ForOp::create(b, loc, first, limit, step);
  granule = elements.getInductionVar();
  OpBuilder inner = OpBuilder::atBlockBegin(elements.getBody());
  LogicalResult result =
      runPhase(Phase::Elements, inner, &Lowering::lowerElement);
  granule = range = nullptr;
  if (failed(result))
    return failure();

  kernel::ReleaseOp::create(b, loc, context);
  return runPhase(Phase::Signals, b, &Lowering::lowerSignal);
}
