//===- KernelProgram.h - A kernel as code for the proof ---------*- C++ -*-===//
//
// Part of rcclx.
//
// A `rcclx_kernel.func` as flat code over numbered registers, which the machine
// that proves kernels runs for all ranks (KernelMachine.h). Control flow is
// jumps, so that a rank can stop at any wait and go on later. No MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_ANALYSIS_KERNELPROGRAM_H
#define RCCLX_ANALYSIS_KERNELPROGRAM_H

#include "rcclx/Analysis/Trace.h"
#include <cstdint>
#include <vector>

namespace rcclx {

enum class KernelCode : uint8_t {
  // Index arithmetic: `result` = `a` op `b`, as generated kernels compute it.
  Constant, ///< `immediate`
  Copy,
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
  Compare, ///< By the predicate `kind`.
  Select,  ///< `a` ? `b` : `c`
  RingShift,
  // Control flow.
  Jump,         ///< To `target`.
  JumpUnless,   ///< `a`.
  LoopBegin,    ///< `result` from `a` to `b` by `c`; past it at `target`.
  LoopNext,     ///< The next of `result`, to `b` by `c`, at `target`.
  ElementBegin, ///< The granules `result` from the first of range `a` to the
                ///< limit of range `b`, all at once; past them at `target`.
                ///< `immediate` numbers the loop; `kind`: it waits after it
                ///< has sent.
  ElementEnd,
  Return,
  // The call.
  Open,
  Close,
  Alive,
  InGroup, ///< `immediate`
  Tiles,   ///< Of `immediate` / `denominator` of a block.
  // Places.
  Range,  ///< Tile `a` of slice (`b`, `c`, `d`).
  Buffer, ///< Block `a` of the memory `kind`.
  SlotTo, ///< `a`: peer, `b`: tag, `c`: tile, by the protocol `kind`.
  SlotFrom,
  // Element groups. All of a loop's granules are one.
  Load,  ///< Of buffer `a`, range `b`, at `c`.
  Store, ///< `a` to buffer `b`, range `c`, at `d`.
  Send,  ///< `a` to slot `b`, range `c`, at `d`.
  Recv,  ///< From slot `a`, range `b`, at `c`, of rank `d`.
  Prescale,
  Identity,
  Reduce,
  Round,
  Finish,
  // Order. `a`: peer, `b`: tag, `c`: tile.
  Release,
  Acquire,
  PostMessage,
  WaitMessage,
  PostCredit, ///< Of `d` tiles.
  WaitCredit,
  PostPull,
  WaitPull,
  PostWindow,
  WaitWindow,
  DrainWindow, ///< Of `c` tiles.
};

/// As arith::CmpIPredicate.
enum class IndexPredicate : uint8_t {
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Below,
  BelowEqual,
  Above,
  AboveEqual
};

/// As rcclx::Protocol.
enum class SlotKind : uint8_t { LL, Sentinel, Flag, Direct };

using KernelRegister = uint32_t;
constexpr KernelRegister noKernelRegister = ~KernelRegister(0);

struct KernelInstruction {
  KernelCode code;
  uint8_t kind = 0;
  SourceOp op = 0;
  KernelRegister result = noKernelRegister;
  KernelRegister a = noKernelRegister;
  KernelRegister b = noKernelRegister;
  KernelRegister c = noKernelRegister;
  KernelRegister d = noKernelRegister;
  uint32_t target = 0;
  int64_t immediate = 0;
  int64_t denominator = 0;
};

struct KernelProgram {
  std::vector<KernelInstruction> code;
  uint32_t numRegisters = 0;
  KernelRegister rank = 0; ///< Holds the rank at the start.

  // What the kernel is specialized and mapped for.
  uint32_t world = 1;
  uint32_t groups = 1; ///< Block groups.
  uint32_t blocks = 1; ///< Of each group.
  uint64_t tile = 1;
  uint64_t depth = 1;
  uint64_t tags = 1;
  bool takesSentinel = false; ///< The element type has a spare NaN.
  bool isPrescaled = false;   ///< Input is multiplied by the call's scale.
};

} // namespace rcclx

#endif // RCCLX_ANALYSIS_KERNELPROGRAM_H
