//===- MapToBlocks.cpp - Choose grid, threads, tile and depth -------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/Proof.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "rcclx/Passes/Passes.h"
#include "rcclx_params.h"

namespace rcclx {
#define GEN_PASS_DEF_MAPTOBLOCKS
#include "rcclx/Passes/Passes.h.inc"
} // namespace rcclx

using namespace mlir;
using namespace rcclx;

namespace {
/// What a kind of device wants.
struct Shape {
  uint32_t grid, threads;
  uint32_t tile;      // element groups, before the slots limit it
  uint32_t smallTile; // below this, fewer tiles in flight are the lesser evil
  uint32_t depth;
};
} // namespace

/// Host: one thread a rank, tiles that stay in its cache but are long enough to
/// pay for a signal and a change of ranks on its core, and few in flight, since
/// every slot that is in use takes cache (docs/Benchmarks.md). GPU: as few
/// blocks as hold the message, up to 64, and four groups a thread in a tile.
static Shape chooseShape(bool gpu, uint64_t count, unsigned bits) {
  if (!gpu)
    return {1, 1, 4096, 1024, 2};
  uint64_t groups = std::max<uint64_t>(1, (count * bits / 8 + 15) / 16);
  uint32_t threads = groups <= 256 ? 128 : 256;
  uint32_t grid = std::clamp<uint64_t>((groups + threads - 1) / threads, 1, 64);
  return {grid, threads, grid * threads * 4, grid * threads, 4};
}

/// Bytes of a slot's element group under the widest protocol in use.
static uint32_t getGroupBytes(CollectiveOp collective) {
  uint32_t bytes = 16;
  collective.walk([&](Operation *op) {
    auto protocol = op->getAttrOfType<ProtocolAttr>("protocol");
    if (protocol && protocol.getValue() == Protocol::LL)
      bytes = 32;
  });
  return bytes;
}

namespace {
struct MapToBlocksPass : public rcclx::impl::MapToBlocksBase<MapToBlocksPass> {
  using Base::Base;

  void runOnOperation() override {
    if (kind != "host" && kind != "gpu") {
      emitError(getOperation().getLoc())
          << "unknown kind of device '" << kind << "'; expected host or gpu";
      return signalPassFailure();
    }
    for (auto collective : getOperation().getOps<CollectiveOp>())
      if (failed(mapCollective(collective)))
        return signalPassFailure();
  }

  LogicalResult mapCollective(CollectiveOp collective) {
    SpecializationAttr spec = collective.getSpecAttr();
    if (!spec)
      return collective.emitOpError(
          "is not bound; expected rcclx-specialize first");
    FailureOr<Proof> proof =
        proveSchedule(collective, spec.getWorld(), /*slots=*/UINT32_MAX);
    if (failed(proof))
      return failure();
    uint64_t pulls = 0;
    collective.walk([&](LoadOp load) { pulls += load.getAt() ? 1 : 0; });
    uint64_t tags = std::max<uint64_t>({1, proof->maxTag, pulls});

    Shape shape = chooseShape(kind == "gpu", count,
                              spec.getElement().getIntOrFloatBitWidth());
    if (grid) {
      shape.grid = grid;
      shape.tile = std::max<uint32_t>(shape.tile, grid * shape.threads);
    }
    if (maxTile)
      shape.tile = shape.smallTile = maxTile;
    if (maxDepth)
      shape.depth = maxDepth;
    uint64_t room = RCCLX_HALF_BYTES / (tags * getGroupBytes(collective));
    while (shape.depth > 1 && room / shape.depth < shape.smallTile)
      --shape.depth;
    uint64_t tile = std::min<uint64_t>(shape.tile, room / shape.depth);
    if (tile == 0)
      return collective.emitOpError("uses ")
             << tags << " tags; expected at most "
             << RCCLX_HALF_BYTES / getGroupBytes(collective)
             << ", since every message of a pair has slots of its own";
    unsigned groups = 1;
    collective.walk([&](StageOp stage) {
      groups = std::max<unsigned>(groups, stage.getGroup() + 1);
    });
    if (uint64_t(shape.grid) * groups > RCCLX_MAX_BLOCKS)
      return collective.emitOpError("has ")
             << groups << " independent parts; expected at most "
             << RCCLX_MAX_BLOCKS / shape.grid << ", with " << shape.grid
             << " blocks each";
    collective.setMappingAttr(
        MappingAttr::get(&getContext(), shape.grid * groups, groups,
                         shape.threads, tile, shape.depth, tags, /*rows=*/1));
    return success();
  }
};
} // namespace
