//===- rcclx_target_amdgcn.h - AMDGCN builtins ------------------*- C++ -*-===//
//
// Part of rcclx. For hipRTC 5.2 (clang 15) and clang 22; no HIP header.
// Scope: system ("" in __builtin_amdgcn_fence, __HIP_MEMORY_SCOPE_SYSTEM in
// atomics), since a peer is another GPU. Pointers are cast to address space 1,
// or accesses become flat_* and also count as LDS accesses.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TARGET_AMDGCN_H
#define RCCLX_TARGET_AMDGCN_H

#if defined(__AMDGCN__)

#include "rcclx_types.h"

#define RX_DEVICE __attribute__((device))
#define RX_FN static inline RX_DEVICE __attribute__((always_inline))
// A call would cost a stack: rare paths are inlined too.
#define RX_COLD RX_FN
#define RX_KERNEL(THREADS)                                                     \
  __attribute__((global, amdgpu_flat_work_group_size(THREADS, THREADS)))
#define RX_PARAMS const rcclx_kernel_params
// Kernel arguments lie in constant memory: read as such they are scalar loads.
#define RX_PARAM_SPACE __attribute__((address_space(4)))

#ifndef __HIP_MEMORY_SCOPE_SYSTEM
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#endif

namespace rx {
/// Groups that a thread takes at once: threads are many.
constexpr u32 packGroups = 1;
/// A group as an out-of-line function returns it.
typedef Group ColdGroup;
RX_FN ColdGroup fromGroup(Group g) { return g; }
RX_FN Group toGroup(ColdGroup g) { return g; }
// Of packs of several groups: never called, but NVRTC wants a body.
RX_FN void copyBytes(char *, const char *, u64) {}

#define RX_GLOBAL __attribute__((address_space(1)))
typedef u32 u32x4 __attribute__((ext_vector_type(4)));

RX_FN u32 threadIndex() { return __builtin_amdgcn_workitem_id_x(); }
RX_FN u32 blockIndex(u32) { return __builtin_amdgcn_workgroup_id_x(); }

RX_FN RX_GLOBAL u64 *global(const void *p) {
  return (RX_GLOBAL u64 *)const_cast<void *>(p);
}

/// All threads of the block arrive; their earlier accesses are visible to each
/// other (workgroup scope). s_barrier alone orders no memory.
RX_FN void blockBarrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/// Relaxed, system scope: one single-copy atomic access; orders nothing.
RX_FN u64 loadRelaxed(const u64 *p) {
  return __hip_atomic_load(global(p), __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_SYSTEM);
}
RX_FN void storeRelaxed(u64 *p, u64 v) {
  __hip_atomic_store(global(p), v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
/// Relaxed: `fenceRelease` comes before the stores of signals, `fenceAcquire`
/// after the waits for them.
RX_FN u64 loadSignal(const u64 *p) { return loadRelaxed(p); }
RX_FN void storeSignal(u64 *p, u64 v) { storeRelaxed(p, v); }
RX_FN bool claim(u64 *p, u64 expected, u64 v) {
  return __hip_atomic_compare_exchange_strong(
      global(p), &expected, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
      __HIP_MEMORY_SCOPE_SYSTEM);
}

/// A block barrier. What it gives is the thread's own `flag`: the one thread
/// that announces asks `anyFailed`, which costs no register of the others.
RX_FN bool blockBarrierAny(bool flag) {
  blockBarrier();
  return flag;
}
/// Whether a thread of the block has given up before the last block barrier: it
/// has written `record` before it came there.
RX_FN bool anyFailed(const u64 *record) { return loadRelaxed(record) != 0; }

/// System-scope release by every wave, then a wait until its stores are
/// acknowledged. The wait is explicit: clang 22 leaves it out between a
/// workgroup barrier and the flag store of one thread, and other waves' stores
/// would still be in flight when the flag goes.
RX_FN void fenceRelease() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
#if defined(__GFX12__)
  asm volatile("s_wait_storecnt 0x0" ::: "memory");
#elif defined(__GFX10__) || defined(__GFX11__)
  asm volatile("s_waitcnt_vscnt null, 0x0" ::: "memory");
#else
  asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
#endif
}
/// System-scope acquire: invalidates the caches that could hold stale lines.
/// Polls are relaxed and this runs once after them, since it invalidates every
/// time.
RX_FN void fenceAcquire() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, ""); }

/// Two relaxed 8-byte system accesses: no drain between them, and 8 bytes are
/// all that xGMI and PCIe keep whole.
RX_FN Group loadPacket(const char *p) {
  union {
    u64 half[2];
    Group group;
  } v;
  v.half[0] = loadRelaxed(reinterpret_cast<const u64 *>(p));
  v.half[1] = loadRelaxed(reinterpret_cast<const u64 *>(p) + 1);
  return v.group;
}
RX_FN void storePacket(char *p, Group g) {
  union {
    u64 half[2];
    Group group;
  } v;
  v.group = g;
  storeRelaxed(reinterpret_cast<u64 *>(p), v.half[0]);
  storeRelaxed(reinterpret_cast<u64 *>(p) + 1, v.half[1]);
}

/// Plain data, 16 bytes aligned to 16; ordered by fences only.
RX_FN Group loadGroup(const char *p) {
  u32x4 v = *(RX_GLOBAL const u32x4 *)p;
  return Group{{v.x, v.y, v.z, v.w}};
}
RX_FN void storeGroup(char *p, Group g) {
  u32x4 v = {g.word[0], g.word[1], g.word[2], g.word[3]};
  *(RX_GLOBAL u32x4 *)p = v;
}
RX_FN bool wideAccess(const char *p) {
  return (reinterpret_cast<u64>(p) & 15) == 0;
}

/// Words and elements of plain data, of their own alignment.
template <typename E> RX_FN E loadPlain(const E *p) {
  return *(RX_GLOBAL const E *)p;
}
template <typename E> RX_FN void storePlain(E *p, E v) {
  *(RX_GLOBAL E *)p = v;
}

typedef const rcclx_kernel_params RX_PARAM_SPACE Params;
/// The parameters are the kernel's first argument: taken from where they lie,
/// they are never copied to scratch memory.
RX_FN Params *kernelParams(const rcclx_kernel_params &) {
  return (Params *)__builtin_amdgcn_kernarg_segment_ptr();
}
/// The same pointer, opaque to the optimizer: what was read through it before
/// need not stay in scalar registers.
RX_FN Params *forget(Params *p) {
  asm volatile("" : "+s"(p));
  return p;
}

/// Time in ticks of 10 ns: the constant 100 MHz counter.
RX_FN u64 clock(Params &) {
#if defined(__GFX11__) || defined(__GFX12__)
  return __builtin_amdgcn_s_sendmsg_rtnl(0x83); // MSG_RTN_GET_REALTIME
#else
  return __builtin_amdgcn_s_memrealtime();
#endif
}
RX_FN void pause(Params &, u32) { __builtin_amdgcn_s_sleep(1); }
constexpr u32 looksPerCheck = 64;

RX_FN float widenF16(u16 v) {
  return static_cast<float>(__builtin_bit_cast(_Float16, v));
}
RX_FN u16 narrowF16(float f) {
  return __builtin_bit_cast(u16, static_cast<_Float16>(f));
}
} // namespace rx

#endif
#endif // RCCLX_TARGET_AMDGCN_H
