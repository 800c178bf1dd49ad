//===- rcclx_index.h - Index arithmetic of generated kernels ----*- C++ -*-===//
//
// Part of rcclx. Index values are size_t; signed operations read them as two's
// complement. A divisor of zero gives zero: the verifier has refused schedules
// that divide by it.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_INDEX_H
#define RCCLX_INDEX_H

#include "rcclx_types.h"

namespace rx {

RX_FN i64 asSigned(size_t v) { return static_cast<i64>(v); }

/// (rank + offset) mod world; offset may be negative.
RX_FN size_t shiftIn(u32 world, size_t rank, size_t offset) {
  i64 r = asSigned(rank + offset) % static_cast<i64>(world);
  return static_cast<size_t>(r < 0 ? r + world : r);
}
template <u32 World> RX_FN size_t shift(size_t rank, size_t offset) {
  return shiftIn(World, rank, offset);
}

RX_FN size_t divideUnsigned(size_t a, size_t b) { return b ? a / b : 0; }
RX_FN size_t remainderUnsigned(size_t a, size_t b) { return b ? a % b : 0; }
RX_FN size_t ceilDivideUnsigned(size_t a, size_t b) {
  return b ? a / b + (a % b != 0) : 0;
}
RX_FN size_t divide(size_t a, size_t b) {
  return b ? static_cast<size_t>(asSigned(a) / asSigned(b)) : 0;
}
RX_FN size_t remainder(size_t a, size_t b) {
  return b ? static_cast<size_t>(asSigned(a) % asSigned(b)) : 0;
}
RX_FN size_t floorDivide(size_t a, size_t b) {
  if (!b)
    return 0;
  i64 q = asSigned(a) / asSigned(b), r = asSigned(a) % asSigned(b);
  return static_cast<size_t>(q - (r != 0 && (r < 0) != (asSigned(b) < 0)));
}
RX_FN size_t ceilDivide(size_t a, size_t b) {
  if (!b)
    return 0;
  i64 q = asSigned(a) / asSigned(b), r = asSigned(a) % asSigned(b);
  return static_cast<size_t>(q + (r != 0 && (r < 0) == (asSigned(b) < 0)));
}
RX_FN size_t minimum(size_t a, size_t b) {
  return asSigned(a) < asSigned(b) ? a : b;
}
RX_FN size_t maximum(size_t a, size_t b) {
  return asSigned(a) > asSigned(b) ? a : b;
}
RX_FN size_t minimumUnsigned(size_t a, size_t b) { return a < b ? a : b; }
RX_FN size_t maximumUnsigned(size_t a, size_t b) { return a > b ? a : b; }

} // namespace rx

#endif // RCCLX_INDEX_H
