//===- KernelFailure.cpp - What a kernel reports, in words ----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "KernelFailure.h"

namespace rcclx::runtime {

static const char *waitName(uint32_t kind) {
  switch (kind) {
  case RCCLX_WAIT_STARTED:
    return "its start";
  case RCCLX_WAIT_MESSAGE:
    return "a message";
  case RCCLX_WAIT_CREDIT:
    return "a free slot";
  case RCCLX_WAIT_PULL:
    return "data in its window";
  case RCCLX_WAIT_PULL_CREDIT:
    return "its reading of the window";
  }
  return "an unknown event";
}

namespace {
/// The `started` word of block 0.
struct Started {
  uint64_t call;
  uint64_t hash;
};
} // namespace

static Started readStarted(const char *region) {
  auto *words = reinterpret_cast<const rcclx_u64 *>(region + RCCLX_STARTED);
  // Relaxed: for a message to people; the two words may be of different calls.
  return {__atomic_load_n(words, __ATOMIC_RELAXED),
          __atomic_load_n(words + 1, __ATOMIC_RELAXED)};
}

KernelFailure describeKernelFailure(const rcclx_kernel_params &params,
                                    const std::vector<rcclx_peer> &peers,
                                    const Manifest &manifest,
                                    uint64_t timeoutMs) {
  uint64_t failure =
      __atomic_load_n(&params.control->failure, __ATOMIC_RELAXED);
  uint64_t call =
      __atomic_load_n(&params.control->failure_call, __ATOMIC_RELAXED);
  uint32_t code = failure & 0xff;
  uint32_t kind = failure >> 8 & 0xff;
  uint64_t waited = (failure >> 16) - 1;
  uint32_t blocks = std::max(inputBlocks(manifest.contract, manifest.world),
                             outputBlocks(manifest.contract, manifest.world));
  uint64_t bytes = params.count * blocks * elementBytes(manifest.element);
  std::string what =
      fmt::format("rank {}: {} of {} bytes", params.rank, manifest.name, bytes);
  if (waited >= params.world)
    return {makeError(Code::Internal, "{} failed with a malformed report {:#x}",
                      what, failure),
            params.rank};
  what +=
      code == RCCLX_FAILURE_DEADLINE
          ? fmt::format(" waited {} ms for rank {} ({}, call {} of the two)",
                        timeoutMs, waited, waitName(kind), call)
          : fmt::format(" was stopped while it waited for rank {}", waited);

  // What this rank wrote to a peer is what that peer should have written here.
  std::string lag, others;
  uint32_t laggard = params.world, stranger = params.world;
  for (uint32_t peer = 0; peer != params.world; ++peer) {
    if (peer == params.rank || !(params.edges[peer / 64] >> (peer % 64) & 1))
      continue;
    Started theirs = readStarted(peers[peer].in);
    Started mine = readStarted(peers[peer].out);
    if (theirs.call < mine.call) {
      laggard = std::min(laggard, peer);
      lag += fmt::format("{}rank {} (at call {}, here {})",
                         lag.empty() ? "" : ", ", peer, theirs.call, mine.call);
    } else if (theirs.call == mine.call && theirs.hash != mine.hash) {
      stranger = std::min(stranger, peer);
      others +=
          fmt::format("{}rank {} (plan {:016x}, here {:016x})",
                      others.empty() ? "" : ", ", peer, theirs.hash, mine.hash);
    }
  }
  uint32_t culprit = uint32_t(waited);
  if (laggard != params.world) {
    culprit = laggard;
    what += "; not started: " + lag;
  }
  if (stranger != params.world) {
    if (laggard == params.world)
      culprit = stranger;
    what += "; in another plan: " + others;
  }
  return {Status(Code::Timeout, std::move(what)), culprit};
}

} // namespace rcclx::runtime
