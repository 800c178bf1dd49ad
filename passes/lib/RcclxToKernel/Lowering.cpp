//===- Lowering.cpp - Frame, tiles and windows of a kernel ----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "rcclx/Analysis/Proof.h"
#include "rcclx/Analysis/Stages.h"

using namespace mlir;
using namespace rcclx;

bool Lowering::isInGroup(Operation *op) {
  auto stage = dyn_cast<StageOp>(op);
  stage = stage ? stage : op->getParentOfType<StageOp>();
  return stage.getGroup() == group;
}

/// A loop over all other ranks, from the next one on.
void Lowering::forEachOther(OpBuilder &b, Location loc, IRMapping &scope,
                            llvm::function_ref<void(OpBuilder &, Value)> body) {
  Value one = constant(b, loc, 1);
  Value world = constant(b, loc, collective.getSpecAttr().getWorld());
  auto loop = scf::ForOp::create(b, loc, one, world, one);
  OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
  Value peer = ShiftOp::create(inner, loc, scope.lookup(collective.getRank()),
                               loop.getInductionVar());
  body(inner, peer);
}

LogicalResult Lowering::lowerTopLevel(Operation *op, OpBuilder &b,
                                      IRMapping &scope) {
  Location loc = op->getLoc();
  if (auto stage = dyn_cast<StageOp>(op))
    return isInGroup(stage) ? lowerStage(stage, b, scope) : success();
  if (auto signal = dyn_cast<SignalOp>(op)) {
    kernel::ReleaseOp::create(b, loc, context);
    kernel::PostMessageOp::create(b, loc, context,
                                  scope.lookup(signal.getPeer()),
                                  tagOf(b, loc, signal.getTag(), scope), tile);
    return success();
  }
  if (auto wait = dyn_cast<WaitOp>(op)) {
    kernel::WaitMessageOp::create(b, loc, context, scope.lookup(wait.getPeer()),
                                  tagOf(b, loc, wait.getTag(), scope), tile);
    kernel::AcquireOp::create(b, loc, context);
    return success();
  }
  if (auto barrier = dyn_cast<BarrierOp>(op)) {
    Value tag = tagOf(b, loc, barrier.getTag(), scope);
    kernel::ReleaseOp::create(b, loc, context);
    forEachOther(b, loc, scope, [&](OpBuilder &at, Value peer) {
      kernel::PostMessageOp::create(at, loc, context, peer, tag, tile);
    });
    forEachOther(b, loc, scope, [&](OpBuilder &at, Value peer) {
      kernel::WaitMessageOp::create(at, loc, context, peer, tag, tile);
    });
    kernel::AcquireOp::create(b, loc, context);
    return success();
  }
  return op->emitOpError("is not in a stage; expected rcclx-form-stages first");
}

/// Whether a value is the same on every rank: no use of the rank below it. What
/// a loop or branch gives may use it inside.
static bool isUniform(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), isUniform);
}

/// Whether the stage of `op` runs more than once for a tile.
static bool isInStageLoop(Operation *op) {
  return !isa<CollectiveOp>(op->getParentOfType<StageOp>()->getParentOp());
}

/// Whether no rank reads another's memory twice. What cannot be proved has been
/// refused before.
static bool isReadOnce(CollectiveOp collective) {
  FailureOr<Proof> proof = proveSchedule(
      collective, collective.getSpecAttr().getWorld(), /*slots=*/UINT32_MAX);
  return succeeded(proof) && proof->mostReads <= 1;
}

LogicalResult Lowering::numberPulls() {
  WalkResult result = collective.walk([&](LoadOp load) {
    if (!load.getAt())
      return WalkResult::advance();
    BufferOp buffer = getBufferOf(load.getSource());
    if (buffer.getBuffer() == BufferKind::Output ||
        !isUniform(load.getSource())) {
      load.emitOpError(
          "reads another rank's memory in a way that is not lowered "
          "yet; expected a slice of the input that is the same for "
          "every reader");
      return WalkResult::interrupt();
    }
    // One credit a tile says that a reader is done with the window.
    if (!pulls.empty() || (isInStageLoop(load) && !isReadOnce(collective))) {
      load.emitOpError(
          "reads another rank's memory a second time, by this or by another "
          "operation, which is not lowered yet; expected one such load, in a "
          "loop over the peers");
      return WalkResult::interrupt();
    }
    pulls.push_back(load);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Other ranks have none that they could publish.
static bool isInputOfRootOnly(Contract contract) {
  return contract == Contract::Broadcast || contract == Contract::Scatter;
}

/// Copies the own input into the window for the readers of the other ranks. The
/// copy keeps a call legal in place, where peers may still read what this rank
/// already overwrites.
void Lowering::publish(OpBuilder &b, IRMapping &scope) {
  for (auto [number, load] : llvm::enumerate(pulls)) {
    if (!isInGroup(load))
      continue;
    Location loc = load.getLoc();
    Value tag = constant(b, loc, number);
    OpBuilder outer = b;
    if (isInputOfRootOnly(collective.getContract())) {
      Value root = constant(b, loc, collective.getSpecAttr().getRoot());
      Value isRoot =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                scope.lookup(collective.getRank()), root);
      auto guard = scf::IfOp::create(b, loc, isRoot, /*withElseRegion=*/false);
      b = OpBuilder::atBlockBegin(guard.thenBlock());
    }
    // Uniform: index code that can be copied to here.
    IRMapping values = scope;
    std::function<void(Value)> copy = [&](Value v) {
      if (values.contains(v))
        return;
      for (Value operand : v.getDefiningOp()->getOperands())
        copy(operand);
      if (!isa<BufferOp, PartOp>(v.getDefiningOp()))
        b.clone(*v.getDefiningOp(), values);
    };
    copy(load.getSource());
    Rational slice = lowerSlice(load.getSource(), b, values);

    kernel::WaitWindowOp::create(b, loc, context, tag, tile);
    kernel::AcquireOp::create(b, loc, context);
    Value own = kernel::RangeOp::create(b, loc, context, tile, slice.a, slice.l,
                                        slice.d);
    Value first = kernel::FirstOp::create(b, loc, context, own);
    Value limit = kernel::LimitOp::create(b, loc, own);
    Value step = kernel::StrideOp::create(b, loc);
    auto loop = scf::ForOp::create(b, loc, first, limit, step);
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    Value group = lowerLoad(slice, own, loop.getInductionVar(), inner, loc);
    Value rank = scope.lookup(collective.getRank());
    Value slot = kernel::SlotToOp::create(inner, loc, context, rank, tag, tile,
                                          Protocol::Direct);
    kernel::SendOp::create(inner, loc, context, group, slot, own,
                           loop.getInductionVar(), Protocol::Direct);
    kernel::ReleaseOp::create(b, loc, context);
    kernel::PostWindowOp::create(b, loc, context, tag, tile);
    b = outer;
  }
}

/// The tile loop over the stages of one block group.
LogicalResult Lowering::lowerGroup(OpBuilder &b, IRMapping &scope) {
  Location loc = collective.getLoc();
  auto [num, den] = findLongestSlice(collective, group);
  tiles = kernel::TilesOp::create(b, loc, context, num, den);
  auto loop = scf::ForOp::create(b, loc, constant(b, loc, 0), tiles,
                                 constant(b, loc, 1));
  tile = loop.getInductionVar();
  OpBuilder inTile = OpBuilder::atBlockBegin(loop.getBody());
  Value alive = kernel::AliveOp::create(inTile, loc, context);
  auto guard = scf::IfOp::create(inTile, loc, alive, /*withElseRegion=*/false);
  OpBuilder inner = OpBuilder::atBlockBegin(guard.thenBlock());
  publish(inner, scope);
  IRMapping values = scope;
  if (failed(copyBlock(&collective.getBody().front(), inner, values,
                       Phase::Waits,
                       [&](Operation *op, OpBuilder &at, IRMapping &inScope) {
                         return lowerTopLevel(op, at, inScope);
                       })))
    return failure();
  // Exit synchronisation: the window is free for the next call.
  for (auto [number, load] : llvm::enumerate(pulls))
    if (isInGroup(load))
      kernel::DrainWindowOp::create(b, loc, context, constant(b, loc, number),
                                    tiles);
  return success();
}

LogicalResult Lowering::run(OpBuilder &builder) {
  if (!collective.getMappingAttr())
    return collective.emitOpError(
        "is not mapped; expected rcclx-map-to-blocks first");
  WalkResult protocols = collective.walk([&](Operation *op) {
    if (isa<SendOp, RecvOp>(op) && !op->getAttr("protocol")) {
      op->emitOpError("has no protocol; expected rcclx-select-protocol first");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (protocols.wasInterrupted() || failed(numberPulls()))
    return failure();
  FailureOr<Operation *> readBack =
      findUnalignedReadBack(collective, collective.getSpecAttr().getWorld());
  if (failed(readBack))
    return failure();
  if (*readBack)
    return (*readBack)->emitOpError(
        "reads output that was stored as other parts, which is not lowered "
        "yet; "
        "expected the same parts, or the chunk that was stored");

  Location loc = collective.getLoc();
  MLIRContext *ctx = builder.getContext();
  auto func = kernel::FuncOp::create(
      builder, loc, ("rcclx_" + collective.getSymName()).str(),
      FlatSymbolRefAttr::get(collective.getSymNameAttr()),
      collective.getSpecAttr(), collective.getMappingAttr());
  Block *body = &func.getBody().emplaceBlock();
  context = body->addArgument(kernel::ContextType::get(ctx), loc);
  IRMapping scope;
  scope.map(collective.getRank(),
            body->addArgument(builder.getIndexType(), loc));
  OpBuilder b = OpBuilder::atBlockBegin(body);

  kernel::OpenOp::create(b, loc, context);
  unsigned groups = collective.getMappingAttr().getGroups();
  for (group = 0; group < groups; ++group) {
    OpBuilder at = b;
    if (groups > 1) {
      Value mine = kernel::InGroupOp::create(b, loc, context, group);
      auto guard = scf::IfOp::create(b, loc, mine, /*withElseRegion=*/false);
      at = OpBuilder::atBlockBegin(guard.thenBlock());
    }
    if (failed(lowerGroup(at, scope)))
      return failure();
  }
  kernel::CloseOp::create(b, loc, context);
  kernel::ReturnOp::create(b, loc);
  return success();
}
