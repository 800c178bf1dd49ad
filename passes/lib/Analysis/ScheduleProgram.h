//===- ScheduleProgram.h - A schedule as code for the tracer ----*- C++ -*-===//
//
// Part of rcclx. The body of a collective, compiled once into a compact program
// over numbered registers, so that running it for every rank looks nothing up.
// A register holds an integer, a slice (packed) or the number of a value.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_LIB_ANALYSIS_SCHEDULEPROGRAM_H
#define RCCLX_LIB_ANALYSIS_SCHEDULEPROGRAM_H

#include "rcclx/Analysis/Trace.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/LogicalResult.h"
#include <vector>

namespace rcclx::schedule {

enum class Code : uint8_t {
  // Integers.
  Constant,
  Move,
  Add,
  Sub,
  Mul,
  DivS,
  DivU,
  RemS,
  RemU,
  CeilDivS,
  CeilDivU,
  FloorDivS,
  MinS,
  MinU,
  MaxS,
  MaxU,
  And,
  Or,
  Xor,
  ShiftLeft,
  Compare,
  Select,
  RingShift,
  Root,
  DestinationOf,
  SourceOf,
  // Control flow.
  For,
  If,
  Stage,
  // Slices.
  Buffer,
  Part,
  // Events.
  Load,
  Store,
  Send,
  Recv,
  Signal,
  Wait,
  Barrier,
  Identity,
  Reduce,
  Round,
  Finish,
};

using Register = uint32_t;
constexpr Register noRegister = ~Register(0);

/// One operation. `a`, `b` and `c` are its operands, `result` the first of its
/// results, which have successive registers.
struct Instruction {
  Code code;
  SourceOp op = 0;
  Register result = noRegister;
  Register a = noRegister;
  Register b = noRegister;
  Register c = noRegister;
  /// Constant: the value. Compare: the predicate. Buffer: the memory. For:
  /// whether bounds are unsigned. Stage: the block group.
  int64_t immediate = 0;
  /// For, If and Stage: the first of its blocks.
  uint32_t block = 0;
  /// For: the registers of what its iterations start with.
  llvm::SmallVector<Register, 0> inits = {};
};

struct BlockCode {
  std::vector<Instruction> instructions;
  /// Where its arguments lie.
  Register arguments = noRegister;
  llvm::SmallVector<Register, 2> yields;
};

struct Program {
  std::vector<BlockCode> blocks;
  std::vector<mlir::Operation *> sources;
  uint32_t numRegisters = 0;
};
/// Emits an error where the body uses what the tracer does not know.
llvm::FailureOr<Program> buildProgram(CollectiveOp collective);

} // namespace rcclx::schedule

#endif // RCCLX_LIB_ANALYSIS_SCHEDULEPROGRAM_H
