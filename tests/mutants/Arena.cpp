//===- Arena.cpp - What all ranks of one run share ------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Arena.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace rcclx::mutants;

static constexpr uint64_t guardBytes = 1 << 16;
static constexpr uint64_t callWordBytes = 8 * RCCLX_MAX_BLOCKS;
static constexpr uint64_t scratchBytes = 1 << 16; // counts are small
/// Of each half of slots: small tiles leave the rest alone.
static constexpr uint64_t lookedAtBytes = 1 << 15;

char *Arena::map(uint64_t bytes) {
  uint64_t whole = (bytes + 4095) / 4096 * 4096;
  void *at = mmap(nullptr, whole + 2 * guardBytes, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char *data = static_cast<char *>(at) + guardBytes;
  if (at == MAP_FAILED || mprotect(data, whole, PROT_READ | PROT_WRITE) != 0) {
    perror("rcclx-mutant-run: memory");
    exit(2);
  }
  mappings.emplace_back(at, whole + 2 * guardBytes);
  return data;
}

Arena::Arena(uint32_t world) : ranks(world) {
  for (Rank &rank : ranks) {
    for (uint32_t source = 0; source != world; ++source)
      rank.regions.push_back(map(RCCLX_REGION_BYTES));
    rank.window = map(RCCLX_WINDOW_BYTES);
    rank.scratch = map(scratchBytes);
    memset(rank.scratch, 0xA7, scratchBytes);
    rank.control = reinterpret_cast<rcclx_control *>(map(4096));
    rank.peers.resize(world);
    for (uint32_t peer = 0; peer != world; ++peer)
      rank.peers[peer].call = reinterpret_cast<rcclx_u64 *>(map(callWordBytes));
  }
  for (uint32_t rank = 0; rank != world; ++rank)
    for (uint32_t peer = 0; peer != world; ++peer) {
      rcclx_peer &entry = ranks[rank].peers[peer];
      entry.in = ranks[rank].regions[peer];
      entry.out = ranks[peer].regions[rank];
      entry.window = ranks[peer].window;
    }
}

Arena::~Arena() {
  for (auto [at, bytes] : mappings)
    munmap(at, bytes);
}

static void setBits(rcclx_u64 *mask, const std::vector<uint32_t> &ranks) {
  for (uint32_t rank : ranks)
    mask[rank / 64] |= rcclx_u64(1) << rank % 64;
}

rcclx_kernel_params Arena::params(uint32_t rank, uint32_t grid,
                                  const std::vector<uint32_t> &edges,
                                  const std::vector<uint32_t> &readers) const {
  const Rank &own = ranks[rank];
  rcclx_kernel_params p = {};
  p.version = RCCLX_PARAMS_VERSION;
  p.rank = rank;
  p.world = uint32_t(ranks.size());
  p.grid = grid;
  p.plan_hash = 0x1234;
  p.window = own.window;
  p.control = own.control;
  p.scratch = own.scratch;
  setBits(p.edges, edges);
  setBits(p.readers, readers);
  // Worlds are small. A rank that is out of range finds no memory.
  std::copy(own.peers.begin(), own.peers.end(), p.peers);
  return p;
}

std::string Arena::findLeftOver() const {
  static const char zero[lookedAtBytes] = {};
  for (size_t rank = 0; rank != ranks.size(); ++rank)
    for (size_t source = 0; source != ranks.size(); ++source)
      for (uint32_t slots : {RCCLX_LL, RCCLX_SENTINEL})
        for (uint32_t half : {0u, RCCLX_HALF_BYTES})
          if (memcmp(ranks[rank].regions[source] + slots + half, zero,
                     lookedAtBytes) != 0)
            return "rank " + std::to_string(rank) +
                   " has a message left of rank " + std::to_string(source);
  return "";
}
