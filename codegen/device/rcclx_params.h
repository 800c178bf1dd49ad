/*===- rcclx_params.h - ABI between compiled plans and the runtime -*- C -*-===*
 *
 * Part of rcclx. Freestanding C11: included by the runtime and prepended, with
 * rcclx_device.h, to every generated kernel. Fields are only ever appended;
 * RCCLX_PARAMS_VERSION changes when a plan of the older version cannot run.
 *
 * Memory of one rank, as its peers see it
 * ---------------------------------------
 * For every ordered pair (source s, destination d) there is one REGION. It lies
 * in d's memory, is written by s and read by d. All of it is zero when the
 * peers connect, and every slot in it is zero again at rest: a reader resets
 * exactly what it read. A rank has a region for itself too.
 *
 *   RCCLX_STARTED      {call, plan hash} per block: s has started call n
 *   RCCLX_SIGNAL       arrival counter per block, `flag` messages s -> d
 *   RCCLX_CREDIT       per block: s has consumed these messages of d
 *   RCCLX_PULL_SIGNAL  per block: s has published tiles in its window
 *   RCCLX_PULL_CREDIT  per block: s has read these tiles of d's window
 *   RCCLX_LL, RCCLX_SENTINEL, RCCLX_FLAG
 *                      two halves of slots per protocol; call n of the pair
 *                      uses half n mod 2
 *
 * A rank also has one WINDOW, in its own memory, that it alone writes and its
 * peers read (staged pull).
 *===----------------------------------------------------------------------===*/
#ifndef RCCLX_PARAMS_H
#define RCCLX_PARAMS_H

typedef unsigned int rcclx_u32;
typedef unsigned long long rcclx_u64;

#define RCCLX_PARAMS_VERSION 1u
/* Peers whose addresses travel in the kernel arguments. */
#define RCCLX_INLINE_PEERS 16u
#define RCCLX_MAX_WORLD 256u
/* Blocks of one kernel, at most: each has a word in every per-block array. */
#define RCCLX_MAX_BLOCKS 512u

/* Bytes of one half of one protocol's slots (packets, so `ll` carries half of
 * it as payload). */
#define RCCLX_HALF_BYTES (1u << 20)

#define RCCLX_STARTED 0u
#define RCCLX_SIGNAL (RCCLX_STARTED + 16u * RCCLX_MAX_BLOCKS)
#define RCCLX_CREDIT (RCCLX_SIGNAL + 8u * RCCLX_MAX_BLOCKS)
#define RCCLX_PULL_SIGNAL (RCCLX_CREDIT + 8u * RCCLX_MAX_BLOCKS)
#define RCCLX_PULL_CREDIT (RCCLX_PULL_SIGNAL + 8u * RCCLX_MAX_BLOCKS)
#define RCCLX_LL (RCCLX_PULL_CREDIT + 8u * RCCLX_MAX_BLOCKS)
#define RCCLX_SENTINEL (RCCLX_LL + 2u * RCCLX_HALF_BYTES)
#define RCCLX_FLAG (RCCLX_SENTINEL + 2u * RCCLX_HALF_BYTES)
#define RCCLX_REGION_BYTES (RCCLX_FLAG + 2u * RCCLX_HALF_BYTES)
#define RCCLX_WINDOW_BYTES RCCLX_HALF_BYTES

/* Addresses of one peer, all valid on the rank that runs the kernel. */
typedef struct rcclx_peer {
  char *in;        /* own memory: the region that this peer writes */
  char *out;       /* the peer's memory: the region that this rank writes */
  char *window;    /* the peer's window */
  rcclx_u64 *call; /* own memory: number of the last call with this peer, one
                      word per possible block; written by kernels only */
} rcclx_peer;

/* What a kernel saw first when a wait ended without its data. */
enum rcclx_failure_code {
  RCCLX_FAILURE_NONE = 0,
  RCCLX_FAILURE_ABORT = 1,   /* the abort word was set */
  RCCLX_FAILURE_DEADLINE = 2 /* a wait took longer than timeout_ticks */
};
enum rcclx_wait_kind {
  RCCLX_WAIT_STARTED = 1,
  RCCLX_WAIT_MESSAGE = 2,
  RCCLX_WAIT_CREDIT = 3,
  RCCLX_WAIT_PULL = 4,
  RCCLX_WAIT_PULL_CREDIT = 5
};

/* One per communicator and rank, in memory that the kernel and the watchdog
 * both reach. The watchdog writes `abort` and `timeout_ticks`; the kernel
 * writes the rest, once: the first thread that fails takes `failure` from 0. */
typedef struct rcclx_control {
  rcclx_u64 abort;
  rcclx_u64 timeout_ticks; /* of the clock that rx::clock() reads; ns on the
                              host and NVIDIA, 10 ns on AMD */
  rcclx_u64 failure;       /* code | wait kind << 8 | (peer + 1) << 16 */
  rcclx_u64 failure_call;  /* pair call number that was waited for */
} rcclx_control;

/* Host only: a plan is freestanding, so what it needs of the OS comes here. */
typedef struct rcclx_host_calls {
  void (*yield)(void);
  rcclx_u64 (*clock_ns)(void);
} rcclx_host_calls;

typedef struct rcclx_kernel_params {
  rcclx_u32 version; /* RCCLX_PARAMS_VERSION */
  rcclx_u32 rank;
  rcclx_u32 world;
  rcclx_u32 grid;      /* blocks launched; a constant of the plan */
  rcclx_u64 plan_hash; /* equal on all ranks of a call */
  rcclx_u64 count; /* elements, by the contract's convention (PlanFormat.md) */
  const char *input;
  char *output;
  char *window; /* own window */
  rcclx_control *control;
  rcclx_host_calls host;
  /* Bit p of word p/64: the plan has an edge between this rank and p
   * (this rank itself included where it sends to itself). */
  rcclx_u64 edges[RCCLX_MAX_WORLD / 64u];
  /* Bit p of word p/64: rank p reads this rank's window. */
  rcclx_u64 readers[RCCLX_MAX_WORLD / 64u];
  rcclx_peer peers[RCCLX_INLINE_PEERS]; /* by rank, where world <= 16 */
  const rcclx_peer *peer_table;         /* by rank, where world > 16 */
  char *scratch;   /* own memory, where the plan has scratch: `world` blocks of
                      ceil(count / elements per 16 bytes) granules of 16 bytes */
  rcclx_u64 scale; /* premul_sum: what this rank's input is multiplied by, in
                      the accumulator's type, zero-extended */
  rcclx_u32 host_spins; /* host only: looks of a wait before it yields */
} rcclx_kernel_params;

#endif /* RCCLX_PARAMS_H */
