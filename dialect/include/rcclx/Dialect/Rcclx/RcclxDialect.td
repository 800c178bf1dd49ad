//===- RcclxDialect.td - Schedule dialect, types and enums -*- tablegen -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_DIALECT_TD
#define RCCLX_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Rcclx_Dialect : Dialect {
  let name = "rcclx";
  let cppNamespace = "::rcclx";
  let summary = "Schedules of collectives: one SPMD program, run by every rank";
  let description = [{
    A schedule is a `rcclx.collective`: one body that every rank runs, over its
    own `%rank` and the number of ranks `%world`. Index arithmetic and control
    flow are upstream `arith` and `scf`. Data moves as *chunks*: immutable
    values in flight, read from a slice of a buffer, sent, received, reduced and
    stored. docs/Rationale.md says why the dialect exists and how it relates to
    `shard`, `mpi` and StableHLO's collectives.

    ```mlir
    rcclx.collective @all_gather_direct implements all_gather (%rank, %world) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %mine = rcclx.buffer input
      scf.for %k = %c0 to %world step %c1 {
        %p = rcclx.shift %rank by %k
        %x = rcclx.load %mine
        rcclx.send %x to %p
      }
      scf.for %p = %c0 to %world step %c1 {
        %theirs = rcclx.buffer output block(%p)
        %y = rcclx.recv like %mine from %p
        rcclx.store %y, %theirs
      }
      rcclx.return
    }
    ```
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Rcclx_Type<string name, string typeMnemonic> : TypeDef<Rcclx_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Rcclx_SliceType : Rcclx_Type<"Slice", "slice"> {
  let summary = "a rational interval of a buffer";
  let description = [{
    Names a place, not data. A slice is the part from a/d to (a+l)/d of one
    block of a buffer. It covers granules floor(a*g/d) to floor((a+l)*g/d),
    where g = ceil(count/G) and a granule is G elements (16 bytes), clipped at
    `count`. Equal rationals give equal boundaries, so that what is proved over
    rationals holds for every count.
  }];
}

def Rcclx_ChunkType : Rcclx_Type<"Chunk", "chunk"> {
  let summary = "immutable data in flight, in the collective's element type";
}

def Rcclx_AccType : Rcclx_Type<"Acc", "acc"> {
  let summary = "a running reduction, in the accumulator type (f32 for narrower floats)";
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

def Rcclx_Contract : I32EnumAttr<"Contract", "what a schedule implements", [
    I32EnumAttrCase<"AllReduce", 0, "all_reduce">,
    I32EnumAttrCase<"AllGather", 1, "all_gather">,
    I32EnumAttrCase<"ReduceScatter", 2, "reduce_scatter">,
    I32EnumAttrCase<"AllToAll", 3, "all_to_all">,
    I32EnumAttrCase<"Barrier", 4, "barrier">,
    I32EnumAttrCase<"Broadcast", 5, "broadcast">,
    I32EnumAttrCase<"Reduce", 6, "reduce">,
    I32EnumAttrCase<"Gather", 7, "gather">,
    I32EnumAttrCase<"Scatter", 8, "scatter">,
    I32EnumAttrCase<"Permute", 9, "permute">]> {
  let cppNamespace = "::rcclx";
  let genSpecializedAttr = 0;
}
def Rcclx_ContractAttr : EnumAttr<Rcclx_Dialect, Rcclx_Contract, "contract">;

def Rcclx_BufferKind : I32EnumAttr<"BufferKind", "a buffer of the call", [
    I32EnumAttrCase<"Input", 0, "input">,
    I32EnumAttrCase<"Output", 1, "output">,
    I32EnumAttrCase<"Scratch", 2, "scratch">]> {
  let cppNamespace = "::rcclx";
  let genSpecializedAttr = 0;
}
def Rcclx_BufferKindAttr : EnumAttr<Rcclx_Dialect, Rcclx_BufferKind, "buffer_kind">;

def Rcclx_Reduction : I32EnumAttr<"Reduction", "reduction operation", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Max", 3, "max">,
    I32EnumAttrCase<"Avg", 4, "avg">,
    I32EnumAttrCase<"PremulSum", 5, "premul_sum">]> {
  let cppNamespace = "::rcclx";
  let genSpecializedAttr = 0;
}
def Rcclx_ReductionAttr : EnumAttr<Rcclx_Dialect, Rcclx_Reduction, "reduction">;

def Rcclx_Protocol : I32EnumAttr<"Protocol", "how a message arrives", [
    I32EnumAttrCase<"LL", 0, "ll">,
    I32EnumAttrCase<"Sentinel", 1, "sentinel">,
    I32EnumAttrCase<"Flag", 2, "flag">,
    I32EnumAttrCase<"Direct", 3, "direct">]> {
  let cppNamespace = "::rcclx";
  let genSpecializedAttr = 0;
}
def Rcclx_ProtocolAttr : EnumAttr<Rcclx_Dialect, Rcclx_Protocol, "protocol">;

//===----------------------------------------------------------------------===//
// Attributes that passes put on a collective
//===----------------------------------------------------------------------===//

def Rcclx_SpecializationAttr : AttrDef<Rcclx_Dialect, "Specialization"> {
  let mnemonic = "spec";
  let summary = "what rcclx-specialize bound: world size, element type, reduction, root, permutation";
  let description = [{
    `root` is that of broadcast, reduce, gather and scatter. Entry r of
    `permutation` is the rank that the input of rank r goes to in a permute;
    without one, it is the next rank of the ring.
  }];
  let parameters = (ins "uint32_t":$world, "::mlir::Type":$element,
                        EnumParameter<Rcclx_Reduction>:$reduction,
                        DefaultValuedParameter<"uint32_t", "0">:$root,
                        OptionalParameter<"::mlir::DenseI32ArrayAttr">:$permutation);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Rcclx_MappingAttr : AttrDef<Rcclx_Dialect, "Mapping"> {
  let mnemonic = "mapping";
  let summary = "what rcclx-map-to-blocks chose: grid, threads, tile and depth";
  let description = [{
    `grid` blocks of `threads` threads run the kernel, in `groups` block groups
    of equal size, one for each set of independent stages. A tile is `tile` element
    groups of every slice; `depth` tiles are in flight; `tags` messages of a
    pair are told apart. `rows` element groups form a row that is never cut
    (1 where no operation works on rows).
  }];
  let parameters = (ins "uint32_t":$grid, "uint32_t":$groups, "uint32_t":$threads,
                        "uint32_t":$tile, "uint32_t":$depth, "uint32_t":$tags, "uint32_t":$rows);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // RCCLX_DIALECT_TD
