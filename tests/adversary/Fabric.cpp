//===- Fabric.cpp - The memory of all ranks -------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Fabric.h"

#include "Plans.h"

#include <algorithm>

namespace rcclx::adversary {

using namespace runtime;

static constexpr uint64_t callWordBytes = 8 * RCCLX_MAX_BLOCKS;

static rcclx_u64 *words(char *at) { return reinterpret_cast<rcclx_u64 *>(at); }

Fabric::Fabric(uint32_t world) : world(world), peers(world) {
  std::unique_ptr<Device> device = createHostDevice();
  for (uint32_t rank = 0; rank != world; ++rank) {
    auto a = device->allocate(RCCLX_WINDOW_BYTES +
                              uint64_t(world) * RCCLX_REGION_BYTES);
    auto b = device->allocate(4096 + world * callWordBytes);
    if (!a || !b)
      giveUp((a ? b.status() : a.status()).message());
    shared.push_back(*std::move(a));
    own.push_back(*std::move(b));
  }
  for (uint32_t r = 0; r != world; ++r)
    for (uint32_t p = 0; p != world; ++p)
      peers[r].push_back({region(p, r), region(r, p), shared[p]->data(),
                          words(own[r]->data() + 4096 + p * callWordBytes)});
}

char *Fabric::region(uint32_t from, uint32_t to) const {
  return shared[to]->data() + RCCLX_WINDOW_BYTES +
         uint64_t(from) * RCCLX_REGION_BYTES;
}

rcclx_control &Fabric::control(uint32_t rank) const {
  return *reinterpret_cast<rcclx_control *>(own[rank]->data());
}

rcclx_kernel_params Fabric::params(uint32_t rank,
                                   const Manifest &manifest) const {
  rcclx_kernel_params p = {};
  p.version = RCCLX_PARAMS_VERSION;
  p.rank = rank;
  p.world = world;
  p.plan_hash = manifest.hash;
  p.window = shared[rank]->data();
  p.control = &control(rank);
  std::copy(manifest.edges[rank].begin(), manifest.edges[rank].end(), p.edges);
  std::copy(manifest.readers[rank].begin(), manifest.readers[rank].end(),
            p.readers);
  if (world <= RCCLX_INLINE_PEERS)
    std::copy(peers[rank].begin(), peers[rank].end(), p.peers);
  p.peer_table = peers[rank].data();
  return p;
}

void Fabric::setCalls(uint64_t calls) {
  for (uint32_t r = 0; r != world; ++r)
    for (uint32_t p = 0; p != world; ++p) {
      std::fill_n(peers[r][p].call, RCCLX_MAX_BLOCKS, calls);
      char *in = region(p, r);
      for (uint32_t b = 0; b != RCCLX_MAX_BLOCKS; ++b)
        words(in + RCCLX_STARTED)[2 * b] = calls;
      // A counter holds 40 bits of a call's number: one that was never written
      // must not look like a call to come.
      for (uint32_t at = RCCLX_SIGNAL; at != RCCLX_LL; at += 8)
        *words(in + at) = calls << 24 | 1;
    }
}

std::string Fabric::checkAtRest() const {
  for (uint32_t to = 0; to != world; ++to)
    for (uint32_t from = 0; from != world; ++from) {
      const rcclx_u64 *begin = words(region(from, to) + RCCLX_LL);
      const rcclx_u64 *end = words(region(from, to) + RCCLX_FLAG);
      const rcclx_u64 *dirty =
          std::find_if(begin, end, [](rcclx_u64 v) { return v != 0; });
      if (dirty != end)
        return fmt::format("a slot of rank {} at rank {} is not clean: byte {} "
                           "of the region",
                           from, to, RCCLX_LL + (dirty - begin) * 8);
    }
  return "";
}

} // namespace rcclx::adversary
