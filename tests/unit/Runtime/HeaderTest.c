/*===- HeaderTest.c - rcclx.h is C99, and the library exports it ----------===*
 *
 * Part of rcclx. Compiled as strict C99 and linked to librcclx.so alone.
 *===----------------------------------------------------------------------===*/
#include "rcclx/rcclx.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                  \
      return 1;                                                                \
    }                                                                          \
  } while (0)

int main(void) {
  rcclx_unique_id id;
  rcclx_comm_params params;
  rcclx_comm *comm = NULL;
  rcclx_stream *stream = NULL;
  rcclx_plan_params plan_params;
  rcclx_plan *plan = NULL;
  rcclx_plan_info info;
  rcclx_launch_params launch;

  CHECK(rcclx_version() == RCCLX_VERSION_MAJOR * 10000 +
                               RCCLX_VERSION_MINOR * 100 + RCCLX_VERSION_PATCH);
  CHECK(strcmp(rcclx_result_string(RCCLX_TIMEOUT), "timeout") == 0);
  CHECK(rcclx_result_string((rcclx_result)99) != NULL);
  CHECK(strcmp(rcclx_last_error(), "") == 0);

  CHECK(rcclx_unique_id_create(NULL) == RCCLX_INVALID_ARGUMENT);
  CHECK(strlen(rcclx_last_error()) > 0);
  CHECK(rcclx_unique_id_create(&id) == RCCLX_OK);

  memset(&params, 0, sizeof(params));
  params.struct_size = sizeof(params);
  params.id = &id;
  params.world = 1;
  params.timeout_ms = 5000;
  CHECK(rcclx_comm_create(&params, NULL) == RCCLX_INVALID_ARGUMENT);
  CHECK(rcclx_comm_create(&params, &comm) == RCCLX_OK);
  CHECK(rcclx_stream_create(comm, &stream) == RCCLX_OK);
  CHECK(rcclx_stream_synchronize(stream) == RCCLX_OK);

  memset(&plan_params, 0, sizeof(plan_params));
  memset(&info, 0, sizeof(info));
  memset(&launch, 0, sizeof(launch));
  CHECK(rcclx_plan_prepare(comm, &plan_params, &plan) ==
        RCCLX_INVALID_ARGUMENT);
  plan_params.struct_size = sizeof(plan_params);
  plan_params.schedule = "x";
  plan_params.schedule_bytes = 1;
  plan_params.element = "f80";
  CHECK(rcclx_plan_prepare(comm, &plan_params, &plan) ==
        RCCLX_INVALID_ARGUMENT);
  CHECK(plan == NULL);
  CHECK(rcclx_plan_get_info(NULL, &info) == RCCLX_INVALID_ARGUMENT);
  launch.struct_size = sizeof(launch);
  CHECK(rcclx_launch(comm, &launch) == RCCLX_INVALID_ARGUMENT);
  CHECK(rcclx_group_begin() == RCCLX_OK);
  CHECK(rcclx_group_end() == RCCLX_OK);
  CHECK(rcclx_group_end() == RCCLX_INVALID_USAGE);

  CHECK(rcclx_comm_status(comm) == RCCLX_OK);
  CHECK(rcclx_comm_abort(comm) == RCCLX_OK);
  CHECK(rcclx_comm_status(comm) == RCCLX_ABORTED);
  CHECK(rcclx_stream_destroy(stream) == RCCLX_OK);
  CHECK(rcclx_comm_destroy(comm) == RCCLX_ABORTED);
  CHECK(rcclx_comm_destroy(NULL) == RCCLX_OK);
  CHECK(rcclx_plan_destroy(NULL) == RCCLX_OK);
  CHECK(rcclx_stream_destroy(NULL) == RCCLX_OK);
  return 0;
}
