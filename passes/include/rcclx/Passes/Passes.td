//===- Passes.td - Passes over schedules --------------------*- tablegen -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_PASSES_TD
#define RCCLX_PASSES_TD

include "mlir/Pass/PassBase.td"

def Specialize : Pass<"rcclx-specialize", "::mlir::ModuleOp"> {
  let summary = "bind world size, element type, reduction and root";
  let description = [{
    Replaces every collective's `%world` and `rcclx.root` by constants and
    records what was bound as its `bind` attribute. Later passes and the plan
    rely on it.
  }];
  let options = [
    Option<"world", "world", "uint32_t", "0", "number of ranks, 1 to 256">,
    Option<"element", "element", "std::string", "\"f32\"",
           "element type, as f32, bf16, f8E4M3FN or u8 (docs/Numerics.md)">,
    Option<"reduction", "reduction", "std::string", "\"sum\"",
           "reduction: sum, prod, min, max, avg or premul_sum">,
    Option<"root", "root", "uint32_t", "0",
           "root of a broadcast, reduce, gather or scatter">,
    ListOption<"permutation", "permutation", "int32_t",
               "for a permute: the rank that each rank's input goes to; "
               "none: the next one">,
  ];
  let dependentDialects = ["::rcclx::RcclxDialect",
                           "::mlir::arith::ArithDialect"];
}

def VerifySchedule : Pass<"rcclx-verify", "::mlir::ModuleOp"> {
  let summary = "prove result, matching, deadlock- and race-freedom";
  let description = [{
    Executes every collective for a world size over all ranks and refuses, at
    the author's line and with rank and chunk as the counter-example: a result
    that misses, doubles or misplaces a contribution; an unmatched or mis-sized
    message; a deadlock under k slots; a race; an output element written twice
    or never. docs/Verification.md says exactly what is proved.
  }];
  let options = [
    Option<"world", "world", "uint32_t", "0",
           "number of ranks; 0: what rcclx-specialize bound">,
    Option<"slots", "slots", "uint32_t", "2",
           "messages of an ordered pair of ranks that may be under way">,
    Option<"report", "report", "bool", "false",
           "emit a remark with operations, messages and the least safe k">,
    Option<"roots", "roots", "bool", "false",
           "where nothing is bound: prove for every root, not for 0 only">,
  ];
}

def FormStages : Pass<"rcclx-form-stages", "::mlir::ModuleOp"> {
  let summary = "fuse the dataflow into element-wise stages";
  let description = [{
    Makes one `rcclx.stage` of every connected part of the dataflow: what is
    linked by chunks and accumulators runs as one loop over element groups,
    with registers, not memory, between the operations. A loop goes inside the
    stage where its iterations share a value, as a reduction over peers does;
    otherwise it stays outside, as a sequence of stages. A load of the input is
    repeated in each stage that uses it, so that a stage that only sends waits
    for nothing. The result is proved again. Stages that are independent on all
    ranks, as those of two rings are, get block groups of their own.
  }];
  let options = [
    Option<"prove", "prove", "bool", "true",
           "prove the result and find block groups; false: for tests that run "
           "schedules which are wrong">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SelectProtocol : Pass<"rcclx-select-protocol", "::mlir::ModuleOp"> {
  let summary = "choose ll, sentinel or flag for every edge";
  let description = [{
    By legality first. `flag` announces a tile at once: illegal in a stage that
    waits again after it has sent. `sentinel` finds arrival in the data: legal
    for float messages that feed a reduction only, or that hold the canonical
    values of `round` and `finish`. `ll` is always legal. Then by size. Both ends
    of an edge get the same protocol; peers' memory is read by `direct`.
  }];
  let options = [
    Option<"protocol", "protocol", "std::string", "\"\"",
           "ll, sentinel or flag wherever legal; empty: choose by size">,
    Option<"kind", "kind", "std::string", "\"host\"", "kind of device: host or gpu">,
    Option<"count", "count", "uint64_t", "1", "elements of a block of the call">,
  ];
}

def MapToBlocks : Pass<"rcclx-map-to-blocks", "::mlir::ModuleOp"> {
  let summary = "choose grid, threads, tile and pipeline depth";
  let description = [{
    Sets each staged collective's `map` attribute from the kind of device, the
    count and the number of tags, so that `depth` tiles of every message fit
    into the slots of a pair. All ranks get the same mapping.
  }];
  let options = [
    Option<"kind", "kind", "std::string", "\"host\"", "kind of device: host or gpu">,
    Option<"count", "count", "uint64_t", "1", "elements of a block of the call">,
    Option<"maxTile", "max-tile", "uint32_t", "0",
           "element groups of a tile at most; 0: choose. For tests of pipelining">,
    Option<"maxDepth", "max-depth", "uint32_t", "0",
           "tiles in flight at most; 0: choose">,
    Option<"grid", "grid", "uint32_t", "0",
           "blocks of a block group; 0: choose">,
  ];
}

def ConvertRcclxToKernel : Pass<"convert-rcclx-to-kernel", "::mlir::ModuleOp"> {
  let summary = "lower staged collectives to kernels";
  let description = [{
    The nest is tile > stage > element group > peers. Each stage becomes three
    phases: waits for what it receives and for free slots, then an acquire; the
    element loop; then a release and the signals. `ll` and `sentinel` wait inside
    the element loop instead. Where peers' memory is read, the own input is
    published in the window first, tile by tile, and the call ends when all
    readers are done.
  }];
  let dependentDialects = ["::rcclx::kernel::KernelDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def VerifyKernel : Pass<"rcclx-verify-kernel", "::mlir::ModuleOp"> {
  let summary = "prove that kernels do what their schedules do";
  let description = [{
    Runs every kernel for all ranks of its world, tile by tile, through successive
    calls of 0, 1, `depth` and `depth` + 2 tiles with a tail, and refuses: data of
    another call, tile, rank or place; a slot, window or buffer that is accessed in
    no order with its other end; a slot that is not reset; a wait that never ends;
    a result other than the very terms of the schedule that it implements, which
    stands beside it. docs/Verification.md says exactly what is proved.
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "emit a remark with calls, steps and time">,
  ];
}

#endif // RCCLX_PASSES_TD
