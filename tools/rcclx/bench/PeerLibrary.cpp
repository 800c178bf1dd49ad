//===- PeerLibrary.cpp - Libraries behind rcclx_bench_peer.h --------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Library.h"

#include "rcclx/Runtime/DynamicLibrary.h"
#include "rcclx_bench_peer.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace rcclx::tool {

using namespace runtime;

namespace {
class PeerOperation : public Operation {
public:
  PeerOperation(const rcclx_bench_peer &peer, void *operation)
      : peer(peer), operation(operation) {}
  ~PeerOperation() override { peer.close(operation); }
  Status run() override {
    if (const char *error = peer.run(operation))
      return makeError(Code::Remote, "{}: {}", peer.name, error);
    return Status();
  }

private:
  const rcclx_bench_peer &peer;
  void *operation;
};

class PeerLibrary : public Library {
public:
  explicit PeerLibrary(const rcclx_bench_peer &peer) : peer(peer) {}
  ~PeerLibrary() override {
    if (state)
      peer.destroy(state);
  }

  Status connect(Meeting &meeting, uint64_t timeoutMs) {
    group = {meeting.rank(), meeting.world(), timeoutMs, &meeting,
             [](void *context, const void *mine, size_t bytes, void *all) {
               auto *meeting = static_cast<Meeting *>(context);
               if (bytes > MeetingMemory::maxBlob)
                 return 1;
               Status status = meeting->exchange(mine, bytes, all);
               // The peer cannot pass the cause on.
               if (!status.isOk())
                 meeting->fail(status);
               return status.isOk() ? 0 : 1;
             }};
    if (const char *error = peer.create(&group, &state))
      return makeError(Code::Unavailable, "{}: {}", peer.name, error);
    return Status();
  }

  std::string name() const override { return peer.name; }
  std::string describe() const override { return peer.describe(state); }
  std::vector<std::string> variants(const CallShape &shape) const override {
    std::vector<std::string> names = allNames(shape);
    std::erase(names, ""); // not for this size
    return names;
  }
  Expected<std::unique_ptr<Operation>> open(const std::string &variant,
                                            const CallMemory &memory) override {
    std::vector<std::string> names = allNames(memory.shape);
    auto index = std::find(names.begin(), names.end(), variant) - names.begin();
    rcclx_bench_call call = {collectiveOf(memory.shape.contract),
                             uint32_t(index), memory.input, memory.output,
                             size_t(memory.shape.count)};
    void *operation = nullptr;
    if (const char *error = peer.open(state, &call, &operation))
      return makeError(Code::Remote, "{}: {}", peer.name, error);
    return std::unique_ptr<Operation>(new PeerOperation(peer, operation));
  }

private:
  /// By their numbers; "" for those that this size excludes.
  std::vector<std::string> allNames(const CallShape &shape) const {
    std::vector<std::string> names;
    while (const char *next =
               peer.variant(state, collectiveOf(shape.contract), shape.bytes(),
                            uint32_t(names.size())))
      names.push_back(next);
    return names;
  }

  static rcclx_bench_collective collectiveOf(Contract contract) {
    switch (contract) {
    case Contract::AllGather:
      return RCCLX_BENCH_ALL_GATHER;
    case Contract::ReduceScatter:
      return RCCLX_BENCH_REDUCE_SCATTER;
    case Contract::AllToAll:
      return RCCLX_BENCH_ALL_TO_ALL;
    default:
      return RCCLX_BENCH_ALL_REDUCE; // canBench() admits no other
    }
  }

  const rcclx_bench_peer &peer;
  rcclx_bench_group group = {};
  void *state = nullptr;
};

class CopyOperation : public Operation {
public:
  explicit CopyOperation(const CallMemory &memory)
      : from(memory.shape.bytes() / sizeof(float), 1.0f), memory(memory) {}
  Status run() override {
    // The side that is large is the call's; the other one is private.
    if (memory.shape.outputElements() == from.size())
      memcpy(memory.output, from.data(), memory.shape.bytes());
    else
      memcpy(from.data(), memory.input, memory.shape.bytes());
    return Status();
  }

private:
  std::vector<float> from;
  CallMemory memory;
};

class CopyLibrary : public Library {
public:
  std::string name() const override { return "copy"; }
  std::string describe() const override {
    return "memcpy of the larger side, all ranks at the same time";
  }
  std::vector<std::string> variants(const CallShape &) const override {
    return {"memcpy"};
  }
  Expected<std::unique_ptr<Operation>> open(const std::string &,
                                            const CallMemory &memory) override {
    return std::unique_ptr<Operation>(new CopyOperation(memory));
  }
};
} // namespace

std::vector<std::string> peerCandidates(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return {name};
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
  std::string folder(program, length > 0 ? size_t(length) : 0);
  folder.resize(std::min(folder.rfind('/'), folder.size()));
  std::string file = "librcclx_peer_" + name + ".so";
  return {folder + "/" + file, folder + "/../lib/" + file};
}

Expected<std::unique_ptr<Library>> createPeer(const std::string &name,
                                              const BenchOptions &options,
                                              Meeting &meeting) {
  RCCLX_ASSIGN_OR_RETURN(
      DynamicLibrary module,
      DynamicLibrary::open("peer " + name, peerCandidates(name)));
  auto query = reinterpret_cast<rcclx_bench_peer_query_function>(
      module.find(RCCLX_BENCH_PEER_QUERY));
  const rcclx_bench_peer *peer = query ? query() : nullptr;
  if (!peer || peer->version != RCCLX_BENCH_PEER_VERSION)
    return makeError(Code::Unavailable, "{}: no peer of version {}",
                     module.path(), RCCLX_BENCH_PEER_VERSION);
  auto library = std::make_unique<PeerLibrary>(*peer);
  RCCLX_RETURN_IF_ERROR(library->connect(meeting, options.timeoutMs));
  return std::unique_ptr<Library>(std::move(library));
}

std::unique_ptr<Library> createCopy() {
  return std::make_unique<CopyLibrary>();
}

} // namespace rcclx::tool
