//===- Values.cpp - Slices, buffers and tags as index values --------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "rcclx/Analysis/TraceSchedule.h"

using namespace mlir;
using namespace rcclx;

Value Lowering::constant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value Lowering::tagOf(OpBuilder &b, Location loc, Value tag, IRMapping &scope) {
  return tag ? scope.lookup(tag) : constant(b, loc, 0);
}

Rational Lowering::lowerSlice(Value slice, OpBuilder &b, IRMapping &scope) {
  if (auto buffer = slice.getDefiningOp<BufferOp>()) {
    Location loc = buffer.getLoc();
    Value one = constant(b, loc, 1);
    return {buffer.getBuffer(),
            buffer.getBlock() ? scope.lookup(buffer.getBlock()) : Value(),
            constant(b, loc, 0), one, one};
  }
  auto part = slice.getDefiningOp<PartOp>();
  Location loc = part.getLoc();
  Rational r = lowerSlice(part.getSource(), b, scope);
  Value index = scope.lookup(part.getIndex());
  Value count = scope.lookup(part.getCount());
  // [a, a+l) of d, part i of n: from (a*n + l*i) of d*n, l long, times k.
  r.a = b.createOrFold<arith::AddIOp>(
      loc, b.createOrFold<arith::MulIOp>(loc, r.a, count),
      b.createOrFold<arith::MulIOp>(loc, r.l, index));
  if (part.getLength())
    r.l =
        b.createOrFold<arith::MulIOp>(loc, r.l, scope.lookup(part.getLength()));
  r.d = b.createOrFold<arith::MulIOp>(loc, r.d, count);
  return r;
}

Value Lowering::lowerBuffer(const Rational &r, OpBuilder &b, Location loc) {
  return kernel::BufferOp::create(b, loc, context, r.buffer, r.block);
}

Value Lowering::lowerRole(Operation *op, OpBuilder &b, IRMapping &scope) {
  Location loc = op->getLoc();
  SpecializationAttr spec = collective.getSpecAttr();
  if (isa<RootOp>(op))
    return constant(b, loc, spec.getRoot());
  Value rank = scope.lookup(op->getOperand(0));
  bool forward = isa<DestinationOfOp>(op);
  if (!spec.getPermutation())
    return ShiftOp::create(b, loc, rank, constant(b, loc, forward ? 1 : -1));
  // A choice of constants: no memory is read, and compilers make a table of a
  // long one themselves.
  Roles roles = getRoles(collective, spec.getWorld());
  ArrayRef<uint32_t> table = forward ? roles.destinations : roles.sources;
  Value found = constant(b, loc, table[0]);
  for (uint32_t i = 1; i < table.size(); ++i) {
    Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rank,
                                         constant(b, loc, i));
    found = arith::SelectOp::create(b, loc, isHere, constant(b, loc, table[i]),
                                    found);
  }
  return found;
}

Value Lowering::lowerLoad(const Rational &r, Value in, Value at, OpBuilder &b,
                          Location loc) {
  Value base = lowerBuffer(r, b, loc);
  Value group = kernel::LoadOp::create(b, loc, base, in, at);
  if (r.buffer != BufferKind::Input ||
      collective.getSpecAttr().getReduction() != Reduction::PremulSum)
    return group;
  return kernel::PrescaleOp::create(b, loc, context, group);
}

Type Lowering::convert(Type type) {
  MLIRContext *ctx = collective.getContext();
  if (isa<ChunkType>(type))
    return kernel::GroupType::get(ctx);
  if (isa<AccType>(type))
    return kernel::AccType::get(ctx);
  return type;
}

Value Lowering::pullOf(OpBuilder &b, LoadOp load) {
  return constant(b, load.getLoc(), llvm::find(pulls, load) - pulls.begin());
}
