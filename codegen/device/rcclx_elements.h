/*===- rcclx_elements.h - The element types and reductions --------*- C -*-===*
 *
 * Part of rcclx. The one list of what docs/Numerics.md defines: compiler,
 * runtime, tools and tests are made from it. The order is that of help texts.
 *===----------------------------------------------------------------------===*/
#ifndef RCCLX_ELEMENTS_H
#define RCCLX_ELEMENTS_H

/* X(name in C++, spelling, bytes, Float | Signed | Unsigned). The spelling is
 * MLIR's, but for uN, which MLIR calls uiN. */
#define RCCLX_ELEMENTS(X)                                                      \
  X(F64, f64, 8, Float)                                                        \
  X(F32, f32, 4, Float)                                                        \
  X(F16, f16, 2, Float)                                                        \
  X(BF16, bf16, 2, Float)                                                      \
  X(F8E4M3FN, f8E4M3FN, 1, Float)                                              \
  X(F8E5M2, f8E5M2, 1, Float)                                                  \
  X(I8, i8, 1, Signed)                                                         \
  X(U8, u8, 1, Unsigned)                                                       \
  X(I32, i32, 4, Signed)                                                       \
  X(U32, u32, 4, Unsigned)                                                     \
  X(I64, i64, 8, Signed)                                                       \
  X(U64, u64, 8, Unsigned)

/* X(name in C++, spelling) */
#define RCCLX_REDUCTIONS(X)                                                    \
  X(Sum, sum)                                                                  \
  X(Prod, prod)                                                                \
  X(Min, min)                                                                  \
  X(Max, max)                                                                  \
  X(Avg, avg)                                                                  \
  X(PremulSum, premul_sum)

#endif /* RCCLX_ELEMENTS_H */
