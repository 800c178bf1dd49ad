//===- rcclx_target_host.h - C++ atomics of a CPU ---------------*- C++ -*-===//
//
// Part of rcclx. The host device: a block is one thread, ranks are threads or
// processes over shared memory.
//
// Scope: the system is cache-coherent, so every atomic is system-scope. Slots
// are accessed 8 bytes at a time: that is what every 64-bit CPU makes atomic.
//
// Order: part of the accesses to signals, never a fence of its own. Both cost
// the same on x86-64, and ThreadSanitizer, which checks this very code,
// understands accesses only.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TARGET_HOST_H
#define RCCLX_TARGET_HOST_H

#if !defined(__AMDGCN__) && !defined(__CUDACC__) && !defined(__CUDACC_RTC__)

#include "rcclx_types.h"

#define RX_FN static inline __attribute__((always_inline))
// Rare paths: kept out of line, or each use would be compiled anew.
#define RX_COLD static __attribute__((noinline, cold))
#define RX_KERNEL(THREADS) __attribute__((visibility("default")))
#define RX_PARAMS const rcclx_kernel_params &

#define RX_PARAM_SPACE

namespace rx {
/// Groups that are taken at once: a cache line.
constexpr u32 packGroups = 4;
/// A group as an out-of-line function returns it. As a vector: a struct of
/// words comes back in two integer registers, and the fast path would have to
/// use them too.
typedef u32 ColdGroup __attribute__((vector_size(16)));
RX_FN ColdGroup fromGroup(Group g) { return __builtin_bit_cast(ColdGroup, g); }
RX_FN Group toGroup(ColdGroup g) { return __builtin_bit_cast(Group, g); }

RX_FN u32 threadIndex() { return 0; }
RX_FN u32 blockIndex(u32 argument) { return argument; }

/// A block is one thread: nothing to wait for.
RX_FN void blockBarrier() {}

/// The same, and whether `flag` was set in any thread of the block.
RX_FN bool blockBarrierAny(bool flag) { return flag; }
/// Known from the barrier.
RX_FN bool anyFailed(const u64 *) { return false; }

/// Relaxed: one single-copy atomic access; orders nothing.
RX_FN u64 loadRelaxed(const u64 *p) {
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}
RX_FN void storeRelaxed(u64 *p, u64 v) {
  __atomic_store_n(p, v, __ATOMIC_RELAXED);
}
/// Takes *p from `expected` to `v` once, among all threads of the call: true
/// for the one that did.
RX_FN bool claim(u64 *p, u64 expected, u64 v) {
  return __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}

/// Acquire: what this thread does later comes after what the rank that wrote
/// the value had done before it wrote.
RX_FN u64 loadSignal(const u64 *p) {
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
/// Release: all that this thread did before is seen by whoever loads the value.
RX_FN void storeSignal(u64 *p, u64 v) {
  __atomic_store_n(p, v, __ATOMIC_RELEASE);
}
/// The signals carry the order.
RX_FN void fenceRelease() {}
RX_FN void fenceAcquire() {}

/// Two relaxed 8-byte accesses: a packet is whole only in its halves.
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

/// Plain data, ordered by fences only. User buffers may have any alignment.
RX_FN Group loadGroup(const char *p) {
  Group g;
  __builtin_memcpy(&g, p, sizeof(g));
  return g;
}
RX_FN void storeGroup(char *p, Group g) { __builtin_memcpy(p, &g, sizeof(g)); }
/// Copies memory that does not overlap, or is the same (a block that a call in
/// place keeps), ordered by signals only. The string instruction writes whole
/// lines without reading them first, which is worth most where another core
/// holds them. Its stores may come in any order, but all before a later store,
/// such as that of a signal (Intel SDM 3, 9.2.4).
RX_FN void copyBytes(char *to, const char *from, u64 bytes) {
#if defined(__x86_64__) && !defined(RX_STRICT_ORDER)
  __asm__ volatile("rep movsb"
                   : "+D"(to), "+S"(from), "+c"(bytes)
                   :
                   : "memory");
#else
  __builtin_memmove(to, from, bytes);
#endif
}
RX_FN bool wideAccess(const char *) { return true; }

/// Words and elements of plain data, of their own alignment.
template <typename E> RX_FN E loadPlain(const E *p) { return *p; }
template <typename E> RX_FN void storePlain(E *p, E v) { *p = v; }

typedef const rcclx_kernel_params Params;
RX_FN Params *kernelParams(const rcclx_kernel_params &p) { return &p; }
RX_FN Params *forget(Params *p) { return p; }

/// Time in ns, and what a waiting thread does between two looks: it spins
/// briefly, then gives its core to the ranks it waits for.
RX_FN u64 clock(Params &p) { return p.host.clock_ns(); }
RX_FN void pause(Params &p, u32 looks) {
  if (looks < p.host_spins)
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("" ::: "memory");
#endif
  else
    p.host.yield();
}
/// Looks between two readings of the clock and the abort word.
constexpr u32 looksPerCheck = 64;

RX_FN float widenF16(u16 v) {
#if defined(__F16C__) || defined(__aarch64__)
  return static_cast<float>(__builtin_bit_cast(_Float16, v));
#else
  // Shift the 15 value bits into place, then scale by 2^112 exactly.
  u32 bits = static_cast<u32>(v & 0x7fffu) << 13;
  if (bits >= 0x0f800000u)
    bits |= 0x7f800000u; // infinity, or NaN with its payload
  else
    bits = __builtin_bit_cast(u32, __builtin_bit_cast(float, bits) *
                                       __builtin_bit_cast(float, 0x77800000u));
  return __builtin_bit_cast(float, bits | static_cast<u32>(v & 0x8000u) << 16);
#endif
}
RX_FN u16 narrowF16(float f) {
#if defined(__F16C__) || defined(__aarch64__)
  return __builtin_bit_cast(u16, static_cast<_Float16>(f));
#else
  u32 bits = __builtin_bit_cast(u32, f);
  u16 sign = static_cast<u16>(bits >> 16 & 0x8000u);
  bits &= 0x7fffffffu;
  if (bits >= 0x47800000u) // 65536 and more, infinity
    return sign | 0x7c00u;
  if (bits < 0x38800000u) // a denormal: let the addition of 0.5 round it
    return sign |
           static_cast<u16>(
               __builtin_bit_cast(u32, __builtin_bit_cast(float, bits) + 0.5f) -
               0x3f000000u);
  bits += 0xfffu + (bits >> 13 & 1u);
  return sign | static_cast<u16>((bits - 0x38000000u) >> 13);
#endif
}
} // namespace rx

#endif
#endif // RCCLX_TARGET_HOST_H
