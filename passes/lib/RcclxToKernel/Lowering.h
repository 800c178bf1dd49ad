//===- Lowering.h - From a staged collective to a kernel --------*- C++ -*-===//
//
// Part of rcclx. A stage is copied three times, each copy with other parts of
// it: waits, element loop, signals. Index code is copied into each; what is not
// used goes with the next canonicalization.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RCCLXTOKERNEL_LOWERING_H
#define RCCLX_RCCLXTOKERNEL_LOWERING_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "rcclx/Dialect/Kernel/Kernel.h"

namespace rcclx {

using mlir::Block;
using mlir::IRMapping;
using mlir::Location;
using mlir::LogicalResult;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::Type;
using mlir::Value;

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

  Value constant(OpBuilder &b, Location loc, int64_t value);
  Value tagOf(OpBuilder &b, Location loc, Value tag, IRMapping &scope);
  /// The number of a read of peers' memory: its tag in the window.
  Value pullOf(OpBuilder &b, LoadOp load);
  Rational lowerSlice(Value slice, OpBuilder &b, IRMapping &scope);
  Value lowerBuffer(const Rational &r, OpBuilder &b, Location loc);
  /// The root, or where the permutation leads to.
  Value lowerRole(Operation *op, OpBuilder &b, IRMapping &scope);
  /// The group at granule `at` of a slice's range `in`, of the own memory: of
  /// the input as the reduction takes it.
  Value lowerLoad(const Rational &r, Value in, Value at, OpBuilder &b,
                  Location loc);
  Type convert(Type type);

  //===------------------------------------------------------------------===//
  // Pieces of the kernel
  //===------------------------------------------------------------------===//

  /// Copies index code and control flow of `block`; `leaf` lowers the rest.
  /// Data is carried by loops and branches where `phase` is Elements.
  using Leaf =
      llvm::function_ref<LogicalResult(Operation *, OpBuilder &, IRMapping &)>;
  LogicalResult copyBlock(Block *block, OpBuilder &b, IRMapping &scope,
                          Phase phase, Leaf leaf);
  LogicalResult copyFor(mlir::scf::ForOp loop, OpBuilder &b, IRMapping &scope,
                        Phase phase, Leaf leaf);
  LogicalResult copyIf(mlir::scf::IfOp branch, OpBuilder &b, IRMapping &scope,
                       Phase phase, Leaf leaf);

  void forEachOther(OpBuilder &b, Location loc, IRMapping &scope,
                    llvm::function_ref<void(OpBuilder &, Value)> body);
  LogicalResult lowerTopLevel(Operation *op, OpBuilder &b, IRMapping &scope);
  LogicalResult lowerStage(StageOp stage, OpBuilder &b, IRMapping &scope);
  LogicalResult lowerWait(Operation *op, OpBuilder &b, IRMapping &scope);
  LogicalResult lowerElement(Operation *op, OpBuilder &b, IRMapping &scope);
  LogicalResult lowerSignal(Operation *op, OpBuilder &b, IRMapping &scope);

  LogicalResult numberPulls();
  LogicalResult lowerGroup(OpBuilder &b, IRMapping &scope);
  void publish(OpBuilder &b, IRMapping &scope);

  bool isInGroup(Operation *op);

  CollectiveOp collective;
  int64_t group = 0;
  Value context, tile, tiles;
  // Within the element loop of a stage.
  Value range, granule;
  /// Reads of peers' memory, in order: the number is the tag in the window.
  llvm::SmallVector<LoadOp> pulls;
};

} // namespace rcclx

#endif // RCCLX_RCCLXTOKERNEL_LOWERING_H
