//===- ControlFlow.cpp - Loops and branches of a kernel -------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace rcclx;

/// Peer loops of a constant trip count up to this are written out in an element
/// loop, so that each peer's slot stays in registers. Longer ones stay loops:
/// hundreds of inlined steps take tens of seconds to compile.
static constexpr int64_t maxUnroll = 16;

static bool isIndexCode(Operation *op) {
  return isa<ShiftOp>(op) || (isa<arith::ArithDialect>(op->getDialect()) &&
                              llvm::none_of(op->getResultTypes(),
                                            llvm::IsaPred<ChunkType, AccType>));
}

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
    else if (isa<RootOp, DestinationOfOp, SourceOfOp>(op))
      scope.map(op.getResult(0), lowerRole(&op, b, scope));
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      result = copyFor(loop, b, scope, phase, leaf);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      result = copyIf(branch, b, scope, phase, leaf);
    else if (!isa<BufferOp, PartOp>(
                 op)) // slices are lowered where they are used
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
  std::optional<uint64_t> trips;
  if (lower && upper && step && *step > 0)
    trips = *lower < *upper
                ? (uint64_t(*upper) - uint64_t(*lower) - 1) / *step + 1
                : 0;
  if (phase == Phase::Elements && granule && trips && *trips <= maxUnroll) {
    SmallVector<Value> carried = inits;
    for (uint64_t trip = 0; trip < *trips; ++trip) {
      scope.map(loop.getInductionVar(),
                constant(b, loop.getLoc(), *lower + int64_t(trip) * *step));
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

  if (loop.getUnsignedCmp())
    return loop.emitOpError("compares unsigned, which is not lowered; expected "
                            "a signed scf.for");
  // Index values become unsigned in the text: a loop whose bounds may be
  // negative counts its trips instead.
  Location loc = loop.getLoc();
  Value from = scope.lookup(loop.getLowerBound());
  Value to = scope.lookup(loop.getUpperBound());
  Value by = scope.lookup(loop.getStep());
  bool counted = !lower || !upper || *lower < 0 || *upper < 0;
  Value zero = constant(b, loc, 0), one = constant(b, loc, 1);
  Value count = to;
  if (counted) {
    Value distance = arith::SubIOp::create(b, loc, to, from);
    Value positive = arith::MaxSIOp::create(b, loc, distance, zero);
    count = arith::CeilDivSIOp::create(b, loc, positive, by);
  }
  auto fresh = scf::ForOp::create(b, loc, counted ? zero : from, count,
                                  counted ? one : by, inits);
  OpBuilder atStart = OpBuilder::atBlockBegin(fresh.getBody());
  Value induction = fresh.getInductionVar();
  if (counted)
    induction = arith::AddIOp::create(
        atStart, loc, from, arith::MulIOp::create(atStart, loc, induction, by));
  scope.map(loop.getInductionVar(), induction);
  for (auto [argument, value] :
       llvm::zip_equal(arguments, fresh.getRegionIterArgs()))
    scope.map(argument, value);
  if (fresh.getBody()->mightHaveTerminator())
    fresh.getBody()->getTerminator()->erase();
  OpBuilder inner = OpBuilder::atBlockEnd(fresh.getBody());
  if (failed(copyBlock(loop.getBody(), inner, scope, phase, leaf)))
    return failure();
  scf::YieldOp::create(inner, loop.getLoc(),
                       lookupAll(keptValues(yields, phase), scope));
  for (auto [result, value] : llvm::zip_equal(
           keptValues(loop.getResults(), phase), fresh.getResults()))
    scope.map(result, value);
  return success();
}

LogicalResult Lowering::copyIf(scf::IfOp branch, OpBuilder &b, IRMapping &scope,
                               Phase phase, Leaf leaf) {
  SmallVector<Value> results = keptValues(branch.getResults(), phase);
  SmallVector<Type> types = llvm::map_to_vector(
      results, [&](Value v) { return convert(v.getType()); });
  auto fresh = scf::IfOp::create(
      b, branch.getLoc(), types, scope.lookup(branch.getCondition()),
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
