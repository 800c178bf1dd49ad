//===- RcclxOps.td - Operations of the schedule dialect ----*- tablegen -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_OPS_TD
#define RCCLX_OPS_TD

include "rcclx/Dialect/Rcclx/RcclxDialect.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Rcclx_Op<string mnemonic, list<Trait> traits = []>
    : Op<Rcclx_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Memory resources: what keeps passes from merging, moving or dropping messages
//===----------------------------------------------------------------------===//

def Rcclx_Messages : Resource<"::rcclx::MessagesResource">;

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def Rcclx_CollectiveOp : Rcclx_Op<"collective", [
    IsolatedFromAbove, Symbol, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "a schedule: the program that every rank runs";
  let description = [{
    `implements` names the contract that `rcclx-verify` proves. The body's two
    arguments are the rank that runs it and the number of ranks.

    ```mlir
    rcclx.collective @ring implements all_reduce (%rank, %world) { ... }
    ```

    Only `rcclx`, `arith`, `scf.for` and `scf.if` operations are allowed inside,
    so that every rank's control flow can be executed at compile time.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Rcclx_ContractAttr:$contract,
                       OptionalAttr<Rcclx_SpecializationAttr>:$spec,
                       OptionalAttr<Rcclx_MappingAttr>:$mapping);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `implements` custom<Contract>($contract) (`bind` $spec^)?
    (`map` $mapping^)? custom<Body>($body) attr-dict
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getRank() { return getBody().getArgument(0); }
    ::mlir::BlockArgument getWorld() { return getBody().getArgument(1); }
  }];
}

def Rcclx_ReturnOp : Rcclx_Op<"return", [Terminator, HasParent<"CollectiveOp">, Pure]> {
  let summary = "ends a schedule";
  let assemblyFormat = "attr-dict";
}

def Rcclx_ShiftOp : Rcclx_Op<"shift", [Pure, SameOperandsAndResultType]> {
  let summary = "the rank that is `offset` places further round the ring: (rank + offset) mod world";
  let description = [{
    `offset` may be negative; the result lies in 0..world-1.

    ```mlir
    %next = rcclx.shift %rank by %c1
    ```
  }];
  let arguments = (ins Index:$rank, Index:$offset);
  let results = (outs Index:$peer);
  let assemblyFormat = "$rank `by` $offset attr-dict";
}

def Rcclx_RootOp : Rcclx_Op<"root", [Pure]> {
  let summary = "the rank that a broadcast or scatter comes from, a reduce or gather goes to";
  let description = [{
    Bound by `rcclx-specialize`, as the world is; 0 where nothing is bound.

    ```mlir
    %root = rcclx.root
    %minus = arith.subi %c0, %root : index
    %relative = rcclx.shift %rank by %minus // 0 on the root
    ```
  }];
  let results = (outs Index:$root);
  let assemblyFormat = "attr-dict";
}

def Rcclx_DestinationOfOp : Rcclx_Op<"destination_of", [Pure, SameOperandsAndResultType]> {
  let summary = "the rank that the input of `rank` goes to, in a permute";
  let description = [{
    The permutation is bound by `rcclx-specialize`; the next rank of the ring
    where nothing is bound. A rank may be its own destination.

    ```mlir
    %to = rcclx.destination_of %rank
    ```
  }];
  let arguments = (ins Index:$rank);
  let results = (outs Index:$destination);
  let assemblyFormat = "$rank attr-dict";
}

def Rcclx_SourceOfOp : Rcclx_Op<"source_of", [Pure, SameOperandsAndResultType]> {
  let summary = "the rank whose input goes to `rank`, in a permute";
  let description = [{
    `source_of (destination_of r)` is r.

    ```mlir
    %from = rcclx.source_of %rank
    ```
  }];
  let arguments = (ins Index:$rank);
  let results = (outs Index:$source);
  let assemblyFormat = "$rank attr-dict";
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

def Rcclx_BufferOp : Rcclx_Op<"buffer", [Pure]> {
  let summary = "all of a buffer, or of one of its blocks";
  let description = [{
    A buffer that has one block per rank (the output of all_gather and gather,
    the input of reduce_scatter and scatter, both of all_to_all) is named by
    block. Only the root has an input in broadcast and scatter, and an output in
    reduce and gather. `scratch` is the rank's
    own memory for the call: one block per rank, as large as any other block,
    with nothing in it at entry.

    ```mlir
    %in = rcclx.buffer input
    %theirs = rcclx.buffer output block(%p)
    %partial = rcclx.buffer scratch block(%p)
    ```
  }];
  let arguments = (ins Rcclx_BufferKindAttr:$buffer, Optional<Index>:$block);
  let results = (outs Rcclx_SliceType:$slice);
  let assemblyFormat = "custom<Buffer>($buffer) (`block` `(` $block^ `)`)? attr-dict";
}

def Rcclx_PartOp : Rcclx_Op<"part", [Pure]> {
  let summary = "part `index` of `count` equal parts of a slice";
  let description = [{
    With `for`, the slice of `length` successive parts. Parts of parts multiply:
    part j of m in part i of n is part i*m+j of n*m.

    ```mlir
    %mine = rcclx.part %rank of %world in %in
    %half = rcclx.part %i for %k of %world in %in
    ```
  }];
  let arguments = (ins Index:$index, Optional<Index>:$length, Index:$count,
                       Rcclx_SliceType:$source);
  let results = (outs Rcclx_SliceType:$slice);
  let assemblyFormat = "$index (`for` $length^)? `of` $count `in` $source attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Rcclx_LoadOp : Rcclx_Op<"load", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "reads a slice";
  let description = [{
    A slice of `input` gives the contents at entry, also where the call is in
    place. `output` and `scratch` are read in program order. `at` reads the
    memory of another rank and implies no order between the ranks.

    ```mlir
    %x = rcclx.load %mine
    %y = rcclx.load %mine at %p
    ```
  }];
  let arguments = (ins Rcclx_SliceType:$source, Optional<Index>:$at);
  let results = (outs Rcclx_ChunkType:$chunk);
  let assemblyFormat = "$source (`at` $at^)? attr-dict";
}

def Rcclx_StoreOp : Rcclx_Op<"store", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "writes a chunk to a slice of the output or of scratch";
  let description = [{
    Every element of the output is written exactly once by its owner, or by
    `at` from another rank; an element of scratch at most once.
  }];
  let arguments = (ins Rcclx_ChunkType:$chunk, Rcclx_SliceType:$destination,
                       Optional<Index>:$at);
  let assemblyFormat = "$chunk `,` $destination (`at` $at^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

def Rcclx_SendOp : Rcclx_Op<"send", [MemoryEffects<[MemWrite<Rcclx_Messages>]>]> {
  let summary = "sends a chunk to a rank";
  let description = [{
    A message is named by source, destination and tag (0 where none is given).
    Between two ranks a tag is used once in a call, and tags rise on both ends.
    A rank may send to itself.
  }];
  let arguments = (ins Rcclx_ChunkType:$chunk, Index:$peer, Optional<Index>:$tag,
                       OptionalAttr<Rcclx_ProtocolAttr>:$protocol);
  let assemblyFormat = "$chunk `to` $peer (`tag` $tag^)? (`by` $protocol^)? attr-dict";
}

def Rcclx_RecvOp : Rcclx_Op<"recv", [
    MemoryEffects<[MemRead<Rcclx_Messages>, MemWrite<Rcclx_Messages>]>]> {
  let summary = "receives a chunk from a rank";
  let description = [{
    The receiver states the extent: `like` names a slice of the same place and
    length, in any buffer or block; `rcclx-verify` compares it with what is
    sent.
  }];
  let arguments = (ins Rcclx_SliceType:$like, Index:$peer, Optional<Index>:$tag,
                       OptionalAttr<Rcclx_ProtocolAttr>:$protocol);
  let results = (outs Rcclx_ChunkType:$chunk);
  let assemblyFormat = [{
    `like` $like `from` $peer (`tag` $tag^)? (`by` $protocol^)? attr-dict
  }];
}

def Rcclx_SignalOp : Rcclx_Op<"signal", [MemoryEffects<[MemWrite<Rcclx_Messages>]>]> {
  let summary = "sends an empty message: order without data";
  let arguments = (ins Index:$peer, Optional<Index>:$tag);
  let assemblyFormat = "`to` $peer (`tag` $tag^)? attr-dict";
}

def Rcclx_WaitOp : Rcclx_Op<"wait", [
    MemoryEffects<[MemRead<Rcclx_Messages>, MemWrite<Rcclx_Messages>]>]> {
  let summary = "receives an empty message";
  let description = [{
    What the sender did before its `signal` has happened before what follows.
  }];
  let arguments = (ins Index:$peer, Optional<Index>:$tag);
  let assemblyFormat = "`from` $peer (`tag` $tag^)? attr-dict";
}

def Rcclx_BarrierOp : Rcclx_Op<"barrier", [
    MemoryEffects<[MemRead<Rcclx_Messages>, MemWrite<Rcclx_Messages>]>]> {
  let summary = "an empty message to every other rank, and one from each";
  let description = [{
    What any rank did before its barrier has happened before what any rank does
    after its own. Signals and waits of one tag: between two ranks it is used
    once, and rises, as the tags of other messages do.

    ```mlir
    rcclx.barrier tag %c1
    ```
  }];
  let arguments = (ins Optional<Index>:$tag);
  let assemblyFormat = "(`tag` $tag^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

def Rcclx_IdentityOp : Rcclx_Op<"identity", [Pure]> {
  let summary = "the neutral element of the reduction";
  let results = (outs Rcclx_AccType:$acc);
  let assemblyFormat = "attr-dict";
}

def Rcclx_ReduceOp : Rcclx_Op<"reduce", [Pure]> {
  let summary = "adds a chunk to a running reduction";
  let description = [{
    The chunk is widened exactly, then combined with one rounding
    (docs/Numerics.md). The order of a reduction is the schedule's.
  }];
  let arguments = (ins Rcclx_AccType:$acc, Rcclx_ChunkType:$chunk);
  let results = (outs Rcclx_AccType:$result);
  let assemblyFormat = "$acc `,` $chunk attr-dict";
}

def Rcclx_RoundOp : Rcclx_Op<"round", [Pure]> {
  let summary = "a partial result in the element type, as for a further hop";
  let arguments = (ins Rcclx_AccType:$acc);
  let results = (outs Rcclx_ChunkType:$chunk);
  let assemblyFormat = "$acc attr-dict";
}

def Rcclx_FinishOp : Rcclx_Op<"finish", [Pure]> {
  let summary = "the final result: post-scaling as avg needs, then rounding";
  let arguments = (ins Rcclx_AccType:$acc);
  let results = (outs Rcclx_ChunkType:$chunk);
  let assemblyFormat = "$acc attr-dict";
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

def Rcclx_StageOp : Rcclx_Op<"stage", [
    SingleBlockImplicitTerminator<"YieldOp">, NoRegionArguments,
    RecursiveMemoryEffects]> {
  let summary = "operations over one slice that run as one element-wise loop";
  let description = [{
    Made by `rcclx-form-stages`. For each group of elements of `over`, the
    operations of the body run once, and every chunk and accumulator in it lives
    in registers: nothing between receive and store goes through memory.
    `group` is the block group that runs the stage; stages of different groups
    run side by side.
  }];
  let arguments = (ins Rcclx_SliceType:$over,
                       DefaultValuedProp<I64Prop, "0">:$group);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`over` $over (`group` `(` $group^ `)`)? $body attr-dict";
}

def Rcclx_YieldOp : Rcclx_Op<"yield", [Terminator, Pure, HasParent<"StageOp">]> {
  let summary = "ends a stage";
  let assemblyFormat = "attr-dict";
}

#endif // RCCLX_OPS_TD
