/*===- all_reduce.c - One rank of an all-reduce, through the C interface ---===*
 *
 * Part of rcclx. A process is one rank; its launcher says which:
 *
 *   cc -std=c11 -I PREFIX/include all_reduce.c -L PREFIX/lib -lrcclx \
 *      -Wl,-rpath,PREFIX/lib -o all_reduce
 *   mpirun -n 4 ./all_reduce SCHEDULE.mlir
 *
 * or, by hand, in a shell per rank or in the background:
 *
 *   RCCLX_ID=demo RCCLX_WORLD=2 RCCLX_RANK=0 ./all_reduce SCHEDULE.mlir &
 *   RCCLX_ID=demo RCCLX_WORLD=2 RCCLX_RANK=1 ./all_reduce SCHEDULE.mlir
 *
 * A directory in the place of the schedule is a plan of `rcclx compile`.
 *===----------------------------------------------------------------------===*/
#include <rcclx/rcclx.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 10007 };

/* Every call returns a code; the message has the details. */
static void check(rcclx_result result, const char *what) {
  if (result == RCCLX_OK)
    return;
  fprintf(stderr, "%s: %s: %s\n", what, rcclx_result_string(result),
          rcclx_last_error());
  exit(EXIT_FAILURE);
}

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(EXIT_FAILURE);
  }
  char *text = NULL;
  size_t capacity = 0, got = 0;
  *size = 0;
  do {
    if (*size == capacity) {
      capacity = capacity ? 2 * capacity : 4096;
      text = realloc(text, capacity);
      if (!text) {
        fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
      }
    }
    got = fread(text + *size, 1, capacity - *size, file);
    *size += got;
  } while (got != 0);
  fclose(file);
  return text;
}

static rcclx_plan *prepare(rcclx_comm *comm, const char *path) {
  rcclx_plan_params params = {.struct_size = sizeof(params)};
  char *schedule = NULL;
  if (strlen(path) > 5 && strcmp(path + strlen(path) - 5, ".mlir") == 0) {
    schedule = read_file(path, &params.schedule_bytes);
    params.schedule = schedule;
    params.schedule_name = path;
    params.element = "f32";
    params.reduction = "sum";
    params.count = count;
  } else {
    params.plan_dir = path;
  }
  /* Proves and compiles the schedule on one rank, unless it is cached. */
  rcclx_plan *plan = NULL;
  check(rcclx_plan_prepare(comm, &params, &plan), "rcclx_plan_prepare");
  free(schedule);
  return plan;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s SCHEDULE.mlir|PLAN\n", argv[0]);
    return EXIT_FAILURE;
  }
  rcclx_comm_params comm_params = {.struct_size = sizeof(comm_params)};
  rcclx_comm *comm = NULL;
  check(rcclx_comm_create(&comm_params, &comm), "rcclx_comm_create");
  rcclx_comm_info me = {.struct_size = sizeof(me)};
  check(rcclx_comm_get_info(comm, &me), "rcclx_comm_get_info");
  rcclx_plan *plan = prepare(comm, argv[1]);
  rcclx_stream *stream = NULL;
  check(rcclx_stream_create(comm, &stream), "rcclx_stream_create");

  static float input[count], output[count];
  for (int i = 0; i != count; ++i)
    input[i] = (float)(i % 100) + (float)me.rank;
  rcclx_launch_params launch = {.struct_size = sizeof(launch),
                                .plan = plan,
                                .input = input,
                                .output = output,
                                .count = count,
                                .stream = stream};
  check(rcclx_launch(comm, &launch), "rcclx_launch");
  check(rcclx_stream_synchronize(stream), "rcclx_stream_synchronize");

  /* Small whole numbers: sums are exact in any order. */
  float ranks = (float)me.world;
  int wrong = 0;
  for (int i = 0; i != count; ++i)
    wrong += output[i] != ranks * (float)(i % 100) + ranks * (ranks - 1) / 2;
  printf("rank %u of %u: %d sums, %d wrong\n", (unsigned)me.rank,
         (unsigned)me.world, count, wrong);

  check(rcclx_stream_destroy(stream), "rcclx_stream_destroy");
  check(rcclx_plan_destroy(plan), "rcclx_plan_destroy");
  check(rcclx_comm_destroy(comm), "rcclx_comm_destroy");
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
