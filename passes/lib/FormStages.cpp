//===- FormStages.cpp - Fuse the dataflow into element-wise stages --------===//
//
// Part of rcclx. The body is rebuilt: index code and loops that only hold
// stages are copied, and each connected part of the dataflow becomes one stage
// where its first effect was. The interpreter then proves the result, so that a
// regrouping that would change what a schedule means is refused, not emitted.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "rcclx/Analysis/Proof.h"
#include "rcclx/Analysis/Stages.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "rcclx/Passes/Passes.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace rcclx {
#define GEN_PASS_DEF_FORMSTAGES
#include "rcclx/Passes/Passes.h.inc"
} // namespace rcclx

using namespace mlir;
using namespace rcclx;

static bool isData(Type type) { return isa<ChunkType, AccType>(type); }

/// Cheap, and the same wherever it runs: copied into every stage that uses it.
static bool isRepeatable(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op)) {
    BufferOp buffer = getBufferOf(load.getSource());
    return !load.getAt() && buffer && buffer.getBuffer() == BufferKind::Input;
  }
  return isa<IdentityOp>(op);
}

static bool isDataOp(Operation *op) {
  if (isa<LoadOp, StoreOp, SendOp, RecvOp, IdentityOp, ReduceOp, RoundOp,
          FinishOp>(op))
    return true;
  return isa<scf::ForOp, scf::IfOp, arith::SelectOp>(op) &&
         llvm::any_of(op->getResultTypes(), isData);
}

static bool hasEffect(Operation *op) {
  return isa<StoreOp, SendOp, RecvOp>(op) ||
         (isa<LoadOp>(op) && !isRepeatable(op));
}

/// The operation that gives a data value: its definition, or the loop that
/// carries it.
static Operation *getSource(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op;
  return cast<BlockArgument>(value).getOwner()->getParentOp();
}

namespace {
/// A connected part of the dataflow.
struct Component {
  llvm::SetVector<Operation *> members; // in program order
  Block *home = nullptr;       // the innermost block that encloses all members
  Operation *anchor = nullptr; // in `home`: where the stage goes
};

/// Finds the components of a collective.
class Partition {
public:
  explicit Partition(CollectiveOp collective) {
    llvm::EquivalenceClasses<Operation *> classes;
    collective.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isDataOp(op) && !isRepeatable(op))
        classes.insert(op);
    });
    collective.getBody().walk([&](Operation *op) { link(classes, op); });

    llvm::MapVector<Operation *, Component> byLeader;
    collective.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isDataOp(op) && !isRepeatable(op))
        byLeader[classes.getLeaderValue(op)].members.insert(op);
    });
    for (auto &[leader, component] : byLeader) {
      addRepeatable(component);
      component.home = findHome(component, &collective.getBody().front());
      component.anchor = findAnchor(component);
      if (component.anchor)
        components.push_back(std::move(component));
    }
  }

  std::vector<Component> components;

private:
  /// Unites an operation with those that give it data.
  static void link(llvm::EquivalenceClasses<Operation *> &classes,
                   Operation *op) {
    Operation *user = op;
    if (isa<scf::YieldOp>(op)) // yields belong to the loop or branch
      user = op->getParentOp();
    for (Value operand : op->getOperands()) {
      if (!isData(operand.getType()))
        continue;
      Operation *source = getSource(operand);
      if (!isRepeatable(source))
        classes.unionSets(user, source);
    }
  }

  /// Adds the loads and identities that members use.
  static void addRepeatable(Component &component) {
    SmallVector<Operation *> uses;
    auto add = [&](ValueRange values) {
      for (Value value : values)
        if (isData(value.getType()) && isRepeatable(getSource(value)))
          uses.push_back(getSource(value));
    };
    for (Operation *member : component.members) {
      add(member->getOperands());
      for (Region &region : member->getRegions())
        for (Block &block : region)
          add(block.getTerminator()->getOperands());
    }
    component.members.insert(uses.begin(), uses.end());
  }

  static Block *findHome(const Component &component, Block *body) {
    auto encloses = [](Block *block, Operation *op) {
      return block->findAncestorOpInBlock(*op) != nullptr;
    };
    Block *home = component.members.front()->getBlock();
    for (Operation *member : component.members)
      while (home != body && !encloses(home, member))
        home = home->getParentOp()->getBlock();
    return home;
  }

  /// The first operation of `home` that holds an effect; null for dead code.
  static Operation *findAnchor(const Component &component) {
    Operation *anchor = nullptr;
    for (Operation *member : component.members) {
      if (!hasEffect(member))
        continue;
      Operation *top = component.home->findAncestorOpInBlock(*member);
      if (!anchor || top->isBeforeInBlock(anchor))
        anchor = top;
    }
    return anchor;
  }
};

/// Rebuilds the body of a collective around its stages.
class Rebuilder {
public:
  Rebuilder(CollectiveOp collective, const Partition &partition)
      : collective(collective), partition(partition) {}

  LogicalResult run() {
    Region &body = collective.getBody();
    Block *old = &body.front();
    Block *fresh = new Block;
    for (BlockArgument argument : old->getArguments())
      map.map(argument,
              fresh->addArgument(argument.getType(), argument.getLoc()));
    body.push_back(fresh);
    OpBuilder builder = OpBuilder::atBlockBegin(fresh);
    if (failed(copyBlock(old, builder)))
      return failure();
    ReturnOp::create(builder, old->getTerminator()->getLoc());
    old->dropAllDefinedValueUses();
    old->erase();
    return success();
  }

private:
  /// Index code, slices and empty messages.
  static bool isPlain(Operation *op) {
    return isa<BufferOp, PartOp, ShiftOp, RootOp, DestinationOfOp, SourceOfOp,
               SignalOp, WaitOp, BarrierOp>(op) ||
           (isa<arith::ArithDialect>(op->getDialect()) && !isDataOp(op));
  }

  /// `value` in the new body. Index code that stands further down in an
  /// enclosing block is copied to here.
  Value resolve(Value value, OpBuilder &builder, IRMapping &scope) {
    // What was copied into a branch or loop is not known outside of it.
    Value mapped = scope.lookupOrNull(value);
    if (mapped &&
        mapped.getParentRegion()->isAncestor(builder.getBlock()->getParent()))
      return mapped;
    Operation *op = value.getDefiningOp();
    if (!op || !isPlain(op) || !isPure(op))
      return nullptr;
    for (Value operand : op->getOperands())
      if (!resolve(operand, builder, scope))
        return nullptr;
    builder.clone(*op, scope);
    return scope.lookup(value);
  }

  LogicalResult copyPlain(Operation *op, OpBuilder &builder, IRMapping &scope) {
    for (Value operand : op->getOperands())
      if (!resolve(operand, builder, scope))
        return op->emitOpError("uses a value that is not known where its stage "
                               "would run");
    builder.clone(*op, scope);
    return success();
  }

  //===------------------------------------------------------------------===//
  // Outside of stages
  //===------------------------------------------------------------------===//

  LogicalResult copyBlock(Block *block, OpBuilder &builder) {
    for (Operation &op : block->without_terminator()) {
      for (const Component &component : partition.components)
        if (component.anchor == &op && component.home == block)
          if (failed(makeStage(component, builder)))
            return failure();
      if (isPlain(&op)) {
        if (failed(copyPlain(&op, builder, map)))
          return failure();
      } else if (isa<scf::ForOp, scf::IfOp>(op)) {
        if (failed(copyControl(
                &op, builder, map,
                [&](Block *inner, OpBuilder &b, IRMapping &) {
                  return copyBlock(inner, b);
                },
                /*keepData=*/false)))
          return failure();
      }
    }
    return success();
  }

  using CopyBody =
      llvm::function_ref<LogicalResult(Block *, OpBuilder &, IRMapping &)>;

  /// Copies a loop or branch with the index values, and the data where
  /// `keepData`, that it carries; `copy` fills its blocks.
  LogicalResult copyControl(Operation *op, OpBuilder &builder, IRMapping &scope,
                            CopyBody copy, bool keepData) {
    auto kept = [&](Value value) {
      return keepData || !isData(value.getType());
    };
    auto keptOf = [&](ValueRange values) {
      return llvm::to_vector(llvm::make_filter_range(values, kept));
    };
    auto resolveAll = [&](ValueRange values, OpBuilder &b,
                          SmallVector<Value> &out) -> LogicalResult {
      for (Value value : values) {
        Value mapped = resolve(value, b, scope);
        if (!mapped)
          return op->emitOpError("uses a value that is not known where its "
                                 "stage would run");
        out.push_back(mapped);
      }
      return success();
    };
    auto copyYield = [&](Block *from, OpBuilder &b) -> LogicalResult {
      SmallVector<Value> values;
      if (failed(resolveAll(keptOf(from->getTerminator()->getOperands()), b,
                            values)))
        return failure();
      scf::YieldOp::create(b, from->getTerminator()->getLoc(), values);
      return success();
    };
    auto mapResults = [&](Operation *copyOp) {
      for (auto [from, to] :
           llvm::zip_equal(keptOf(op->getResults()), copyOp->getResults()))
        scope.map(from, to);
    };

    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      SmallVector<Value> operands;
      if (failed(resolveAll(
              {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
              builder, operands)) ||
          failed(resolveAll(keptOf(loop.getInitArgs()), builder, operands)))
        return failure();
      auto fresh = scf::ForOp::create(builder, loop.getLoc(), operands[0],
                                      operands[1], operands[2],
                                      ArrayRef<Value>(operands).drop_front(3));
      fresh.setUnsignedCmp(loop.getUnsignedCmp());
      scope.map(loop.getInductionVar(), fresh.getInductionVar());
      SmallVector<Value> arguments =
          keptOf(SmallVector<Value>(loop.getRegionIterArgs()));
      for (auto [from, to] :
           llvm::zip_equal(arguments, fresh.getRegionIterArgs()))
        scope.map(from, to);
      Block *body = fresh.getBody();
      if (body->mightHaveTerminator())
        body->getTerminator()->erase();
      OpBuilder inner = OpBuilder::atBlockEnd(body);
      if (failed(copy(loop.getBody(), inner, scope)) ||
          failed(copyYield(loop.getBody(), inner)))
        return failure();
      mapResults(fresh);
      return success();
    }

    auto branch = cast<scf::IfOp>(op);
    SmallVector<Value> condition;
    if (failed(resolveAll(branch.getCondition(), builder, condition)))
      return failure();
    SmallVector<Type> types;
    for (Value result : keptOf(branch.getResults()))
      types.push_back(result.getType());
    auto fresh =
        scf::IfOp::create(builder, branch.getLoc(), types, condition.front(),
                          /*addThenBlock=*/true,
                          /*addElseBlock=*/branch.elseBlock() != nullptr);
    for (auto [from, to] : {std::pair(branch.thenBlock(), fresh.thenBlock()),
                            std::pair(branch.elseBlock(), fresh.elseBlock())}) {
      if (!from)
        continue;
      if (to->mightHaveTerminator())
        to->getTerminator()->erase();
      OpBuilder inner = OpBuilder::atBlockEnd(to);
      if (failed(copy(from, inner, scope)) || failed(copyYield(from, inner)))
        return failure();
    }
    mapResults(fresh);
    return success();
  }

  //===------------------------------------------------------------------===//
  // Stages
  //===------------------------------------------------------------------===//

  LogicalResult makeStage(const Component &component, OpBuilder &builder) {
    IRMapping scope = map;
    // Any slice that a member names: the proof that follows refuses a stage
    // whose members work on different parts.
    Value over;
    for (Operation *member : component.members) {
      for (Value operand : member->getOperands())
        if (isa<SliceType>(operand.getType()) && !over)
          over = resolve(operand, builder, scope);
    }
    Operation *anchor = component.anchor;
    if (!over)
      return anchor->emitOpError(
          "starts a stage whose slices are all made inside its loops; expected "
          "one that is known outside of them");
    auto stage = StageOp::create(builder, anchor->getLoc(), over);
    OpBuilder inner = OpBuilder::atBlockBegin(&stage.getBody().emplaceBlock());
    if (failed(copyMembers(component, component.home, inner, scope)))
      return failure();
    YieldOp::create(inner, anchor->getLoc());
    return success();
  }

  LogicalResult copyMembers(const Component &component, Block *block,
                            OpBuilder &builder, IRMapping &scope) {
    for (Operation &op : block->without_terminator()) {
      if (isa<scf::ForOp, scf::IfOp>(op)) {
        bool holds = llvm::any_of(component.members, [&](Operation *member) {
          return op.isAncestor(member);
        });
        if (holds && failed(copyControl(
                         &op, builder, scope,
                         [&](Block *from, OpBuilder &b, IRMapping &s) {
                           return copyMembers(component, from, b, s);
                         },
                         /*keepData=*/component.members.contains(&op))))
          return failure();
      } else if (component.members.contains(&op) ||
                 (block != component.home && isPlain(&op) && isPure(&op))) {
        if (failed(copyPlain(&op, builder, scope)))
          return failure();
      }
    }
    return success();
  }

  CollectiveOp collective;
  const Partition &partition;
  IRMapping map;
};

struct FormStagesPass : public rcclx::impl::FormStagesBase<FormStagesPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto collective : getOperation().getOps<CollectiveOp>()) {
      if (!collective.getSpec()) {
        collective.emitOpError("is not bound; expected rcclx-specialize first");
        return signalPassFailure();
      }
      Partition partition(collective);
      if (failed(Rebuilder(collective, partition).run()))
        return signalPassFailure();
      if (!prove)
        continue;
      if (failed(proveAgain(collective)))
        return signalPassFailure();
      auto groups =
          groupStages(collective, collective.getSpecAttr().getWorld());
      if (failed(groups))
        return signalPassFailure();
      for (auto [stage, group] : *groups)
        stage.setGroup(group);
    }
  }

  /// Regrouping moves effects of one stage to its first. The proof takes a
  /// stage as one step; rcclx-select-protocol looks at its order within.
  LogicalResult proveAgain(CollectiveOp collective) {
    uint32_t world = collective.getSpecAttr().getWorld();
    if (succeeded(proveSchedule(collective, world, /*slots=*/UINT32_MAX)))
      return success();
    return collective.emitOpError(
        "cannot be fused: its operations on one slice are too far apart, and "
        "bringing them together gives the error above");
  }
};
} // namespace
