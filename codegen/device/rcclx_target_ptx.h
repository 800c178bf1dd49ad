//===- rcclx_target_ptx.h - PTX of an NVIDIA GPU ----------------*- C++ -*-===//
//
// Part of rcclx. Scope: `.sys` throughout, since a peer is another GPU.
// `relaxed.sys` accesses of 16 bytes are one transaction on NVLink; the
// protocols rely on 8 bytes only.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TARGET_PTX_H
#define RCCLX_TARGET_PTX_H

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)

#include "rcclx_types.h"

#define RX_FN static __device__ __forceinline__
// (threads, 1): with the thread count alone ptxas holds itself to 32 registers
// and spills.
// A call would cost a stack: rare paths are inlined too.
#define RX_COLD RX_FN
#define RX_KERNEL(THREADS) __global__ __launch_bounds__(THREADS, 1)
// __grid_constant__: helpers take the parameters by reference, without a copy.
#define RX_PARAMS const __grid_constant__ rcclx_kernel_params

#define RX_PARAM_SPACE

namespace rx {
/// Groups that a thread takes at once: threads are many.
constexpr u32 packGroups = 1;
/// A group as an out-of-line function returns it.
typedef Group ColdGroup;
RX_FN ColdGroup fromGroup(Group g) { return g; }
RX_FN Group toGroup(ColdGroup g) { return g; }
// Of packs of several groups: never called, but NVRTC wants a body.
RX_FN void copyBytes(char *, const char *, u64) {}

RX_FN u32 threadIndex() { return threadIdx.x; }
RX_FN u32 blockIndex(u32) { return blockIdx.x; }

/// All threads of the block arrive; their earlier accesses are visible to each
/// other (block scope).
RX_FN void blockBarrier() { __syncthreads(); }

/// The same, and whether `flag` was set in any thread of the block.
RX_FN bool blockBarrierAny(bool flag) { return __syncthreads_or(flag); }
/// Known from the barrier.
RX_FN bool anyFailed(const u64 *) { return false; }

/// Relaxed, system scope: one single-copy atomic access; orders nothing.
RX_FN u64 loadRelaxed(const u64 *p) {
  u64 v;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];"
               : "=l"(v)
               : "l"(p)
               : "memory");
  return v;
}
RX_FN void storeRelaxed(u64 *p, u64 v) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(p), "l"(v)
               : "memory");
}
/// Relaxed: `fenceRelease` comes before the stores of signals, `fenceAcquire`
/// after the waits for them.
RX_FN u64 loadSignal(const u64 *p) { return loadRelaxed(p); }
RX_FN void storeSignal(u64 *p, u64 v) { storeRelaxed(p, v); }
RX_FN bool claim(u64 *p, u64 expected, u64 v) {
  return atomicCAS(p, expected, v) == expected;
}

/// fence.acq_rel.sys: earlier accesses of this thread, and those that a block
/// barrier ordered before it, come before its later relaxed stores.
RX_FN void fenceRelease() { asm volatile("fence.acq_rel.sys;" ::: "memory"); }
/// The same instruction: later accesses come after earlier relaxed loads.
RX_FN void fenceAcquire() { asm volatile("fence.acq_rel.sys;" ::: "memory"); }

RX_FN Group loadPacket(const char *p) {
  Group g;
  asm volatile("ld.relaxed.sys.global.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(g.word[0]), "=r"(g.word[1]), "=r"(g.word[2]),
                 "=r"(g.word[3])
               : "l"(p)
               : "memory");
  return g;
}
RX_FN void storePacket(char *p, Group g) {
  asm volatile("st.relaxed.sys.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(p),
               "r"(g.word[0]), "r"(g.word[1]), "r"(g.word[2]), "r"(g.word[3])
               : "memory");
}

/// Plain data, 16 bytes aligned to 16; ordered by fences only.
RX_FN Group loadGroup(const char *p) {
  uint4 v = *reinterpret_cast<const uint4 *>(p);
  return Group{{v.x, v.y, v.z, v.w}};
}
RX_FN void storeGroup(char *p, Group g) {
  *reinterpret_cast<uint4 *>(p) =
      make_uint4(g.word[0], g.word[1], g.word[2], g.word[3]);
}
/// Whether the 16-byte access is legal there; if not, elements are moved
/// singly.
RX_FN bool wideAccess(const char *p) {
  return (reinterpret_cast<u64>(p) & 15) == 0;
}

/// Words and elements of plain data, of their own alignment.
template <typename E> RX_FN E loadPlain(const E *p) { return *p; }
template <typename E> RX_FN void storePlain(E *p, E v) { *p = v; }

typedef const rcclx_kernel_params Params;
RX_FN Params *kernelParams(const rcclx_kernel_params &p) { return &p; }
RX_FN Params *forget(Params *p) { return p; }

/// Time in ns.
RX_FN u64 clock(Params &) {
  u64 t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
RX_FN void pause(Params &, u32) {}
constexpr u32 looksPerCheck = 256;

RX_FN float widenF16(u16 v) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(v));
  return f;
}
RX_FN u16 narrowF16(float f) {
  u16 v;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(v) : "f"(f));
  return v;
}
} // namespace rx

#endif
#endif // RCCLX_TARGET_PTX_H
