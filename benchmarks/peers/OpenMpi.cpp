//===- OpenMpi.cpp - Open MPI as a peer of rcclx bench --------------------===//
//
// Part of rcclx. The algorithms of Open MPI's component "tuned" are settings of
// the process that a new communicator reads: MPI's tool interface writes them,
// so that one job measures all of them. What is a setting of the whole job
// (transport, single copies, yielding) is for the options of mpirun.
//
//===----------------------------------------------------------------------===//
#include "rcclx_bench_peer.h"

#include <cstdlib>
#include <mpi.h>
#include <string>
#include <vector>

namespace {

/// How a variant calls MPI, and which setting chooses its algorithm; 0 leaves
/// the choice to Open MPI.
struct Variant {
  const char *name;
  const char *setting;
  int algorithm;
  bool blocks = true; // of reduce_scatter: MPI_Reduce_scatter_block
};

constexpr char allReduce[] = "coll_tuned_allreduce_algorithm";
constexpr char allGather[] = "coll_tuned_allgather_algorithm";
constexpr char scatterBlock[] = "coll_tuned_reduce_scatter_block_algorithm";
constexpr char scatter[] = "coll_tuned_reduce_scatter_algorithm";
constexpr char allToAll[] = "coll_tuned_alltoall_algorithm";

struct State {
  MPI_Comm world = MPI_COMM_NULL; // ranks numbered as rcclx bench does
  bool tuned = false;             // algorithms can be chosen
  std::string description;
  std::vector<Variant> variants[4];
};

struct Operation {
  rcclx_bench_call call;
  MPI_Comm comm;
  bool blocks;             // of reduce_scatter: MPI_Reduce_scatter_block
  std::vector<int> counts; // of MPI_Reduce_scatter
};

} // namespace

static thread_local std::string lastError;

static const char *failure(const std::string &what, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  lastError = what + ": " + text;
  return lastError.c_str();
}

/// Writes an integer setting of Open MPI; false where it has none of the name.
static bool writeSetting(const char *name, int value) {
  int index = 0;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS)
    return false;
  MPI_T_cvar_handle handle;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS)
    return false;
  bool written = MPI_T_cvar_write(handle, &value) == MPI_SUCCESS;
  MPI_T_cvar_handle_free(&handle);
  return written;
}

static void listVariants(State &state, uint32_t world) {
  state.variants[RCCLX_BENCH_ALL_REDUCE] = {{"default", allReduce, 0}};
  state.variants[RCCLX_BENCH_ALL_GATHER] = {{"default", allGather, 0}};
  state.variants[RCCLX_BENCH_REDUCE_SCATTER] = {{"default", scatterBlock, 0}};
  state.variants[RCCLX_BENCH_ALL_TO_ALL] = {{"default", allToAll, 0}};
  if (!state.tuned)
    return;
  auto add = [&](rcclx_bench_collective collective,
                 std::initializer_list<Variant> more) {
    auto &list = state.variants[collective];
    list.insert(list.end(), more);
  };
  // The linear ones, and the butterfly for other worlds than powers of two,
  // are left out: they never win.
  add(RCCLX_BENCH_ALL_REDUCE, {{"recursive_doubling", allReduce, 3},
                               {"ring", allReduce, 4},
                               {"rabenseifner", allReduce, 6}});
  add(RCCLX_BENCH_ALL_GATHER, {{"bruck", allGather, 2},
                               {"recursive_doubling", allGather, 3},
                               {"ring", allGather, 4}});
  if (world % 2 == 0)
    add(RCCLX_BENCH_ALL_GATHER, {{"neighbor", allGather, 5}});
  add(RCCLX_BENCH_REDUCE_SCATTER,
      {{"recursive_halving", scatterBlock, 3},
       {"butterfly", scatterBlock, 4},
       {"v_recursive_halving", scatter, 2, /*blocks=*/false},
       {"v_ring", scatter, 3, /*blocks=*/false}});
  add(RCCLX_BENCH_ALL_TO_ALL, {{"linear", allToAll, 1},
                               {"pairwise", allToAll, 2},
                               {"modified_bruck", allToAll, 3},
                               {"linear_sync", allToAll, 4}});
  if (world == 2) {
    add(RCCLX_BENCH_ALL_GATHER, {{"two_proc", allGather, 6}});
    add(RCCLX_BENCH_ALL_TO_ALL, {{"two_proc", allToAll, 5}});
  }
}

static const char *create(const rcclx_bench_group *group, void **out) {
  // Read by MPI_Init; without it the algorithms cannot be chosen.
  setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", /*overwrite=*/0);
  int provided = 0;
  if (int code =
          MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided))
    return failure("MPI_Init_thread", code);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (uint32_t(size) != group->world) {
    lastError = "Open MPI sees " + std::to_string(size) + " of " +
                std::to_string(group->world) +
                " processes: start the ranks by --launcher \"mpirun ...\"";
    MPI_Finalize();
    return lastError.c_str();
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  auto *state = new State;
  if (int code =
          MPI_Comm_split(MPI_COMM_WORLD, 0, int(group->rank), &state->world)) {
    delete state;
    return failure("MPI_Comm_split", code);
  }
  MPI_Comm_set_errhandler(state->world, MPI_ERRORS_RETURN);
  state->tuned =
      MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS &&
      writeSetting(allReduce, 0);
  listVariants(*state, group->world);
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  // "Open MPI v4.1.4, package: ..., ident: ..." up to the first comma.
  state->description = version;
  state->description.resize(state->description.find_first_of(",\n") ==
                                    std::string::npos
                                ? state->description.size()
                                : state->description.find_first_of(",\n"));
  if (!state->tuned)
    state->description += ", algorithms cannot be chosen";
  *out = state;
  return nullptr;
}

static const char *describe(void *state) {
  return static_cast<State *>(state)->description.c_str();
}

static const char *variant(void *state, rcclx_bench_collective collective,
                           size_t, uint32_t index) {
  auto &list = static_cast<State *>(state)->variants[collective];
  return index < list.size() ? list[index].name : nullptr;
}

static const char *open(void *rawState, const rcclx_bench_call *call,
                        void **out) {
  auto *state = static_cast<State *>(rawState);
  const Variant &variant = state->variants[call->collective][call->variant];
  auto *operation = new Operation{*call, MPI_COMM_NULL, variant.blocks, {}};
  int world = 0;
  MPI_Comm_size(state->world, &world);
  if (!operation->blocks)
    operation->counts.assign(size_t(world), int(call->count));
  if (state->tuned)
    writeSetting(variant.setting, variant.algorithm);
  int code = MPI_Comm_dup(state->world, &operation->comm);
  if (state->tuned)
    writeSetting(variant.setting, 0);
  if (code != MPI_SUCCESS) {
    delete operation;
    return failure("MPI_Comm_dup", code);
  }
  *out = operation;
  return nullptr;
}

static const char *run(void *rawOperation) {
  auto *operation = static_cast<Operation *>(rawOperation);
  const rcclx_bench_call &call = operation->call;
  int count = int(call.count);
  int code = MPI_SUCCESS;
  switch (call.collective) {
  case RCCLX_BENCH_ALL_REDUCE:
    code = MPI_Allreduce(call.input, call.output, count, MPI_FLOAT, MPI_SUM,
                         operation->comm);
    break;
  case RCCLX_BENCH_ALL_GATHER:
    code = MPI_Allgather(call.input, count, MPI_FLOAT, call.output, count,
                         MPI_FLOAT, operation->comm);
    break;
  case RCCLX_BENCH_REDUCE_SCATTER:
    code = operation->blocks
               ? MPI_Reduce_scatter_block(call.input, call.output, count,
                                          MPI_FLOAT, MPI_SUM, operation->comm)
               : MPI_Reduce_scatter(call.input, call.output,
                                    operation->counts.data(), MPI_FLOAT,
                                    MPI_SUM, operation->comm);
    break;
  case RCCLX_BENCH_ALL_TO_ALL:
    code = MPI_Alltoall(call.input, count, MPI_FLOAT, call.output, count,
                        MPI_FLOAT, operation->comm);
    break;
  }
  return code == MPI_SUCCESS ? nullptr : failure("collective", code);
}

static void close(void *rawOperation) {
  auto *operation = static_cast<Operation *>(rawOperation);
  MPI_Comm_free(&operation->comm);
  delete operation;
}

static void destroy(void *rawState) {
  auto *state = static_cast<State *>(rawState);
  MPI_Comm_free(&state->world);
  delete state;
  MPI_Finalize();
}

extern "C" __attribute__((visibility("default"))) const rcclx_bench_peer *
rcclx_bench_peer_query() {
  static const rcclx_bench_peer peer = {RCCLX_BENCH_PEER_VERSION,
                                        "openmpi",
                                        create,
                                        describe,
                                        variant,
                                        open,
                                        run,
                                        close,
                                        destroy};
  return &peer;
}
