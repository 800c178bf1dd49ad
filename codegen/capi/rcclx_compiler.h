/*===- rcclx_compiler.h - versioned C API of the compiler ----------*- C -*-===*
 *
 * Part of rcclx. librcclx_compiler.so is the only artefact of the compiler half
 * that the runtime loads, with dlopen, and only when a plan must be compiled.
 * No call throws, aborts or exits; every call may be made from any thread.
 *===----------------------------------------------------------------------===*/
#ifndef RCCLX_COMPILER_H
#define RCCLX_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RCCLX_COMPILER_API_VERSION 1u

typedef struct rcclx_compile_request {
  size_t struct_size;
  const char *schedule; /* MLIR text, not necessarily NUL-terminated */
  size_t schedule_bytes;
  const char *schedule_name;  /* file name for diagnostics */
  const char *symbol;         /* which rcclx.collective; NULL: the only one */
  uint32_t world;             /* 1..256 */
  const char *element;        /* "f32" "f16" "bf16" "i32" */
  const char *reduction;      /* "sum" "max" "avg" */
  uint64_t count;             /* elements, for choosing protocol and tile */
  const char *protocol;       /* NULL: choose; or "ll" "sentinel" "flag" */
  const char *const *targets; /* "host-x86_64" "gfx942" "sm_90" ... */
  size_t num_targets;
  const char *directory; /* existing, empty: the plan is written here */
  /* RTC libraries that the caller loaded (hipRTC, NVRTC); NULL where it has
   * none. Returns 0 and a malloc'ed object, or non-zero and a malloc'ed message
   * in *object. */
  int (*rtc)(void *rtc_data, const char *target, const char *source,
             size_t source_bytes, char **object, size_t *object_bytes);
  void *rtc_data;
  const char *host_cpu; /* NULL: this machine's; "x86-64-v3": any such one */
  uint32_t root;        /* below world; 0 where there is none */
  uint32_t permutation_length; /* 0, or world */
  const uint32_t *permutation; /* of a permute: where each rank's input goes;
                                  NULL: to the next rank */
} rcclx_compile_request;

typedef struct rcclx_compile_result rcclx_compile_result;

/* RCCLX_COMPILER_API_VERSION of the library. */
uint32_t rcclx_compiler_api_version(void);
/* For people: "LLVM 22.1.8". */
const char *rcclx_compiler_version(void);

/* Compiles `request` and writes the plan (docs/PlanFormat.md). Returns 0 on
 * success; 1 when the schedule is at fault (syntax, proof, unsupported), 2 when
 * the request is, 3 when the machine is (cannot write, no compiler for a
 * target). *result is set in every case and is freed by the caller. */
int rcclx_compiler_compile(const rcclx_compile_request *request,
                           rcclx_compile_result **result);

/* All diagnostics, formatted as `file:line:column: error: ...`. */
const char *rcclx_compile_result_diagnostics(const rcclx_compile_result *r);
void rcclx_compile_result_free(rcclx_compile_result *r);

/* Of a verify_request: every root of the world, one after the other; where the
 * contract has none, it is proved once. */
#define RCCLX_EVERY_ROOT UINT32_MAX

typedef struct rcclx_verify_request {
  size_t struct_size;
  const char *schedule;
  size_t schedule_bytes;
  const char *schedule_name;
  const char *symbol;
  uint32_t world;
  uint32_t slots; /* 0: the default, 2 */
  uint32_t root;  /* below world, or RCCLX_EVERY_ROOT; 0 where there is none */
  uint32_t permutation_length; /* 0, or world */
  const uint32_t *permutation; /* of a permute: where each rank's input goes;
                                  NULL: to the next rank */
  uint32_t schedule_only;      /* 1: not the kernels that it is lowered to */
} rcclx_verify_request;

/* Of several roots: the largest of each figure, and the whole time. */
typedef struct rcclx_proof {
  size_t struct_size;
  uint64_t operations; /* executed, over all ranks */
  uint64_t messages;
  uint32_t least_slots;
  uint64_t microseconds;
  uint64_t roots; /* how many it was proved for; 0: the contract has none */
  /* Lowered forms that were proved, for the last root: by the protocol that is
   * chosen by default and, of up to 16 ranks, by ll and sentinel. Fewer where
   * the schedule is not lowered; the result's diagnostics say why. */
  uint64_t kernels;
  uint64_t kernel_microseconds; /* with the lowering */
} rcclx_proof;

/* Proves one schedule for one world size. Returns as rcclx_compiler_compile;
 * *proof is set on success. */
int rcclx_compiler_verify(const rcclx_verify_request *request,
                          rcclx_proof *proof, rcclx_compile_result **result);

#ifdef __cplusplus
}
#endif
#endif /* RCCLX_COMPILER_H */
