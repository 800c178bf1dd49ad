//===- ConvertRcclxToKernel.cpp - Lower staged collectives to kernels -----===//
//
// Part of rcclx. A stage is copied three times, each copy with other parts of
// it: waits, element loop, signals. Index code is copied into each; what is not
// used goes with the next canonicalization.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "rcclx/Dialect/Kernel/Kernel.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"

namespace rcclx {
#define GEN_PASS_DEF_CONVERTRCCLXTOKERNEL
#include "rcclx/Passes/Passes.h.inc"
} // namespace rcclx

using namespace mlir;
using namespace rcclx;

/// Peer loops of a constant trip count up to this are written out in an element
/// loop, so that each peer's slot stays in registers. Longer ones stay loops:
/// hundreds of inlined steps take tens of seconds to compile.
static constexpr int64_t maxUnroll = 16;

namespace {
enum class Phase { Waits, Elements, Signals };

/// A slice as index values: the part from a/d to (a+l)/d of a block.
struct Rational {
  BufferKind buffer;
  Value block; // null where the buffer has one block
  Value a, l, d;
};

class Lowering {
public:
  explicit Lowering(CollectiveOp collective) : collective(collective) {}

  LogicalResult run(OpBuilder &builder);

private:
  //===------------------------------------------------------------------===//
  // Values
  //===------------------------------------------------------------------===//

  Value constant(OpBuilder &b, Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value tagOf(OpBuilder &b, Location loc, Value tag, IRMapping &scope) {
    return tag ? scope.lookup(tag) : constant(b, loc, 0);
  }

  Rational lowerSlice(Value slice, OpBuilder &b, IRMapping &scope) {
    if (auto buffer = slice.getDefiningOp<BufferOp>()) {
      Location loc = buffer.getLoc();
      Value one = constant(b, loc, 1);
      return {buffer.getBuffer(),
              buffer.getBlock() ? scope.lookup(buffer.getBlock()) : Value(),
              constant(b, loc, 0), one, one};
    }
    auto part = slice.getDefiningOp<PartOp>();
    Location loc = part.getLoc();
    Rational r = lowerSlice(part.getSource(), b, scope);
    Value index = scope.lookup(part.getIndex());
    Value count = scope.lookup(part.getCount());
    // [a, a+l) of d, part i of n: from (a*n + l*i) of d*n, l long, times k.
    r.a = b.createOrFold<arith::AddIOp>(
        loc, b.createOrFold<arith::MulIOp>(loc, r.a, count),
        b.createOrFold<arith::MulIOp>(loc, r.l, index));
    if (part.getLength())
      r.l = b.createOrFold<arith::MulIOp>(loc, r.l,
                                          scope.lookup(part.getLength()));
    r.d = b.createOrFold<arith::MulIOp>(loc, r.d, count);
    return r;
  }

  Value lowerBuffer(const Rational &r, OpBuilder &b, Location loc) {
    return kernel::BufferOp::create(b, loc, context, r.buffer, r.block);
  }

  Type convert(Type type) {
    MLIRContext *ctx = collective.getContext();
    if (isa<ChunkType>(type))
      return kernel::GroupType::get(ctx);
    if (isa<AccType>(type))
      return kernel::AccType::get(ctx);
    return type;
  }

  static bool isIndexCode(Operation *op) {
    return isa<ShiftOp>(op) || isa<arith::ArithDialect>(op->getDialect());
  }

  //===------------------------------------------------------------------===//
  // Pieces of the kernel
  //===------------------------------------------------------------------===//

  /// Copies index code and control flow of `block`; `leaf` lowers the rest.
  /// Data is carried by loops and branches where `phase` is Elements.
  using Leaf =
      llvm::function_ref<LogicalResult(Operation *, OpBuilder &, IRMapping &)>;
  LogicalResult copyBlock(Block *block, OpBuilder &b, IRMapping &scope,
                          Phase phase, Leaf leaf);
  LogicalResult copyFor(scf::ForOp loop, OpBuilder &b, IRMapping &scope,
                        Phase phase, Leaf leaf);
  LogicalResult copyIf(scf::IfOp branch, OpBuilder &b, IRMapping &scope,
                       Phase phase, Leaf leaf);

  LogicalResult lowerTopLevel(Operation *op, OpBuilder &b, IRMapping &scope);
  LogicalResult lowerStage(StageOp stage, OpBuilder &b, IRMapping &scope);
  LogicalResult lowerWait(Operation *op, OpBuilder &b, IRMapping &scope);
  LogicalResult lowerElement(Operation *op, OpBuilder &b, IRMapping &scope);
  LogicalResult lowerSignal(Operation *op, OpBuilder &b, IRMapping &scope);

  LogicalResult numberPulls();
  LogicalResult lowerGroup(OpBuilder &b, IRMapping &scope);
  void publish(OpBuilder &b, IRMapping &scope);
  std::pair<int64_t, int64_t> findLongest();

  bool isInGroup(Operation *op) {
    auto stage = dyn_cast<StageOp>(op);
    stage = stage ? stage : op->getParentOfType<StageOp>();
    return stage.getGroup() == group;
  }

  CollectiveOp collective;
  int64_t group = 0;
  Value context, tile, tiles;
  // Within the element loop of a stage.
  Value range, granule;
  /// Reads of peers' memory, in order: the number is the tag in the window.
  SmallVector<LoadOp> pulls;
};
} // namespace

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static SmallVector<Value> keptValues(ValueRange values, Phase phase) {
  return llvm::to_vector(llvm::make_filter_range(values, [&](Value v) {
    return phase == Phase::Elements || !isa<ChunkType, AccType>(v.getType());
  }));
}

static SmallVector<Value> lookupAll(ValueRange values, IRMapping &scope) {
  return llvm::map_to_vector(values, [&](Value v) { return scope.lookup(v); });
}

LogicalResult Lowering::copyBlock(Block *block, OpBuilder &b, IRMapping &scope,
                                  Phase phase, Leaf leaf) {
  for (Operation &op : block->without_terminator()) {
    LogicalResult result = success();
    if (isIndexCode(&op))
      b.clone(op, scope);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      result = copyFor(loop, b, scope, phase, leaf);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      result = copyIf(branch, b, scope, phase, leaf);
    else if (!isa<BufferOp, PartOp>(op)) // slices are lowered where they are used
      result = leaf(&op, b, scope);
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult Lowering::copyFor(scf::ForOp loop, OpBuilder &b, IRMapping &scope,
                                Phase phase, Leaf leaf) {
  SmallVector<Value> arguments =
      keptValues(SmallVector<Value>(loop.getRegionIterArgs()), phase);
  SmallVector<Value> inits =
      lookupAll(keptValues(loop.getInitArgs(), phase), scope);
  ValueRange yields = loop.getBody()->getTerminator()->getOperands();

  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (phase == Phase::Elements && granule && lower && upper && step &&
      *step > 0 && (*upper - *lower + *step - 1) / *step <= maxUnroll) {
    SmallVector<Value> carried = inits;
    for (int64_t i = *lower; i < *upper; i += *step) {
      scope.map(loop.getInductionVar(), constant(b, loop.getLoc(), i));
      for (auto [argument, value] : llvm::zip_equal(arguments, carried))
        scope.map(argument, value);
      if (failed(copyBlock(loop.getBody(), b, scope, phase, leaf)))
        return failure();
      carried = lookupAll(keptValues(yields, phase), scope);
    }
    for (auto [from, to] :
         llvm::zip_equal(keptValues(loop.getResults(), phase), carried))
      scope.map(from, to);
    return success();
  }

  auto fresh = scf::ForOp::create(b, loop.getLoc(),
                                  scope.lookup(loop.getLowerBound()),
                                  scope.lookup(loop.getUpperBound()),
                                  scope.lookup(loop.getStep()), inits);
  scope.map(loop.getInductionVar(), fresh.getInductionVar());
  for (auto [from, to] : llvm::zip_equal(arguments, fresh.getRegionIterArgs()))
    scope.map(from, to);
  if (fresh.getBody()->mightHaveTerminator())
    fresh.getBody()->getTerminator()->erase();
  OpBuilder inner = OpBuilder::atBlockEnd(fresh.getBody());
  if (failed(copyBlock(loop.getBody(), inner, scope, phase, leaf)))
    return failure();
  scf::YieldOp::create(inner, loop.getLoc(),
                       lookupAll(keptValues(yields, phase), scope));
  for (auto [from, to] : llvm::zip_equal(keptValues(loop.getResults(), phase),
                                         fresh.getResults()))
    scope.map(from, to);
  return success();
}

LogicalResult Lowering::copyIf(scf::IfOp branch, OpBuilder &b, IRMapping &scope,
                               Phase phase, Leaf leaf) {
  SmallVector<Value> results = keptValues(branch.getResults(), phase);
  SmallVector<Type> types = llvm::map_to_vector(
      results, [&](Value v) { return convert(v.getType()); });
  auto fresh = scf::IfOp::create(b, branch.getLoc(), types,
                                 scope.lookup(branch.getCondition()),
                                 /*addThenBlock=*/true,
                                 /*addElseBlock=*/branch.elseBlock() != nullptr);
  for (auto [from, to] : {std::pair(branch.thenBlock(), fresh.thenBlock()),
                          std::pair(branch.elseBlock(), fresh.elseBlock())}) {
    if (!from)
      continue;
    if (to->mightHaveTerminator())
      to->getTerminator()->erase();
    OpBuilder inner = OpBuilder::atBlockEnd(to);
    if (failed(copyBlock(from, inner, scope, phase, leaf)))
      return failure();
    scf::YieldOp::create(
        inner, branch.getLoc(),
        lookupAll(keptValues(from->getTerminator()->getOperands(), phase),
                  scope));
  }
  for (auto [from, to] : llvm::zip_equal(results, fresh.getResults()))
    scope.map(from, to);
  return success();
}

//===----------------------------------------------------------------------===//
// Phases of a stage
//===----------------------------------------------------------------------===//

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
      Value tag = constant(b, loc, llvm::find(pulls, load) - pulls.begin());
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
      Value tag = constant(b, loc, llvm::find(pulls, load) - pulls.begin());
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
      Value tag = constant(b, loc, llvm::find(pulls, load) - pulls.begin());
      Value slot = kernel::SlotFromOp::create(b, loc, context, owner, tag, tile,
                                              Protocol::Direct);
      result = kernel::RecvOp::create(b, loc, context, slot, range, granule,
                                      owner, Protocol::Direct);
    } else {
      Value base = lowerBuffer(lowerSlice(load.getSource(), b, scope), b, loc);
      result = kernel::LoadOp::create(b, loc, base, granule);
    }
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    if (store.getAt())
      return store.emitOpError("writes another rank's memory, which is not "
                               "lowered yet; expected a message");
    Value base =
        lowerBuffer(lowerSlice(store.getDestination(), b, scope), b, loc);
    kernel::StoreOp::create(b, loc, scope.lookup(store.getChunk()), base,
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
    Value slot = kernel::SlotFromOp::create(
        b, loc, context, source, tagOf(b, loc, recv.getTag(), scope), tile,
        protocol);
    result = kernel::RecvOp::create(b, loc, context, slot, range, granule,
                                    source, protocol);
  } else if (isa<IdentityOp>(op)) {
    result = kernel::IdentityOp::create(
        b, loc, kernel::AccType::get(collective.getContext()));
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    result = kernel::ReduceOp::create(b, loc,
                                      kernel::AccType::get(b.getContext()),
                                      scope.lookup(reduce.getAcc()),
                                      scope.lookup(reduce.getChunk()));
  } else if (auto round = dyn_cast<RoundOp>(op)) {
    result = kernel::RoundOp::create(b, loc,
                                     kernel::GroupType::get(b.getContext()),
                                     scope.lookup(round.getAcc()));
  } else if (auto finish = dyn_cast<FinishOp>(op)) {
    result = kernel::FinishOp::create(b, loc,
                                      kernel::GroupType::get(b.getContext()),
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
  range = kernel::RangeOp::create(b, loc, context, tile, over.a, over.l, over.d);
  Value first = kernel::FirstOp::create(b, loc, context, range);
  Value limit = kernel::LimitOp::create(b, loc, range);
  Value step = constant(b, loc, collective.getMappingAttr().getThreads());
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

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

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
  return op->emitOpError("is not in a stage; expected rcclx-form-stages first");
}

/// The longest slice of the group's stages, as a fraction of a block. A
/// length that is not constant counts as the whole.
std::pair<int64_t, int64_t> Lowering::findLongest() {
  std::pair<int64_t, int64_t> longest = {0, 1};
  collective.walk([&](StageOp stage) {
    if (!isInGroup(stage))
      return;
    std::pair<int64_t, int64_t> fraction = {1, 1};
    for (Value slice = stage.getOver(); auto part = slice.getDefiningOp<PartOp>();
         slice = part.getSource()) {
      std::optional<int64_t> count = getConstantIntValue(part.getCount());
      std::optional<int64_t> length =
          part.getLength() ? getConstantIntValue(part.getLength()) : 1;
      if (count && length) {
        fraction.first *= *length;
        fraction.second *= *count;
      }
    }
    if (fraction.first * longest.second > longest.first * fraction.second)
      longest = fraction;
  });
  return longest;
}

/// Whether a value is the same on every rank: no use of the rank below it.
static bool isUniform(Value value) {
  Operation *op = value.getDefiningOp();
  return op && llvm::all_of(op->getOperands(), isUniform);
}

LogicalResult Lowering::numberPulls() {
  WalkResult result = collective.walk([&](LoadOp load) {
    if (!load.getAt()) {
      BufferOp buffer = getBufferOf(load.getSource());
      if (buffer.getBuffer() == BufferKind::Output) {
        load.emitOpError("reads the output, which is not lowered yet; expected "
                         "the chunk that was stored to be used");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    }
    BufferOp buffer = getBufferOf(load.getSource());
    if (buffer.getBuffer() == BufferKind::Output || !isUniform(load.getSource())) {
      load.emitOpError("reads another rank's memory in a way that is not lowered "
                       "yet; expected a slice of the input that is the same for "
                       "every reader");
      return WalkResult::interrupt();
    }
    pulls.push_back(load);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
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
    Value step = constant(b, loc, collective.getMappingAttr().getThreads());
    auto loop = scf::ForOp::create(b, loc, first, limit, step);
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    Value base = lowerBuffer(slice, inner, loc);
    Value group =
        kernel::LoadOp::create(inner, loc, base, loop.getInductionVar());
    Value rank = scope.lookup(collective.getRank());
    Value slot = kernel::SlotToOp::create(inner, loc, context, rank, tag, tile,
                                          Protocol::Direct);
    kernel::SendOp::create(inner, loc, context, group, slot, own,
                           loop.getInductionVar(), Protocol::Direct);
    kernel::ReleaseOp::create(b, loc, context);
    kernel::PostWindowOp::create(b, loc, context, tag, tile);
  }
}

/// The tile loop over the stages of one block group.
LogicalResult Lowering::lowerGroup(OpBuilder &b, IRMapping &scope) {
  Location loc = collective.getLoc();
  auto [num, den] = findLongest();
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

  Location loc = collective.getLoc();
  MLIRContext *ctx = builder.getContext();
  auto func = kernel::FuncOp::create(
      builder, loc, ("rcclx_" + collective.getSymName()).str(),
      collective.getSpecAttr(), collective.getMappingAttr());
  Block *body = &func.getBody().emplaceBlock();
  context = body->addArgument(kernel::ContextType::get(ctx), loc);
  IRMapping scope;
  scope.map(collective.getRank(), body->addArgument(builder.getIndexType(), loc));
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

namespace {
struct ConvertRcclxToKernelPass
    : public rcclx::impl::ConvertRcclxToKernelBase<ConvertRcclxToKernelPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto collective :
         llvm::make_early_inc_range(getOperation().getOps<CollectiveOp>())) {
      OpBuilder builder(collective);
      if (failed(Lowering(collective).run(builder)))
        return signalPassFailure();
      collective.erase();
    }
  }
};
} // namespace
