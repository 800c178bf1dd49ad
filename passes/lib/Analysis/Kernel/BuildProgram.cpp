//===- BuildProgram.cpp - Kernels as code for the proof -------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "BuildProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rcclx;

namespace {

using Code = KernelCode;
using Register = KernelRegister;

class KernelBuilder {
public:
  FailureOr<BuiltKernel> build(kernel::FuncOp func);

private:
  LogicalResult addBlock(mlir::Block &block);
  LogicalResult addOp(Operation &op);
  LogicalResult addFor(scf::ForOp loop);
  LogicalResult addElements(scf::ForOp loop);
  LogicalResult addIf(scf::IfOp branch);
  LogicalResult addArithmetic(Operation &op);
  LogicalResult addKernelOp(Operation &op);
  LogicalResult checkGranules(Operation &op);

  KernelInstruction &append(Code code, Operation *op, ValueRange operands = {},
                            ValueRange results = {});
  uint32_t here() const { return program.code.size(); }
  /// The registers of `to` become those of `from`, all at once.
  void assign(Operation *op, ValueRange from, ValueRange to);

  Register use(Value value) { return registers.lookup(value); }
  Register define(Value value) {
    return registers[value] = program.numRegisters++;
  }

  KernelProgram program;
  std::vector<Operation *> sources;
  DenseMap<Value, Register> registers;
  Value granules; ///< The induction variable of the enclosing element loop.
  uint32_t numElementLoops = 0;
};

} // namespace

static bool isElementLoop(scf::ForOp loop) {
  return loop.getLowerBound().getDefiningOp<kernel::FirstOp>() ||
         loop.getUpperBound().getDefiningOp<kernel::LimitOp>();
}

/// Whether granules of `loop` may wait for a message after they have sent one,
/// so that the loop is not as good as one step that waits and then sends.
static bool waitsAfterSend(scf::ForOp loop) {
  auto waits = [](Operation *op) {
    auto recv = dyn_cast<kernel::RecvOp>(op);
    return recv && (recv.getProtocol() == Protocol::LL ||
                    recv.getProtocol() == Protocol::Sentinel);
  };
  bool sent = false, found = false;
  loop.walk<WalkOrder::PreOrder>([&](Operation *op) {
    sent |= isa<kernel::SendOp>(op);
    found |= sent && waits(op);
    auto inner = dyn_cast<scf::ForOp>(op);
    if (!inner || inner == loop)
      return;
    // Its iterations follow each other.
    bool sends = false, recvs = false;
    inner.walk([&](Operation *nested) {
      sends |= isa<kernel::SendOp>(nested);
      recvs |= waits(nested);
    });
    found |= sends && recvs;
  });
  return found;
}

FailureOr<BuiltKernel> KernelBuilder::build(kernel::FuncOp func) {
  MappingAttr mapping = func.getMapping();
  SpecializationAttr spec = func.getSpec();
  program.world = spec.getWorld();
  program.groups = mapping.getGroups();
  program.blocks = mapping.getGrid() / mapping.getGroups();
  program.tile = mapping.getTile();
  program.depth = mapping.getDepth();
  program.tags = mapping.getTags();
  program.takesSentinel = isa<FloatType>(spec.getElement());
  program.isPrescaled = spec.getReduction() == Reduction::PremulSum;

  mlir::Block &body = func.getBody().front();
  if (body.getNumArguments() != 2 ||
      !isa<kernel::ContextType>(body.getArgument(0).getType()) ||
      !isa<IndexType>(body.getArgument(1).getType()))
    return func.emitOpError("expected a context and the rank as arguments");
  sources.push_back(func);
  define(body.getArgument(0));
  program.rank = define(body.getArgument(1));
  if (failed(addBlock(body)))
    return failure();
  append(Code::Return, func);
  return BuiltKernel{std::move(program), std::move(sources)};
}

KernelInstruction &KernelBuilder::append(Code code, Operation *op,
                                         ValueRange operands,
                                         ValueRange results) {
  if (sources.back() != op)
    sources.push_back(op);
  KernelInstruction &instruction = program.code.emplace_back();
  instruction.code = code;
  instruction.op = sources.size() - 1;
  // The context says nothing.
  SmallVector<Value> values(llvm::make_filter_range(operands, [](Value value) {
    return !isa<kernel::ContextType>(value.getType());
  }));
  Register *fields[] = {&instruction.a, &instruction.b, &instruction.c,
                        &instruction.d};
  for (auto [value, field] : llvm::zip(values, fields))
    *field = use(value);
  if (!results.empty())
    instruction.result = define(results.front());
  return instruction;
}

void KernelBuilder::assign(Operation *op, ValueRange from, ValueRange to) {
  auto copy = [&](Register source, Register target) {
    KernelInstruction &instruction = append(Code::Copy, op);
    instruction.a = source;
    instruction.result = target;
  };
  if (from.size() == 1)
    return copy(use(from[0]), use(to[0]));
  // A target may be the source of another.
  Register first = program.numRegisters;
  program.numRegisters += from.size();
  for (auto [i, value] : llvm::enumerate(from))
    copy(use(value), first + i);
  for (auto [i, value] : llvm::enumerate(to))
    copy(first + i, use(value));
}

LogicalResult KernelBuilder::addBlock(mlir::Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(addOp(op)))
      return failure();
  return success();
}

LogicalResult KernelBuilder::addOp(Operation &op) {
  if (failed(checkGranules(op)))
    return failure();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return isElementLoop(loop) ? addElements(loop) : addFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return addIf(branch);
  if (isa<arith::ArithDialect>(op.getDialect()) || isa<ShiftOp>(op))
    return addArithmetic(op);
  return addKernelOp(op);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult KernelBuilder::addFor(scf::ForOp loop) {
  if (loop.getUnsignedCmp())
    return loop.emitOpError("compares unsigned, which kernels do not");
  define(loop.getInductionVar());
  SmallVector<Value> carried(loop.getRegionIterArgs());
  for (auto [argument, result] : llvm::zip_equal(carried, loop.getResults()))
    registers[result] = define(argument);
  if (!carried.empty())
    assign(loop, loop.getInitArgs(), carried);
  uint32_t begin = here();
  Value bounds[] = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  append(Code::LoopBegin, loop, bounds).result = use(loop.getInductionVar());
  if (failed(addBlock(*loop.getBody())))
    return failure();
  if (!carried.empty())
    assign(loop, loop.getBody()->getTerminator()->getOperands(), carried);
  KernelInstruction &next = append(Code::LoopNext, loop, bounds);
  next.result = use(loop.getInductionVar());
  next.target = begin + 1;
  program.code[begin].target = here();
  return success();
}

/// A loop over the granules of a range, from its first to its limit.
LogicalResult KernelBuilder::addElements(scf::ForOp loop) {
  auto first = loop.getLowerBound().getDefiningOp<kernel::FirstOp>();
  auto limit = loop.getUpperBound().getDefiningOp<kernel::LimitOp>();
  auto stride = loop.getStep().getDefiningOp<kernel::StrideOp>();
  if (!first || !limit || !stride || !loop.getInitArgs().empty() || granules)
    return loop.emitOpError(
        "expected a loop over elements to go from the first to the limit of a "
        "range by the stride, to carry nothing, and to be in no other one");
  granules = loop.getInductionVar();
  auto leave = llvm::scope_exit([&] { granules = nullptr; });
  define(granules);
  uint32_t begin = here();
  Value bounds[] = {first.getRange(), limit.getRange()};
  KernelInstruction &instruction = append(Code::ElementBegin, loop, bounds);
  instruction.result = use(granules);
  instruction.immediate = numElementLoops++;
  instruction.kind = waitsAfterSend(loop);
  if (failed(addBlock(*loop.getBody())))
    return failure();
  append(Code::ElementEnd, loop);
  program.code[begin].target = here();
  return success();
}

LogicalResult KernelBuilder::addIf(scf::IfOp branch) {
  for (Value result : branch.getResults())
    define(result);
  uint32_t unless = here();
  append(Code::JumpUnless, branch, branch.getCondition());
  auto addBranch = [&](mlir::Block *block) -> LogicalResult {
    if (failed(addBlock(*block)))
      return failure();
    if (branch.getNumResults() > 0)
      assign(branch, block->getTerminator()->getOperands(),
             branch.getResults());
    return success();
  };
  if (failed(addBranch(branch.thenBlock())))
    return failure();
  if (!branch.elseBlock()) {
    program.code[unless].target = here();
    return success();
  }
  uint32_t jump = here();
  append(Code::Jump, branch);
  program.code[unless].target = here();
  if (failed(addBranch(branch.elseBlock())))
    return failure();
  program.code[jump].target = here();
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// A granule stands for all of its loop: it is a place for element groups and
/// no number to compute with. The same holds for a loop's bounds.
LogicalResult KernelBuilder::checkGranules(Operation &op) {
  auto isBound = [](Value value) {
    return isa_and_present<kernel::FirstOp, kernel::LimitOp, kernel::StrideOp>(
        value.getDefiningOp());
  };
  Value place;
  if (auto load = dyn_cast<kernel::LoadOp>(op))
    place = load.getGranule();
  else if (auto store = dyn_cast<kernel::StoreOp>(op))
    place = store.getGranule();
  else if (auto send = dyn_cast<kernel::SendOp>(op))
    place = send.getGranule();
  else if (auto recv = dyn_cast<kernel::RecvOp>(op))
    place = recv.getGranule();
  if (place && place != granules)
    return op.emitOpError("expected the granule of the loop over elements that "
                          "it is in");
  bool isLoop = isa<scf::ForOp>(op);
  for (auto [number, operand] : llvm::enumerate(op.getOperands()))
    if ((operand == granules && granules && operand != place) ||
        (isBound(operand) && !(isLoop && number < 3)))
      return op.emitOpError("uses granules as numbers; expected them as places "
                            "of element groups");
  for (Region &region : op.getRegions()) {
    if (region.empty()) // there may be no else
      continue;
    for (Value yielded : region.front().getTerminator()->getOperands())
      if (isBound(yielded) || (granules && yielded == granules))
        return op.emitOpError("carries granules; expected them as places of "
                              "element groups");
  }
  return success();
}

static std::optional<Code> getArithmeticCode(Operation &op) {
  return TypeSwitch<Operation *, std::optional<Code>>(&op)
      .Case([](arith::ConstantOp) { return Code::Constant; })
      .Case([](arith::AddIOp) { return Code::Add; })
      .Case([](arith::SubIOp) { return Code::Sub; })
      .Case([](arith::MulIOp) { return Code::Mul; })
      .Case([](arith::DivSIOp) { return Code::DivS; })
      .Case([](arith::DivUIOp) { return Code::DivU; })
      .Case([](arith::RemSIOp) { return Code::RemS; })
      .Case([](arith::RemUIOp) { return Code::RemU; })
      .Case([](arith::CeilDivSIOp) { return Code::CeilDivS; })
      .Case([](arith::CeilDivUIOp) { return Code::CeilDivU; })
      .Case([](arith::FloorDivSIOp) { return Code::FloorDivS; })
      .Case([](arith::MinSIOp) { return Code::MinS; })
      .Case([](arith::MinUIOp) { return Code::MinU; })
      .Case([](arith::MaxSIOp) { return Code::MaxS; })
      .Case([](arith::MaxUIOp) { return Code::MaxU; })
      .Case([](arith::AndIOp) { return Code::And; })
      .Case([](arith::OrIOp) { return Code::Or; })
      .Case([](arith::XOrIOp) { return Code::Xor; })
      .Case([](arith::ShLIOp) { return Code::ShiftLeft; })
      .Case([](arith::CmpIOp) { return Code::Compare; })
      .Case([](arith::SelectOp) { return Code::Select; })
      .Case([](arith::IndexCastUIOp) { return Code::Copy; })
      .Case([](ShiftOp) { return Code::RingShift; })
      .Default(std::nullopt);
}

LogicalResult KernelBuilder::addArithmetic(Operation &op) {
  std::optional<Code> code = getArithmeticCode(op);
  if (!code)
    return op.emitOpError("is unknown to the proof of kernels");
  KernelInstruction &instruction =
      append(*code, &op, op.getOperands(), op.getResults());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = dyn_cast<IntegerAttr>(constant.getValue());
    if (!value)
      return op.emitOpError("is unknown to the proof of kernels");
    instruction.immediate = value.getType().isInteger(1)
                                ? value.getValue().getZExtValue()
                                : value.getInt();
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using Predicate = arith::CmpIPredicate;
    static_assert(int(Predicate::eq) == int(IndexPredicate::Equal) &&
                  int(Predicate::slt) == int(IndexPredicate::Less) &&
                  int(Predicate::ult) == int(IndexPredicate::Below) &&
                  int(Predicate::uge) == int(IndexPredicate::AboveEqual));
    instruction.kind = static_cast<uint8_t>(compare.getPredicate());
  }
  return success();
}

static uint8_t getKind(Protocol protocol) {
  static_assert(int(Protocol::LL) == int(SlotKind::LL) &&
                int(Protocol::Sentinel) == int(SlotKind::Sentinel) &&
                int(Protocol::Flag) == int(SlotKind::Flag) &&
                int(Protocol::Direct) == int(SlotKind::Direct));
  return static_cast<uint8_t>(protocol);
}

static uint8_t getKind(BufferKind buffer) {
  static_assert(int(BufferKind::Input) == int(Memory::Input) &&
                int(BufferKind::Output) == int(Memory::Output) &&
                int(BufferKind::Scratch) == int(Memory::Scratch));
  return static_cast<uint8_t>(buffer);
}

LogicalResult KernelBuilder::addKernelOp(Operation &op) {
  // Bounds of loops over elements: the range itself stands for them.
  if (isa<kernel::FirstOp, kernel::LimitOp, kernel::StrideOp>(op))
    return success();

  struct Found {
    Code code;
    int64_t immediate = 0;
    int64_t denominator = 0;
    uint8_t kind = 0;
  };
  using Result = std::optional<Found>;
  auto is = [](Code code) { return Result(Found{code}); };
  bool isOrder = true; // not allowed in a loop over elements
  auto element = [&](Code code, uint8_t kind = 0) {
    isOrder = false;
    return Result(Found{code, 0, 0, kind});
  };
  Result found =
      TypeSwitch<Operation *, Result>(&op)
          .Case([&](kernel::OpenOp) { return is(Code::Open); })
          .Case([&](kernel::CloseOp) { return is(Code::Close); })
          .Case([&](kernel::AliveOp) { return is(Code::Alive); })
          .Case([&](kernel::InGroupOp in) {
            return Result(Found{Code::InGroup, int64_t(in.getGroup())});
          })
          .Case([&](kernel::TilesOp tiles) {
            return Result(Found{Code::Tiles, int64_t(tiles.getNum()),
                                int64_t(tiles.getDen())});
          })
          .Case([&](kernel::RangeOp) { return element(Code::Range); })
          .Case([&](kernel::BufferOp buffer) {
            return element(Code::Buffer, getKind(buffer.getBuffer()));
          })
          .Case([&](kernel::SlotToOp slot) {
            return element(Code::SlotTo, getKind(slot.getProtocol()));
          })
          .Case([&](kernel::SlotFromOp slot) {
            return element(Code::SlotFrom, getKind(slot.getProtocol()));
          })
          .Case([&](kernel::LoadOp) { return element(Code::Load); })
          .Case([&](kernel::StoreOp) { return element(Code::Store); })
          .Case([&](kernel::SendOp send) {
            return element(Code::Send, getKind(send.getProtocol()));
          })
          .Case([&](kernel::RecvOp recv) {
            return element(Code::Recv, getKind(recv.getProtocol()));
          })
          .Case([&](kernel::PrescaleOp) { return element(Code::Prescale); })
          .Case([&](kernel::IdentityOp) { return element(Code::Identity); })
          .Case([&](kernel::ReduceOp) { return element(Code::Reduce); })
          .Case([&](kernel::RoundOp) { return element(Code::Round); })
          .Case([&](kernel::FinishOp) { return element(Code::Finish); })
          .Case([&](kernel::ReleaseOp) { return is(Code::Release); })
          .Case([&](kernel::AcquireOp) { return is(Code::Acquire); })
          .Case([&](kernel::PostMessageOp) { return is(Code::PostMessage); })
          .Case([&](kernel::WaitMessageOp) { return is(Code::WaitMessage); })
          .Case([&](kernel::PostCreditOp) { return is(Code::PostCredit); })
          .Case([&](kernel::WaitCreditOp) { return is(Code::WaitCredit); })
          .Case([&](kernel::PostPullOp) { return is(Code::PostPull); })
          .Case([&](kernel::WaitPullOp) { return is(Code::WaitPull); })
          .Case([&](kernel::PostWindowOp) { return is(Code::PostWindow); })
          .Case([&](kernel::WaitWindowOp) { return is(Code::WaitWindow); })
          .Case([&](kernel::DrainWindowOp) { return is(Code::DrainWindow); })
          .Default(std::nullopt);
  if (!found)
    return op.emitOpError("is unknown to the proof of kernels");
  if (found->code == Code::Tiles &&
      (found->immediate < 0 || found->denominator < 1))
    return op.emitOpError("expected a fraction of a block of at least 0");
  if (isOrder && granules)
    return op.emitOpError("is not expected in a loop over elements");

  KernelInstruction &instruction =
      append(found->code, &op, op.getOperands(), op.getResults());
  instruction.immediate = found->immediate;
  instruction.denominator = found->denominator;
  instruction.kind = found->kind;
  // These have no peer.
  if (isa<kernel::PostWindowOp, kernel::WaitWindowOp, kernel::DrainWindowOp>(
          op)) {
    instruction.c = instruction.b;
    instruction.b = instruction.a;
    instruction.a = noKernelRegister;
  }
  return success();
}

FailureOr<BuiltKernel> rcclx::buildKernelProgram(kernel::FuncOp func) {
  return KernelBuilder().build(func);
}
