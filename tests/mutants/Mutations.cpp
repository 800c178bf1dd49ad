//===- Mutations.cpp - Every small change of a program --------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Mutations.h"
#include "OperandNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "rcclx/Dialect/Kernel/Kernel.h"

using namespace mlir;
using namespace rcclx;
using namespace rcclx::mutants;

std::vector<Operation *> mutants::numberOps(Operation *root) {
  std::vector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != root)
      ops.push_back(op);
  });
  return ops;
}

static bool hasEffect(Operation *op) { return !isMemoryEffectFree(op); }

static Value makeConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// The nearest value before `op` that it could use instead of `not`.
static Value findOther(Operation *op, Value unlike, Type type) {
  auto fits = [&](Value v) { return v.getType() == type && v != unlike; };
  for (Operation *at = op; at && !at->hasTrait<OpTrait::IsIsolatedFromAbove>();
       at = at->getParentOp()) {
    for (Operation *before = at->getPrevNode(); before;
         before = before->getPrevNode())
      for (Value result : before->getResults())
        if (fits(result) && !llvm::is_contained(op->getResults(), result))
          return result;
    for (Value argument : llvm::reverse(at->getBlock()->getArguments()))
      if (fits(argument))
        return argument;
  }
  return {};
}

/// The rank that runs the program around `op`.
static Value getOwnRank(Operation *op) {
  while (!isa<CollectiveOp, kernel::FuncOp>(op))
    op = op->getParentOp();
  Block &body = op->getRegion(0).front();
  return body.getArgument(isa<CollectiveOp>(op) ? 0 : 1);
}

static void replace(Operation *op, ValueRange values) {
  op->replaceAllUsesWith(values);
  op->erase();
}

static unsigned getLine(Location loc) {
  unsigned line = 0;
  loc->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner))
      line = file.getLine();
    return line ? WalkResult::interrupt() : WalkResult::advance();
  });
  return line;
}

namespace {
class Finder {
public:
  Finder(unsigned number, Operation *op, std::vector<Mutation> &found)
      : number(number), op(op), names(getOperandNames(op)), found(found) {}

  void run() {
    if (op->hasTrait<OpTrait::IsTerminator>() || isa<arith::ConstantOp>(op))
      return; // constants are changed where they are used
    dropOp();
    if (hasEffect(op)) {
      add("duplicate", [](Operation *o) {
        OpBuilder builder(o->getContext());
        builder.setInsertionPointAfter(o);
        builder.clone(*o);
      });
      swapWithNext();
    }
    changeArithmetic();
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      changeOperand(i);
    exchangeOperands();
    changeAttributes();
  }

private:
  void add(const Twine &what, std::function<void(Operation *)> apply) {
    StringRef where = op->getName().getStringRef();
    where.consume_front("rcclx_kernel.");
    where.consume_front("rcclx.");
    found.push_back({number, getLine(op->getLoc()), where.str(), what.str(),
                     std::move(apply)});
  }

  void dropOp() {
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop.getNumResults()) {
      add("drop", [](Operation *o) {
        replace(o, SmallVector<Value>(cast<scf::ForOp>(o).getInitArgs()));
      });
      return;
    }
    if (op->getNumResults() == 0) {
      if (hasEffect(op))
        add("drop", [](Operation *o) { o->erase(); });
      return;
    }
    if (op->getNumResults() != 1 || op->getNumRegions() != 0)
      return; // conditions: see changeArithmetic
    Type type = op->getResult(0).getType();
    bool same = false;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (operand.getType() == type) {
        same = true;
        add("drop, keep " + names[i], [i](Operation *o) {
          replace(o, SmallVector<Value>{o->getOperand(i)});
        });
      }
    if (!same && findOther(op, {}, type))
      add("drop, use the value before", [](Operation *o) {
        replace(o, findOther(o, {}, o->getResult(0).getType()));
      });
  }

  void swapWithNext() {
    Operation *next = op->getNextNode();
    while (next && !hasEffect(next))
      next = next->getNextNode();
    if (!next || next->hasTrait<OpTrait::IsTerminator>())
      return;
    add("swap with next", [](Operation *o) {
      Operation *after = o->getNextNode();
      while (!hasEffect(after))
        after = after->getNextNode();
      o->moveAfter(after);
    });
  }

  void changeArithmetic() {
    if (isa<ReduceOp, kernel::ReduceOp>(op))
      add("twice", [](Operation *o) {
        OpBuilder builder(o->getContext());
        builder.setInsertionPointAfter(o);
        Operation *second = builder.clone(*o);
        o->getResult(0).replaceAllUsesExcept(second->getResult(0), second);
        second->setOperand(0, o->getResult(0));
      });
    exchange<RoundOp, FinishOp>();
    exchange<FinishOp, RoundOp>();
    exchange<kernel::RoundOp, kernel::FinishOp>();
    exchange<kernel::FinishOp, kernel::RoundOp>();
    if (isa<scf::IfOp>(op))
      for (bool value : {false, true})
        add(value ? "always" : "never", [value](Operation *o) {
          OpBuilder builder(o);
          o->setOperand(
              0, arith::ConstantIntOp::create(builder, o->getLoc(), value, 1));
        });
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      for (uint64_t p = 0; p <= arith::getMaxEnumValForCmpIPredicate(); ++p) {
        auto predicate = arith::CmpIPredicate(p);
        // Index values are signed here.
        bool isSigned = predicate < arith::CmpIPredicate::ult;
        if (isSigned && predicate != compare.getPredicate())
          add(arith::stringifyCmpIPredicate(predicate), [=](Operation *o) {
            cast<arith::CmpIOp>(o).setPredicate(predicate);
          });
      }
  }

  template <typename From, typename To> void exchange() {
    if (!isa<From>(op))
      return;
    add("to " + To::getOperationName().rsplit('.').second, [](Operation *o) {
      OpBuilder builder(o);
      replace(o, To::create(builder, o->getLoc(), o->getResult(0).getType(),
                            o->getOperand(0))
                     ->getResults());
    });
  }

  void changeOperand(unsigned i) {
    Type type = op->getOperand(i).getType();
    if (isa<kernel::ContextType>(type) || isa<scf::IfOp>(op))
      return;
    if (!type.isIndex()) {
      if (findOther(op, op->getOperand(i), type))
        add("another " + names[i], [i](Operation *o) {
          Value old = o->getOperand(i);
          o->setOperand(i, findOther(o, old, old.getType()));
        });
      return;
    }
    // One more on either side of a sum is the same.
    if (i != 0 && isa<arith::AddIOp, arith::SubIOp, arith::CmpIOp>(op))
      return;
    for (int64_t by : {1, -1})
      add(names[i] + (by > 0 ? " + 1" : " - 1"), [i, by](Operation *o) {
        OpBuilder builder(o);
        Value one = makeConstant(builder, o->getLoc(), by);
        o->setOperand(i, arith::AddIOp::create(builder, o->getLoc(),
                                               o->getOperand(i), one));
      });
    bool isRank = names[i] == "peer" || names[i] == "at" || names[i] == "block";
    if (isRank && op->getOperand(i) != getOwnRank(op))
      add(names[i] + " = own rank",
          [i](Operation *o) { o->setOperand(i, getOwnRank(o)); });
    if (isOptional(op, names[i]))
      add("no " + names[i], [i](Operation *o) { o->eraseOperand(i); });
  }

  void exchangeOperands() {
    if (op->hasTrait<OpTrait::IsCommutative>())
      return;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      for (unsigned j = i + 1; j < op->getNumOperands(); ++j) {
        Value a = op->getOperand(i), b = op->getOperand(j);
        if (a.getType() != b.getType() || a == b)
          continue;
        add("exchange " + names[i] + " and " + names[j], [=](Operation *o) {
          Value first = o->getOperand(i);
          o->setOperand(i, o->getOperand(j));
          o->setOperand(j, first);
        });
      }
  }

  void changeAttributes() {
    // Of the operations' own enumerations; registered attributes by name.
    for (NamedAttribute named :
         op->getPropertiesAsAttribute()
             ? cast<DictionaryAttr>(op->getPropertiesAsAttribute())
             : DictionaryAttr::get(op->getContext())) {
      StringAttr name = named.getName();
      auto set = [&](const Twine &what, Attribute value) {
        add(what, [=](Operation *o) {
          SmallVector<NamedAttribute> all(
              cast<DictionaryAttr>(o->getPropertiesAsAttribute()).getValue());
          for (NamedAttribute &entry : all)
            if (entry.getName() == name)
              entry.setValue(value);
          (void)o->setPropertiesFromAttribute(
              DictionaryAttr::get(o->getContext(), all), nullptr);
        });
      };
      MLIRContext *context = op->getContext();
      if (auto kind = dyn_cast<BufferKindAttr>(named.getValue())) {
        for (uint64_t v = 0; v <= getMaxEnumValForBufferKind(); ++v)
          if (BufferKind(v) != kind.getValue())
            set(stringifyBufferKind(BufferKind(v)),
                BufferKindAttr::get(context, BufferKind(v)));
      } else if (auto old = dyn_cast<ProtocolAttr>(named.getValue())) {
        for (uint64_t v = 0; v <= getMaxEnumValForProtocol(); ++v)
          if (Protocol(v) != old.getValue())
            set("by " + stringifyProtocol(Protocol(v)),
                ProtocolAttr::get(context, Protocol(v)));
      } else if (auto number = dyn_cast<IntegerAttr>(named.getValue());
                 number && isa<kernel::KernelDialect>(op->getDialect())) {
        for (int64_t by : {1, -1})
          set(name.getValue() + (by > 0 ? " + 1" : " - 1"),
              IntegerAttr::get(number.getType(), number.getInt() + by));
      }
    }
  }

  unsigned number;
  Operation *op;
  SmallVector<std::string> names;
  std::vector<Mutation> &found;
};
} // namespace

std::vector<Mutation> mutants::findMutations(Operation *root) {
  std::vector<Mutation> found;
  for (auto [number, op] : llvm::enumerate(numberOps(root)))
    Finder(number, op, found).run();
  return found;
}

bool mutants::applyMutation(Operation *clone, const Mutation &mutation) {
  mutation.apply(numberOps(clone)[mutation.op]);
  return succeeded(verify(clone));
}
