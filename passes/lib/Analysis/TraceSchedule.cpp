//===- TraceSchedule.cpp - Executes a schedule's index code ---------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/TraceSchedule.h"
#include "ScheduleProgram.h"
#include "Wording.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace rcclx;
using namespace rcclx::schedule;

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

namespace {

/// What all ranks together may execute. A schedule of 1,000 operations per peer
/// on 256 ranks stays below.
constexpr uint64_t maxSteps = uint64_t(1) << 26;
/// What they may do to chunks, which costs memory.
constexpr uint64_t maxEvents = uint64_t(1) << 23;
/// Block groups, each of which has a clock of its own.
constexpr int64_t maxGroups = 64;
/// The largest tag. Slots are computed from tags, so that their number counts.
constexpr int64_t maxTag = (int64_t(1) << 31) - 1;

class Tracer {
public:
  Tracer(const Program &program, ScheduleTrace &trace)
      : program(program), trace(trace), world(trace.getWorld()),
        denominators(program.numRegisters), registers(program.numRegisters) {}

  LogicalResult run(uint32_t rank);

private:
  LogicalResult runBlock(const BlockCode &block);
  LogicalResult runInstruction(const Instruction &instruction);
  LogicalResult runArithmetic(const Instruction &instruction);
  LogicalResult runFor(const Instruction &instruction);
  LogicalResult runBuffer(const Instruction &instruction);
  LogicalResult runPart(const Instruction &instruction);
  LogicalResult runEvent(const Instruction &instruction);

  /// Whether rank `owner` has the buffer that is accessed.
  LogicalResult checkOwner(const Instruction &instruction, Place place,
                           uint32_t owner);
  /// The peer in register `b`: the rank itself where there is none.
  FailureOr<uint32_t> getPeer(const Instruction &instruction);
  FailureOr<uint32_t> getTag(const Instruction &instruction);
  void copy(ArrayRef<Register> from, Register to);

  /// An error at `instruction`, with the rank.
  InFlightDiagnostic emitError(const Instruction &instruction) {
    return program.sources[instruction.op]->emitOpError(at(trace, rank));
  }

  static int64_t pack(Place place) {
    return static_cast<int64_t>(uint64_t(place.memory) << 62 |
                                uint64_t(place.block) << 32 | place.interval);
  }
  static Place unpack(int64_t packed) {
    uint64_t bits = packed;
    return {static_cast<Memory>(bits >> 62), uint32_t(bits >> 32) & 0x3fffffff,
            IntervalId(bits)};
  }

  const Program &program;
  ScheduleTrace &trace;
  uint32_t world;
  /// Within a stage: the interval that it runs over.
  std::optional<IntervalId> stageExtent;
  /// By register of a slice: the product of the counts that cut it, which the
  /// lowering divides by. The interval itself is in lowest terms.
  std::vector<uint64_t> denominators;
  uint32_t rank = 0;
  uint64_t steps = 0;
  uint64_t events = 0;
  std::vector<int64_t> registers;
  SmallVector<int64_t> copied;
};

} // namespace

LogicalResult Tracer::run(uint32_t current) {
  rank = current;
  const BlockCode &body = program.blocks[0];
  registers[body.arguments] = rank;
  registers[body.arguments + 1] = world;
  return runBlock(body);
}

LogicalResult Tracer::runBlock(const BlockCode &block) {
  for (const Instruction &instruction : block.instructions)
    if (failed(runInstruction(instruction)))
      return failure();
  return success();
}

void Tracer::copy(ArrayRef<Register> from, Register to) {
  copied.clear();
  for (Register source : from)
    copied.push_back(registers[source]);
  llvm::copy(copied, registers.begin() + to);
}

LogicalResult Tracer::runInstruction(const Instruction &instruction) {
  if (++steps > maxSteps || events > maxEvents)
    return emitError(instruction)
           << "the schedule executes too many operations; expected at most "
           << maxSteps << " by all ranks, " << maxEvents
           << " of them on chunks";
  switch (instruction.code) {
  case Code::For:
    return runFor(instruction);
  case Code::If: {
    const BlockCode &block =
        program.blocks[instruction.block + !registers[instruction.a]];
    // There may be no else block.
    if (block.arguments == noRegister)
      return success();
    if (failed(runBlock(block)))
      return failure();
    if (!block.yields.empty())
      copy(block.yields, instruction.result);
    return success();
  }
  case Code::Stage: {
    if (instruction.immediate < 0 || instruction.immediate >= maxGroups)
      return emitError(instruction)
             << "expected a block group within 0 to " << maxGroups - 1
             << ", found " << instruction.immediate;
    trace.ranks[rank].setGroup(instruction.immediate);
    stageExtent = unpack(registers[instruction.a]).interval;
    LogicalResult result = runBlock(program.blocks[instruction.block]);
    stageExtent.reset();
    trace.ranks[rank].setGroup(0);
    return result;
  }
  case Code::Buffer:
    return runBuffer(instruction);
  case Code::Part:
    return runPart(instruction);
  default:
    return instruction.code < Code::For ? runArithmetic(instruction)
                                        : runEvent(instruction);
  }
}

LogicalResult Tracer::runFor(const Instruction &instruction) {
  int64_t lower = registers[instruction.a], upper = registers[instruction.b];
  int64_t step = registers[instruction.c];
  bool isUnsigned = instruction.immediate;
  if (step <= 0)
    return emitError(instruction)
           << "expected a step of at least 1, found " << step;
  const BlockCode &body = program.blocks[instruction.block];
  copy(instruction.inits, body.arguments + 1);
  bool isEmpty =
      isUnsigned ? uint64_t(lower) >= uint64_t(upper) : lower >= upper;
  if (!isEmpty) {
    uint64_t trips = (uint64_t(upper) - uint64_t(lower) - 1) / step + 1;
    if (trips > maxSteps - steps)
      return emitError(instruction) << "the loop runs " << trips
                                    << " times; expected a schedule of at most "
                                    << maxSteps << " operations by all ranks";
    for (uint64_t trip = 0; trip < trips; ++trip) {
      ++steps;
      registers[body.arguments] = lower + trip * step;
      if (failed(runBlock(body)))
        return failure();
      copy(body.yields, body.arguments + 1);
    }
  }
  for (size_t i = 0; i < instruction.inits.size(); ++i)
    registers[instruction.result + i] = registers[body.arguments + 1 + i];
  return success();
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return uint64_t(a) < uint64_t(b);
  case arith::CmpIPredicate::ule:
    return uint64_t(a) <= uint64_t(b);
  case arith::CmpIPredicate::ugt:
    return uint64_t(a) > uint64_t(b);
  case arith::CmpIPredicate::uge:
    return uint64_t(a) >= uint64_t(b);
  }
  llvm_unreachable("unknown predicate");
}

LogicalResult Tracer::runArithmetic(const Instruction &instruction) {
  int64_t a = instruction.a == noRegister ? 0 : registers[instruction.a];
  int64_t b = instruction.b == noRegister ? 0 : registers[instruction.b];
  int64_t &result = registers[instruction.result];
  bool overflows = false;
  switch (instruction.code) {
  case Code::Constant:
    result = instruction.immediate;
    break;
  case Code::Move:
    result = a;
    break;
  case Code::Add:
    overflows = __builtin_add_overflow(a, b, &result);
    break;
  case Code::Sub:
    overflows = __builtin_sub_overflow(a, b, &result);
    break;
  case Code::Mul:
    overflows = __builtin_mul_overflow(a, b, &result);
    break;
  case Code::DivS:
  case Code::RemS:
  case Code::CeilDivS:
  case Code::FloorDivS: {
    if (b == 0)
      return emitError(instruction) << "division of " << a << " by zero";
    if (b == -1) { // The one quotient that may overflow.
      result = 0;
      if (instruction.code != Code::RemS)
        overflows = __builtin_sub_overflow(int64_t(0), a, &result);
      break;
    }
    int64_t quotient = a / b, remainder = a % b;
    if (instruction.code == Code::RemS)
      result = remainder;
    else if (instruction.code == Code::CeilDivS)
      result = quotient + (remainder != 0 && (remainder < 0) == (b < 0));
    else if (instruction.code == Code::FloorDivS)
      result = quotient - (remainder != 0 && (remainder < 0) != (b < 0));
    else
      result = quotient;
    break;
  }
  case Code::DivU:
  case Code::RemU:
  case Code::CeilDivU:
    // Defined, but never what is meant: (rank - 1) mod world, say.
    if (a < 0 || b < 0)
      return emitError(instruction)
             << "unsigned division of " << a << " by " << b
             << "; expected no negative numbers (rcclx.shift wraps round)";
    if (b == 0)
      return emitError(instruction) << "division of " << a << " by zero";
    if (instruction.code == Code::DivU)
      result = a / b;
    else if (instruction.code == Code::RemU)
      result = a % b;
    else
      result = a / b + (a % b != 0);
    break;
  case Code::MinS:
    result = std::min(a, b);
    break;
  case Code::MinU:
    result = std::min<uint64_t>(a, b);
    break;
  case Code::MaxS:
    result = std::max(a, b);
    break;
  case Code::MaxU:
    result = std::max<uint64_t>(a, b);
    break;
  case Code::And:
    result = a & b;
    break;
  case Code::Or:
    result = a | b;
    break;
  case Code::Xor:
    result = a ^ b;
    break;
  case Code::ShiftLeft:
    overflows =
        b < 0 || b > 62 || __builtin_mul_overflow(a, int64_t(1) << b, &result);
    break;
  case Code::Compare:
    result =
        compare(static_cast<arith::CmpIPredicate>(instruction.immediate), a, b);
    break;
  case Code::Select:
    result = a ? b : registers[instruction.c];
    break;
  case Code::RingShift: {
    int64_t sum;
    overflows = __builtin_add_overflow(a, b, &sum);
    if (!overflows) {
      result = sum % int64_t(world);
      result += result < 0 ? world : 0;
    }
    break;
  }
  case Code::Root:
    result = trace.roles.root;
    break;
  case Code::DestinationOf:
  case Code::SourceOf:
    if (a < 0 || a >= world)
      return emitError(instruction)
             << "expected a rank within 0 to " << world - 1 << ", found " << a;
    result = instruction.code == Code::SourceOf ? trace.roles.sources[a]
                                                : trace.roles.destinations[a];
    break;
  default:
    llvm_unreachable("not arithmetic");
  }
  if (overflows)
    return emitError(instruction)
           << "index arithmetic on " << a << " and " << b << " overflows";
  return success();
}

//===----------------------------------------------------------------------===//
// Slices and events
//===----------------------------------------------------------------------===//

LogicalResult Tracer::runBuffer(const Instruction &instruction) {
  Place place;
  place.memory = static_cast<Memory>(instruction.immediate);
  if (instruction.a != noRegister) {
    int64_t block = registers[instruction.a];
    if (block < 0 || block >= world)
      return emitError(instruction) << "expected a block within 0 to "
                                    << world - 1 << ", found " << block;
    place.block = block;
  }
  registers[instruction.result] = pack(place);
  denominators[instruction.result] = 1;
  return success();
}

LogicalResult Tracer::runPart(const Instruction &instruction) {
  int64_t index = registers[instruction.a];
  int64_t length = instruction.b == noRegister ? 1 : registers[instruction.b];
  int64_t count = registers[instruction.c];
  Place place = unpack(registers[instruction.inits.front()]);
  constexpr int64_t maxCount = IntervalTable::maxDenominator;
  if (count < 1 || count > maxCount)
    return emitError(instruction)
           << "expected 1 to " << maxCount << " parts, found " << count;
  if (length < 1)
    return emitError(instruction)
           << "expected a length of at least 1 part, found " << length;
  if (index < 0 || index >= count || length > count - index) {
    InFlightDiagnostic diagnostic = emitError(instruction)
                                    << "expected parts within 0 to "
                                    << count - 1 << ", found ";
    if (length == 1)
      diagnostic << "part " << index;
    else
      diagnostic << length << " parts from " << index;
    return diagnostic;
  }
  std::optional<IntervalId> interval =
      trace.intervals.getPart(place.interval, index, length, count);
  if (!interval)
    return emitError(instruction)
           << "cuts a buffer into more parts than " << maxCount;
  uint64_t denominator = denominators[instruction.inits.front()] * count;
  if (denominator > uint64_t(maxCount))
    return emitError(instruction)
           << "cuts a buffer into more parts than " << maxCount;
  place.interval = *interval;
  denominators[instruction.result] = denominator;
  registers[instruction.result] = pack(place);
  return success();
}

LogicalResult Tracer::checkOwner(const Instruction &instruction, Place place,
                                 uint32_t owner) {
  if (trace.hasBuffer(place.memory, owner))
    return success();
  auto contract = cast<CollectiveOp>(program.sources[0]).getContract();
  StringRef buffer = place.memory == Memory::Input ? "input" : "output";
  return emitError(instruction)
         << "uses the " << buffer << " of rank " << owner
         << ", which has none; in " << stringifyContract(contract)
         << " only the root has an " << buffer;
}

FailureOr<uint32_t> Tracer::getPeer(const Instruction &instruction) {
  if (instruction.b == noRegister)
    return rank;
  int64_t peer = registers[instruction.b];
  if (peer >= 0 && peer < world)
    return static_cast<uint32_t>(peer);
  return emitError(instruction)
         << "expected a rank within 0 to " << world - 1 << ", found " << peer;
}

FailureOr<uint32_t> Tracer::getTag(const Instruction &instruction) {
  if (instruction.c == noRegister)
    return 0;
  int64_t tag = registers[instruction.c];
  if (tag >= 0 && tag <= maxTag)
    return static_cast<uint32_t>(tag);
  return emitError(instruction)
         << "expected a tag within 0 to " << maxTag << ", found " << tag;
}

LogicalResult Tracer::runEvent(const Instruction &instruction) {
  ++events;
  RankTrace &mine = trace.ranks[rank];
  SourceOp op = instruction.op;
  auto define = [&](ValueId value) {
    registers[instruction.result] = value;
    return success();
  };
  switch (instruction.code) {
  case Code::Identity:
    return define(mine.identity(op));
  case Code::Reduce:
    return define(
        mine.reduce(op, registers[instruction.a], registers[instruction.b]));
  case Code::Round:
    return define(mine.round(op, registers[instruction.a]));
  case Code::Finish:
    return define(mine.finish(op, registers[instruction.a]));
  default:
    break;
  }

  // One loop runs all of a stage: over the same granules of every slice.
  if (stageExtent &&
      (instruction.code == Code::Load || instruction.code == Code::Store ||
       instruction.code == Code::Recv)) {
    IntervalId extent = unpack(registers[instruction.a]).interval;
    if (extent != *stageExtent)
      return emitError(instruction)
             << "works on another part of a block than its stage";
  }

  FailureOr<uint32_t> peer = getPeer(instruction);
  if (failed(peer))
    return failure();
  bool isRemote = instruction.b != noRegister;
  if (instruction.code == Code::Load || instruction.code == Code::Store) {
    Place place = unpack(registers[instruction.a]);
    if (failed(checkOwner(instruction, place, *peer)))
      return failure();
    if (instruction.code == Code::Load)
      return define(mine.load(op, place, *peer, isRemote));
    mine.store(op, registers[instruction.c], place, *peer, isRemote);
    return success();
  }

  FailureOr<uint32_t> tag = getTag(instruction);
  if (failed(tag))
    return failure();
  switch (instruction.code) {
  case Code::Send:
    mine.send(op, registers[instruction.a], *peer, *tag);
    return success();
  case Code::Recv:
    return define(
        mine.recv(op, unpack(registers[instruction.a]).interval, *peer, *tag));
  case Code::Signal:
    mine.signal(op, *peer, *tag);
    return success();
  case Code::Wait:
    mine.wait(op, *peer, *tag);
    return success();
  case Code::Barrier:
    events += 2 * (world - 1);
    for (uint32_t k = 1; k < world; ++k)
      mine.signal(op, (rank + k) % world, *tag);
    for (uint32_t k = 1; k < world; ++k)
      mine.wait(op, (rank + k) % world, *tag);
    return success();
  default:
    llvm_unreachable("not an event");
  }
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

Goal rcclx::getGoal(Contract contract) {
  switch (contract) {
  case Contract::AllReduce:
    return Goal::AllReduce;
  case Contract::AllGather:
    return Goal::AllGather;
  case Contract::ReduceScatter:
    return Goal::ReduceScatter;
  case Contract::AllToAll:
    return Goal::AllToAll;
  case Contract::Broadcast:
    return Goal::Broadcast;
  case Contract::Reduce:
    return Goal::Reduce;
  case Contract::Gather:
    return Goal::Gather;
  case Contract::Scatter:
    return Goal::Scatter;
  case Contract::Permute:
    return Goal::Permute;
  case Contract::Barrier:
    return Goal::Barrier;
  }
  llvm_unreachable("unknown contract");
}

Roles rcclx::getRoles(CollectiveOp collective, uint32_t world) {
  SpecializationAttr spec = collective.getSpecAttr();
  if (!spec)
    return Roles(world);
  std::vector<uint32_t> permutation;
  if (DenseI32ArrayAttr entries = spec.getPermutation())
    permutation.assign(entries.asArrayRef().begin(),
                       entries.asArrayRef().end());
  return Roles(world, spec.getRoot(), permutation);
}

FailureOr<TracedSchedule> rcclx::traceSchedule(CollectiveOp collective,
                                               uint32_t world) {
  return traceSchedule(collective, world, getRoles(collective, world));
}

FailureOr<TracedSchedule> rcclx::traceSchedule(CollectiveOp collective,
                                               uint32_t world,
                                               const Roles &roles) {
  FailureOr<Program> program = buildProgram(collective);
  if (failed(program))
    return failure();
  TracedSchedule result = {
      ScheduleTrace(getGoal(collective.getContract()), world, roles),
      program->sources};
  Tracer tracer(*program, result.trace);
  for (uint32_t rank = 0; rank < world; ++rank)
    if (failed(tracer.run(rank)))
      return failure();
  return result;
}
