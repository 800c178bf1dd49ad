//===- Gloo.cpp - Gloo as a peer of rcclx bench ---------------------------===//
//
// Part of rcclx. Gloo over TCP on the loopback device: it has no transport over
// shared memory. The algorithms of its older interface (classes) are bound to
// their buffers and mostly work in place: their variants copy the input first,
// as a call out of place has to. They alone can use connections that the caller
// itself drives ("sync"), with or without polling: there, a rank that sends
// does not receive, so that two ranks wait for each other for ever when what
// they send exceeds what the sockets hold. AllreduceBcube of these is left out:
// it is wrong for three ranks.
//
//===----------------------------------------------------------------------===//
#include "rcclx_bench_peer.h"

#include <cstring>
#include <exception>
#include <functional>
#include <gloo/allgather.h>
#include <gloo/allgather_ring.h>
#include <gloo/allreduce.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/alltoall.h>
#include <gloo/config.h>
#include <gloo/math.h>
#include <gloo/reduce_scatter.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <map>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace {

/// Gloo's ranks each store one value, then read all: one exchange.
class ExchangeStore : public gloo::rendezvous::Store {
public:
  explicit ExchangeStore(const rcclx_bench_group &group) : group(group) {}

  void set(const std::string &key, const std::vector<char> &data) override {
    constexpr size_t limit = 32768;
    std::vector<char> mine(limit), all(limit * group.world);
    uint32_t sizes[2] = {uint32_t(key.size()), uint32_t(data.size())};
    if (sizeof(sizes) + key.size() + data.size() > limit)
      throw std::runtime_error("an address of Gloo is too long to exchange");
    char *to = mine.data();
    memcpy(to, sizes, sizeof(sizes));
    memcpy(to + sizeof(sizes), key.data(), key.size());
    memcpy(to + sizeof(sizes) + key.size(), data.data(), data.size());
    if (group.exchange(group.context, mine.data(), limit, all.data()) != 0)
      throw std::runtime_error("a rank was lost while Gloo connected");
    for (uint32_t rank = 0; rank != group.world; ++rank) {
      const char *from = all.data() + rank * limit;
      memcpy(sizes, from, sizeof(sizes));
      from += sizeof(sizes);
      values[std::string(from, sizes[0])].assign(from + sizes[0],
                                                 from + sizes[0] + sizes[1]);
    }
  }
  std::vector<char> get(const std::string &key) override {
    return values.at(key);
  }
  void wait(const std::vector<std::string> &) override {}

private:
  const rcclx_bench_group &group;
  std::map<std::string, std::vector<char>> values;
};

enum Links { Async, Sync, Polling };

struct State {
  std::shared_ptr<gloo::transport::Device> device;
  std::shared_ptr<gloo::rendezvous::Context> contexts[3]; // by Links
  uint32_t world = 0;
  std::string description;
};

struct Operation {
  std::function<void()> run;
};

using Call = rcclx_bench_call;

/// Makes the repeated call. `context` is the one of the variant's links.
using Make = std::function<void()> (*)(
    const std::shared_ptr<gloo::rendezvous::Context> &context,
    const Call &call);

/// The longest message of a call: half of its bytes, or a rank's block.
enum Message { Half, Block };

struct Variant {
  const char *name;
  Links links;
  Make make;
  Message message = Block;
};

} // namespace

template <gloo::AllreduceOptions::Algorithm algorithm>
static std::function<void()>
allReduce(const std::shared_ptr<gloo::rendezvous::Context> &context,
          const Call &call) {
  auto options = std::make_shared<gloo::AllreduceOptions>(context);
  options->setAlgorithm(algorithm);
  options->setInput(const_cast<float *>(call.input), call.count);
  options->setOutput(call.output, call.count);
  options->setReduceFunction(
      static_cast<void (*)(void *, const void *, const void *, size_t)>(
          &gloo::sum<float>));
  return [options] { gloo::allreduce(*options); };
}

template <template <typename> class Algorithm>
static std::function<void()>
allReduceInPlace(const std::shared_ptr<gloo::rendezvous::Context> &context,
                 const Call &call) {
  auto algorithm = std::make_shared<Algorithm<float>>(
      context, std::vector<float *>{call.output}, int(call.count));
  return [algorithm, call] {
    memcpy(call.output, call.input, call.count * sizeof(float));
    algorithm->run();
  };
}

static std::function<void()>
allGather(const std::shared_ptr<gloo::rendezvous::Context> &context,
          const Call &call) {
  auto options = std::make_shared<gloo::AllgatherOptions>(context);
  options->setInput(const_cast<float *>(call.input), call.count);
  options->setOutput(call.output, call.count * size_t(context->size));
  return [options] { gloo::allgather(*options); };
}

/// The older interface's, out of place as it is.
static std::function<void()>
allGatherOlder(const std::shared_ptr<gloo::rendezvous::Context> &context,
               const Call &call) {
  auto algorithm = std::make_shared<gloo::AllgatherRing<float>>(
      context, std::vector<const float *>{call.input}, call.output,
      int(call.count));
  return [algorithm] { algorithm->run(); };
}

static std::function<void()>
allToAll(const std::shared_ptr<gloo::rendezvous::Context> &context,
         const Call &call) {
  size_t elements = call.count * size_t(context->size);
  auto options = std::make_shared<gloo::AlltoallOptions>(context);
  options->setInput(const_cast<float *>(call.input), elements);
  options->setOutput(call.output, elements);
  return [options] { gloo::alltoall(*options); };
}

/// Gloo has one reduce-scatter, and on asynchronous links it moves its result
/// over data that may still be being sent. So: an all-reduce, of which a rank
/// keeps its block, as PyTorch did over Gloo.
template <gloo::AllreduceOptions::Algorithm algorithm>
static std::function<void()> reduceScatterByAllReduce(
    const std::shared_ptr<gloo::rendezvous::Context> &context,
    const Call &call) {
  auto work =
      std::make_shared<std::vector<float>>(call.count * size_t(context->size));
  std::function<void()> reduce =
      allReduce<algorithm>(context, {RCCLX_BENCH_ALL_REDUCE, 0, call.input,
                                     work->data(), work->size()});
  const float *block = work->data() + call.count * size_t(context->rank);
  return [work, reduce, block, call] {
    reduce();
    memcpy(call.output, block, call.count * sizeof(float));
  };
}

static std::function<void()>
reduceScatter(const std::shared_ptr<gloo::rendezvous::Context> &context,
              const Call &call) {
  size_t world = size_t(context->size);
  // It leaves the result at the start of a buffer of the input's size.
  auto work = std::make_shared<std::vector<float>>(call.count * world);
  auto algorithm = std::make_shared<gloo::ReduceScatterHalvingDoubling<float>>(
      context, std::vector<float *>{work->data()}, int(call.count * world),
      std::vector<int>(world, int(call.count)));
  return [work, algorithm, call] {
    memcpy(work->data(), call.input, work->size() * sizeof(float));
    algorithm->run();
    memcpy(call.output, work->data(), call.count * sizeof(float));
  };
}

using Algorithm = gloo::AllreduceOptions::Algorithm;
static const std::vector<Variant> variants[4] = {
    {{"ring", Async, allReduce<Algorithm::RING>},
     {"bcube", Async, allReduce<Algorithm::BCUBE>},
     {"halving_doubling", Async,
      allReduceInPlace<gloo::AllreduceHalvingDoubling>},
     {"halving_doubling_sync", Sync,
      allReduceInPlace<gloo::AllreduceHalvingDoubling>, Half},
     {"halving_doubling_poll", Polling,
      allReduceInPlace<gloo::AllreduceHalvingDoubling>, Half},
     {"ring_chunked", Async, allReduceInPlace<gloo::AllreduceRingChunked>},
     {"ring_chunked_sync", Sync, allReduceInPlace<gloo::AllreduceRingChunked>}},
    {{"ring", Async, allGather},
     {"ring_older_sync", Sync, allGatherOlder},
     {"ring_older_poll", Polling, allGatherOlder}},
    {{"all_reduce_ring", Async, reduceScatterByAllReduce<Algorithm::RING>},
     {"all_reduce_bcube", Async, reduceScatterByAllReduce<Algorithm::BCUBE>},
     {"halving_doubling_sync", Sync, reduceScatter, Half},
     {"halving_doubling_poll", Polling, reduceScatter, Half}},
    {{"default", Async, allToAll}},
};

static thread_local std::string lastError;

/// Runs `body`; Gloo reports by exceptions.
template <typename Body> static const char *guarded(Body body) {
  try {
    body();
    return nullptr;
  } catch (const std::exception &error) {
    lastError = error.what();
    return lastError.c_str();
  }
}

static const char *create(const rcclx_bench_group *group, void **out) {
  return guarded([&] {
    auto state = std::make_unique<State>();
    state->world = group->world;
    gloo::transport::tcp::attr attributes;
    attributes.iface = "lo";
    state->device = gloo::transport::tcp::CreateDevice(attributes);
    for (Links links : {Async, Sync, Polling}) {
      auto context = std::make_shared<gloo::rendezvous::Context>(
          int(group->rank), int(group->world));
      context->setTimeout(std::chrono::milliseconds(group->timeout_ms));
      ExchangeStore store(*group);
      context->connectFullMesh(store, state->device);
      for (int rank = 0; rank != int(group->world); ++rank)
        if (links != Async && rank != int(group->rank))
          context->getPair(rank)->setSync(true, links == Polling);
      state->contexts[links] = context;
    }
    state->description = "Gloo " + std::to_string(GLOO_VERSION_MAJOR) + "." +
                         std::to_string(GLOO_VERSION_MINOR) + "." +
                         std::to_string(GLOO_VERSION_PATCH) + ", tcp on lo";
    *out = state.release();
  });
}

static const char *describe(void *state) {
  return static_cast<State *>(state)->description.c_str();
}

/// Whether no rank can wait for ever, and none that polls keeps the processor
/// from another one.
static bool canRun(const Variant &variant, uint32_t world, size_t bytes) {
  constexpr size_t socketBytes = 4u << 20; // Linux: the usual limit of a sender
  if (variant.links == Async)
    return true;
  // Not the affinity: a rank may be pinned to a processor of its own.
  if (variant.links == Polling && sysconf(_SC_NPROCESSORS_ONLN) < long(world))
    return false;
  return bytes / (variant.message == Half ? 2 : world) <= socketBytes;
}

static const char *variant(void *rawState, rcclx_bench_collective collective,
                           size_t bytes, uint32_t index) {
  auto *state = static_cast<State *>(rawState);
  const std::vector<Variant> &list = variants[collective];
  if (index >= list.size())
    return nullptr;
  return canRun(list[index], state->world, bytes) ? list[index].name : "";
}

static const char *open(void *rawState, const rcclx_bench_call *call,
                        void **out) {
  return guarded([&] {
    auto *state = static_cast<State *>(rawState);
    const Variant &variant = variants[call->collective][call->variant];
    *out = new Operation{variant.make(state->contexts[variant.links], *call)};
  });
}

static const char *run(void *operation) {
  return guarded([&] { static_cast<Operation *>(operation)->run(); });
}

static void close(void *operation) {
  delete static_cast<Operation *>(operation);
}

static void destroy(void *state) {
  (void)guarded([&] { delete static_cast<State *>(state); });
}

extern "C" __attribute__((visibility("default"))) const rcclx_bench_peer *
rcclx_bench_peer_query() {
  static const rcclx_bench_peer peer = {RCCLX_BENCH_PEER_VERSION,
                                        "gloo",
                                        create,
                                        describe,
                                        variant,
                                        open,
                                        run,
                                        close,
                                        destroy};
  return &peer;
}
