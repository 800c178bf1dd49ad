//===- ScheduleProgram.cpp - A schedule as code for the tracer ------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "ScheduleProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rcclx;
using namespace rcclx::schedule;

static Memory getMemory(BufferKind buffer) {
  switch (buffer) {
  case BufferKind::Input:
    return Memory::Input;
  case BufferKind::Output:
    return Memory::Output;
  case BufferKind::Scratch:
    return Memory::Scratch;
  }
  llvm_unreachable("unknown buffer");
}

namespace {

class ProgramBuilder {
public:
  FailureOr<Program> build(CollectiveOp collective);

private:
  LogicalResult addBlock(mlir::Block &block, uint32_t number);
  LogicalResult addOp(Operation *op, uint32_t block);
  LogicalResult addArithmetic(Operation *op, Instruction &instruction);
  void addRegions(Operation *op, Instruction &instruction);

  Register define(ValueRange values) {
    Register first = program.numRegisters;
    for (Value value : values)
      registers[value] = program.numRegisters++;
    return first;
  }
  Register use(Value value) {
    return value ? registers.lookup(value) : noRegister;
  }

  Program program;
  DenseMap<Value, Register> registers;
};

} // namespace

FailureOr<Program> ProgramBuilder::build(CollectiveOp collective) {
  program.sources.push_back(collective);
  program.blocks.emplace_back();
  if (failed(addBlock(collective.getBody().front(), 0)))
    return failure();
  return std::move(program);
}

LogicalResult ProgramBuilder::addBlock(mlir::Block &block, uint32_t number) {
  program.blocks[number].arguments = define(block.getArguments());
  for (Operation &op : block)
    if (failed(addOp(&op, number)))
      return failure();
  return success();
}

/// Whether the tracer can hold a value of this type in a register.
static bool isTraced(Type type) {
  return isa<IndexType, SliceType, ChunkType, AccType>(type) ||
         type.isInteger(1);
}

/// The instruction for `op` where it is arithmetic on integers.
static std::optional<Code> getArithmeticCode(Operation *op) {
  return TypeSwitch<Operation *, std::optional<Code>>(op)
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
      .Case([](arith::IndexCastUIOp) { return Code::Move; })
      .Default(std::nullopt);
}

LogicalResult ProgramBuilder::addArithmetic(Operation *op,
                                            Instruction &instruction) {
  auto unsupported = [&] {
    return op->emitOpError("is not index arithmetic that a schedule may use");
  };
  std::optional<Code> code = getArithmeticCode(op);
  if (!code)
    return unsupported();
  instruction.code = *code;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = cast<IntegerAttr>(constant.getValue());
    instruction.immediate = value.getType().isInteger(1)
                                ? value.getValue().getZExtValue()
                                : value.getInt();
    return success();
  }
  if (*code == Code::Select)
    return success();
  // A truth value is 0 or 1: only logic and equality mean the same on it.
  bool takesTruth =
      *code == Code::And || *code == Code::Or || *code == Code::Xor;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    instruction.immediate = static_cast<int64_t>(compare.getPredicate());
    takesTruth = compare.getPredicate() == arith::CmpIPredicate::eq ||
                 compare.getPredicate() == arith::CmpIPredicate::ne;
  }
  bool isTruth = op->getOperand(0).getType().isInteger(1);
  if (*code == Code::Move ? !isTruth : isTruth && !takesTruth)
    return unsupported();
  return success();
}

void ProgramBuilder::addRegions(Operation *op, Instruction &instruction) {
  instruction.block = program.blocks.size();
  program.blocks.resize(program.blocks.size() + op->getNumRegions());
}

LogicalResult ProgramBuilder::addOp(Operation *op, uint32_t block) {
  // What a terminator gives back belongs to its block.
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    for (Value operand : op->getOperands())
      program.blocks[block].yields.push_back(use(operand));
    return success();
  }
  for (Type type : op->getResultTypes())
    if (!isTraced(type))
      return op->emitOpError("computes with ")
             << type << "; expected index arithmetic";

  Instruction instruction;
  instruction.op = program.sources.size();
  program.sources.push_back(op);
  auto set = [&](Code code, Value a = {}, Value b = {}, Value c = {}) {
    instruction.code = code;
    instruction.a = use(a);
    instruction.b = use(b);
    instruction.c = use(c);
  };
  LogicalResult result =
      TypeSwitch<Operation *, LogicalResult>(op)
          .Case([&](scf::ForOp loop) {
            set(Code::For, loop.getLowerBound(), loop.getUpperBound(),
                loop.getStep());
            instruction.immediate = loop.getUnsignedCmp();
            for (Value init : loop.getInitArgs())
              instruction.inits.push_back(use(init));
            addRegions(op, instruction);
            return success();
          })
          .Case([&](scf::IfOp branch) {
            set(Code::If, branch.getCondition());
            addRegions(op, instruction);
            return success();
          })
          .Case([&](StageOp stage) {
            set(Code::Stage, stage.getOver());
            instruction.immediate = stage.getGroup();
            addRegions(op, instruction);
            return success();
          })
          .Case([&](ShiftOp shift) {
            set(Code::RingShift, shift.getRank(), shift.getOffset());
            return success();
          })
          .Case([&](RootOp) {
            set(Code::Root);
            return success();
          })
          .Case([&](DestinationOfOp op) {
            set(Code::DestinationOf, op.getRank());
            return success();
          })
          .Case([&](SourceOfOp op) {
            set(Code::SourceOf, op.getRank());
            return success();
          })
          .Case([&](BufferOp buffer) {
            set(Code::Buffer, buffer.getBlock());
            instruction.immediate =
                static_cast<int64_t>(getMemory(buffer.getBuffer()));
            return success();
          })
          .Case([&](PartOp part) {
            set(Code::Part, part.getIndex(), part.getLength(), part.getCount());
            // The one instruction with four operands.
            instruction.inits.push_back(use(part.getSource()));
            return success();
          })
          .Case([&](LoadOp load) {
            set(Code::Load, load.getSource(), load.getAt());
            return success();
          })
          .Case([&](StoreOp store) {
            set(Code::Store, store.getDestination(), store.getAt(),
                store.getChunk());
            return success();
          })
          .Case([&](SendOp send) {
            set(Code::Send, send.getChunk(), send.getPeer(), send.getTag());
            return success();
          })
          .Case([&](RecvOp recv) {
            set(Code::Recv, recv.getLike(), recv.getPeer(), recv.getTag());
            return success();
          })
          .Case([&](SignalOp signal) {
            set(Code::Signal, {}, signal.getPeer(), signal.getTag());
            return success();
          })
          .Case([&](WaitOp wait) {
            set(Code::Wait, {}, wait.getPeer(), wait.getTag());
            return success();
          })
          .Case([&](BarrierOp barrier) {
            set(Code::Barrier, {}, {}, barrier.getTag());
            return success();
          })
          .Case([&](IdentityOp) {
            set(Code::Identity);
            return success();
          })
          .Case([&](ReduceOp reduce) {
            set(Code::Reduce, reduce.getAcc(), reduce.getChunk());
            return success();
          })
          .Case([&](RoundOp round) {
            set(Code::Round, round.getAcc());
            return success();
          })
          .Case([&](FinishOp finish) {
            set(Code::Finish, finish.getAcc());
            return success();
          })
          .Default([&](Operation *) {
            Value none;
            set(Code::Move, op->getNumOperands() > 0 ? op->getOperand(0) : none,
                op->getNumOperands() > 1 ? op->getOperand(1) : none,
                op->getNumOperands() > 2 ? op->getOperand(2) : none);
            return addArithmetic(op, instruction);
          });
  if (failed(result))
    return failure();
  instruction.result = define(op->getResults());
  uint32_t first = instruction.block;
  program.blocks[block].instructions.push_back(std::move(instruction));
  for (auto [number, region] : llvm::enumerate(op->getRegions()))
    if (!region.empty() && failed(addBlock(region.front(), first + number)))
      return failure();
  return success();
}
FailureOr<Program> rcclx::schedule::buildProgram(CollectiveOp collective) {
  return ProgramBuilder().build(collective);
}
