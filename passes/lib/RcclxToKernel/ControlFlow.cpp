//===- ControlFlow.cpp - Loops and branches of a kernel
//---------------------===//
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
  return isa<ShiftOp>(op) || isa<arith::ArithDialect>(op->getDialect());
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

  auto fresh = scf::ForOp::create(
      b, loop.getLoc(), scope.lookup(loop.getLowerBound()),
      scope.lookup(loop.getUpperBound()), scope.lookup(loop.getStep()), inits);
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
