/*===- rcclx_bench_peer.h - Libraries that rcclx bench measures ----*- C -*-===*
 *
 * Part of rcclx. A peer is a shared object that rcclx bench loads in every
 * rank's process; it makes another library's collectives callable. All
 * functions return NULL, or the text of an error, which lives until the
 * thread's next call. One thread calls them.
 *===----------------------------------------------------------------------===*/
#ifndef RCCLX_BENCH_PEER_H
#define RCCLX_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define RCCLX_BENCH_PEER_VERSION 1u
/* What every peer exports: returns its table, which is static. */
#define RCCLX_BENCH_PEER_QUERY "rcclx_bench_peer_query"

typedef enum rcclx_bench_collective {
  RCCLX_BENCH_ALL_REDUCE = 0,
  RCCLX_BENCH_ALL_GATHER = 1,
  RCCLX_BENCH_REDUCE_SCATTER = 2,
  RCCLX_BENCH_ALL_TO_ALL = 3
} rcclx_bench_collective;

/* The ranks, before the peer has connected them. */
typedef struct rcclx_bench_group {
  uint32_t rank;
  uint32_t world;
  uint64_t timeout_ms;
  void *context;
  /* Collective: all[r] gets rank r's `mine`, of at most 32 KiB. Returns 0, or
   * another value where a rank failed or was late: the peer then gives up. */
  int (*exchange)(void *context, const void *mine, size_t bytes, void *all);
} rcclx_bench_group;

/* One call that is repeated: f32, sum. `count` is NCCL's: elements of the
 * buffer for all_reduce, else of one rank's block. */
typedef struct rcclx_bench_call {
  rcclx_bench_collective collective;
  uint32_t variant;
  const float *input; /* is never written */
  float *output;
  size_t count;
} rcclx_bench_call;

typedef struct rcclx_bench_peer {
  uint32_t version;
  const char *name;
  /* Collective: connects this rank with the others. */
  const char *(*create)(const rcclx_bench_group *group, void **state);
  /* What runs, with its version and settings; lives as the state does. */
  const char *(*describe)(void *state);
  /* Name of a way to run the collective; "" where it cannot be used for calls
   * of so many bytes (of the larger side), NULL past the last. The same on all
   * ranks. */
  const char *(*variant)(void *state, rcclx_bench_collective collective,
                         size_t bytes, uint32_t index);
  /* Collective: what can be done once for many calls. */
  const char *(*open)(void *state, const rcclx_bench_call *call,
                      void **operation);
  /* Collective: returns when this rank's output is complete and its input may
   * be overwritten. */
  const char *(*run)(void *operation);
  /* Collective. */
  void (*close)(void *operation);
  void (*destroy)(void *state);
} rcclx_bench_peer;

typedef const rcclx_bench_peer *(*rcclx_bench_peer_query_function)(void);

#if defined(__cplusplus)
}
#endif
#endif /* RCCLX_BENCH_PEER_H */
