//===- Values.cpp - Slices, buffers and tags as index values --------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

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
