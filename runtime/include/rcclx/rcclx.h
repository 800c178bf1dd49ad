/*===- rcclx.h - C interface of rcclx -------------------------------*- C
 * -*-===*
 *
 * Part of rcclx.
 *
 * Structs begin with `struct_size`, which the caller sets to sizeof(the struct)
 * and which says what the caller knows of it; zero is the default of every
 * other field. Fields and values are only ever appended; a field that is set
 * and that the library is too old to know is RCCLX_INVALID_ARGUMENT. No
 * function throws.
 *
 * Errors: every function returns a code that says what the caller should do;
 * rcclx_last_error() has the details, with rank, peer and size. Results are
 * written on success only.
 *
 * A communicator is used by one thread at a time, except for the functions that
 * say otherwise; a second thread gets RCCLX_INVALID_USAGE. After a peer has
 * failed, a wait has timed out or rcclx_comm_abort was called, the communicator
 * is dead: every later call says so, with the first cause.
 *
 * A child made by fork() cannot use what its parent created: it may only
 * destroy the handles, which frees nothing and tells nobody, or leave them.
 *===----------------------------------------------------------------------===*/
#ifndef RCCLX_H
#define RCCLX_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
#define RCCLX_NOEXCEPT noexcept
extern "C" {
#else
#define RCCLX_NOEXCEPT
#endif

#if defined(__GNUC__)
#define RCCLX_API __attribute__((visibility("default")))
#else
#define RCCLX_API
#endif

#define RCCLX_VERSION_MAJOR 0
#define RCCLX_VERSION_MINOR 1
#define RCCLX_VERSION_PATCH 0

typedef enum rcclx_result {
  RCCLX_OK = 0,
  RCCLX_INVALID_ARGUMENT = 1, /* correct the arguments */
  RCCLX_INVALID_USAGE = 2,    /* correct the order or thread of the calls */
  RCCLX_SCHEDULE_ERROR = 3,   /* correct the schedule */
  RCCLX_UNAVAILABLE = 4,      /* install or configure what is absent */
  RCCLX_SYSTEM_ERROR = 5,     /* correct the machine (limits, space), retry */
  RCCLX_REMOTE_ERROR = 6,     /* a peer failed: make a new communicator */
  RCCLX_TIMEOUT = 7,          /* a peer was late: make a new communicator */
  RCCLX_ABORTED = 8,          /* aborted by this user: destroy it */
  RCCLX_CORRUPT = 9,          /* remove the damaged file that is named */
  RCCLX_INTERNAL_ERROR = 10   /* report a defect of rcclx */
} rcclx_result;

/* Major * 10000 + minor * 100 + patch, of the library. */
RCCLX_API uint32_t rcclx_version(void) RCCLX_NOEXCEPT;
/* Name of a code. Never null; static. */
RCCLX_API const char *rcclx_result_string(rcclx_result result) RCCLX_NOEXCEPT;
/* Message of the calling thread's last failed call; "" before any. Valid until
 * the thread's next failed call. */
RCCLX_API const char *rcclx_last_error(void) RCCLX_NOEXCEPT;

/*--- Communicators ----------------------------------------------------------*/

typedef struct rcclx_comm rcclx_comm;

/* Where the ranks meet. Made by one process, given to all ranks by other means
 * (a file, an environment variable, MPI). Good for one communicator. */
typedef struct rcclx_unique_id {
  unsigned char bytes[128];
} rcclx_unique_id;

RCCLX_API rcclx_result rcclx_unique_id_create(rcclx_unique_id *id)
    RCCLX_NOEXCEPT;

typedef struct rcclx_comm_params {
  size_t struct_size;
  const rcclx_unique_id *id; /* NULL: of the launcher's environment */
  uint32_t rank;             /* with id NULL: 0, or what the launcher says */
  uint32_t world;            /* 1 to 256; with id NULL as rank */
  const char *device;        /* NULL: "host" */
  uint64_t timeout_ms;       /* 0: RCCLX_TIMEOUT_MS, else 30000 */
  const char *cache_dir;     /* NULL: RCCLX_CACHE_DIR, else the user's cache */
} rcclx_comm_params;

/* Collective: returns when all ranks have joined, or names those that did not
 * within the timeout. Ranks are threads or processes of one user on one node.
 * In a group, *comm is set by rcclx_group_end.
 *
 * Without an id, rank, number of ranks and the meeting point come from the
 * environment that mpirun, srun, torchrun or the user has set
 * (docs/Runtime.md): a process is one rank, and all ranks of the job create
 * their communicators in the same order. RCCLX_UNAVAILABLE where there is no
 * such environment; the message lists what was looked for and found. */
RCCLX_API rcclx_result rcclx_comm_create(const rcclx_comm_params *params,
                                         rcclx_comm **comm) RCCLX_NOEXCEPT;

typedef struct rcclx_comm_info {
  size_t struct_size;
  uint32_t rank;
  uint32_t world;
} rcclx_comm_info;

RCCLX_API rcclx_result rcclx_comm_get_info(
    const rcclx_comm *comm, rcclx_comm_info *info) RCCLX_NOEXCEPT;

/* Collective over comm: makes a communicator of the ranks that give the same
 * color, in the order of their keys, then of their ranks. A negative color
 * takes part and gets NULL. Groups and comm are independent: each has a thread
 * and calls of its own, and may be destroyed first. Where one group cannot be
 * made, all ranks get the error, which names its rank and color, and comm goes
 * on. In a group, *part is set by rcclx_group_end. */
RCCLX_API rcclx_result rcclx_comm_split(rcclx_comm *comm, int32_t color,
                                        int32_t key,
                                        rcclx_comm **part) RCCLX_NOEXCEPT;

/* Writes, for people to read, the communicator's state and its recent calls
 * (number, plan, size, whether it has ended) into `text`, which has room for
 * `bytes`: cut there, and always ended by a null character. What a watchdog of
 * the program would print. Any thread. */
RCCLX_API rcclx_result rcclx_comm_dump(rcclx_comm *comm, char *text,
                                       size_t bytes) RCCLX_NOEXCEPT;

/* Waits for the work of this rank, tells the others, and frees the handle.
 * Ranks that then wait for this one, or call it, get RCCLX_REMOTE_ERROR. Its
 * plans and streams stay valid to be destroyed, and hold its memory until
 * then. Returns the communicator's error, if it was dead; NULL is fine. */
RCCLX_API rcclx_result rcclx_comm_destroy(rcclx_comm *comm) RCCLX_NOEXCEPT;
/* Ends running kernels of this rank and makes all ranks fail. Any thread. */
RCCLX_API rcclx_result rcclx_comm_abort(rcclx_comm *comm) RCCLX_NOEXCEPT;
/* RCCLX_OK, or the error that the communicator died of, which becomes the
 * thread's last error. Any thread. */
RCCLX_API rcclx_result rcclx_comm_status(rcclx_comm *comm) RCCLX_NOEXCEPT;

/*--- Plans ------------------------------------------------------------------*/

typedef struct rcclx_plan rcclx_plan;

typedef struct rcclx_plan_params {
  size_t struct_size;
  const char *schedule; /* MLIR text; need not end with a null character */
  size_t schedule_bytes;
  const char *schedule_name; /* for messages; NULL: "schedule" */
  const char *symbol;        /* which collective of the text; NULL: the only */
  const char *element;       /* "f64" "f32" "f16" "bf16" "f8E4M3FN" "f8E5M2"
                                "i8" "u8" "i32" "u32" "i64" "u64" */
  const char *reduction;     /* NULL: "sum"; "prod" "min" "max" "avg"
                                "premul_sum" (docs/Numerics.md) */
  uint64_t count;            /* elements of the calls to come, roughly */
  const char *protocol;      /* NULL: chosen; "ll" "sentinel" "flag" */
  const char *plan_dir; /* NULL: compiled or cached; else what `rcclx compile`
                           wrote: it says all else, which stays zero */
  uint32_t root;        /* of a broadcast, reduce, gather or scatter */
  uint32_t permutation_length; /* 0, or the number of ranks */
  const uint32_t *permutation; /* of a permute: where each rank's input goes;
                                  NULL: to the next rank */
} rcclx_plan_params;

/* Collective: all ranks agree on the plan, one compiles it where it is not
 * cached, all load it; no rank returns before all have. An error is the same on
 * all ranks. In a group, *plan is set by rcclx_group_end. */
RCCLX_API rcclx_result rcclx_plan_prepare(rcclx_comm *comm,
                                          const rcclx_plan_params *params,
                                          rcclx_plan **plan) RCCLX_NOEXCEPT;
/* Waits for the communicator's launched work, then frees. NULL is fine. */
RCCLX_API rcclx_result rcclx_plan_destroy(rcclx_plan *plan) RCCLX_NOEXCEPT;

typedef struct rcclx_plan_info {
  size_t struct_size;
  uint64_t hash;
  uint64_t max_count;
  int cached;           /* 0: compiled by this preparation */
  const char *manifest; /* JSON (docs/PlanFormat.md); lives as the plan does */
  size_t manifest_bytes;
} rcclx_plan_info;

RCCLX_API rcclx_result rcclx_plan_get_info(
    const rcclx_plan *plan, rcclx_plan_info *info) RCCLX_NOEXCEPT;

/*--- Streams and calls ------------------------------------------------------*/

typedef struct rcclx_stream rcclx_stream;

RCCLX_API rcclx_result
rcclx_stream_create(rcclx_comm *comm, rcclx_stream **stream) RCCLX_NOEXCEPT;
/* Waits for the stream's work, then frees. NULL is fine. */
RCCLX_API rcclx_result rcclx_stream_destroy(rcclx_stream *stream)
    RCCLX_NOEXCEPT;
/* Waits for the stream's work. Returns the communicator's error, if it is dead:
 * the outputs of its last calls are then not to be used. Any thread. */
RCCLX_API rcclx_result rcclx_stream_synchronize(rcclx_stream *stream)
    RCCLX_NOEXCEPT;

typedef struct rcclx_launch_params {
  size_t struct_size;
  rcclx_plan *plan;
  const void *input;    /* aligned to its elements; may be the output. Ignored,
                           and may be NULL, where the rank has none: all but the
                           root of a broadcast or scatter */
  void *output;         /* the same; all but the root of a reduce or gather */
  uint64_t count;       /* by the contract's convention (docs/PlanFormat.md) */
  rcclx_stream *stream; /* NULL: the calling thread runs the call */
  const void *scale; /* premul_sum alone: what this rank's input is multiplied
                        by. Points to one element; of types narrower than 32
                        bits that are floats, to a float. Read before the
                        function returns. Ranks may differ */
} rcclx_launch_params;

/* Starts one call. All ranks issue the same calls in the same order, with equal
 * plan and count. Calls of one communicator run in issue order, on whichever
 * streams. Does not wait, except for room in the stream's queue (256 calls): a
 * thread that drives several ranks alternates between them.
 *
 * Without a stream it returns when the call has ended, after those issued
 * before it, with the communicator's error if it is dead. On the host this is
 * the fastest way: no other thread has to wake. RCCLX_INVALID_USAGE in a group,
 * where it would wait for itself. */
RCCLX_API rcclx_result rcclx_launch(
    rcclx_comm *comm, const rcclx_launch_params *params) RCCLX_NOEXCEPT;

/* Between begin and end, collective calls of this thread are only noted; the
 * outermost end makes them: all creations at the same time, then the splits
 * and preparations (those of one communicator in their order, until one fails;
 * communicators at the same time), then the launches in their order. So one
 * thread can drive several ranks. Groups nest. end returns the first error;
 * what had succeeded by then is kept. */
RCCLX_API rcclx_result rcclx_group_begin(void) RCCLX_NOEXCEPT;
RCCLX_API rcclx_result rcclx_group_end(void) RCCLX_NOEXCEPT;

#if defined(__cplusplus)
}
#endif
#endif /* RCCLX_H */
