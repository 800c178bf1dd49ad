//===- KernelOps.td - The device-level dialect --------------*- tablegen -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_KERNEL_OPS_TD
#define RCCLX_KERNEL_OPS_TD

include "rcclx/Dialect/Rcclx/RcclxDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "rcclx_kernel";
  let cppNamespace = "::rcclx::kernel";
  let summary = "One fused kernel: slots, waits, signals and element groups";
  let description = [{
    The lowered form of a schedule. A message keeps its peer, tag and tile as
    operands, so that the form can be checked against the schedule. Element
    groups and accumulators are register values; `scf` gives the loops. Every
    operation is one call of the device header (codegen/device).
  }];
  // Kernels carry its attributes.
  let dependentDialects = ["::rcclx::RcclxDialect"];
  let useDefaultTypePrinterParser = 1;
}

class Kernel_Type<string name, string typeMnemonic> : TypeDef<Kernel_Dialect, name> {
  let mnemonic = typeMnemonic;
}
def Kernel_ContextType : Kernel_Type<"Context", "context"> {
  let summary = "the state of one thread of a call: parameters, block, deadline";
}
def Kernel_RangeType : Kernel_Type<"Range", "range"> {
  let summary = "the granules of one tile of a slice that one block owns";
}
def Kernel_BufferType : Kernel_Type<"Buffer", "buffer"> {
  let summary = "one block of a user buffer";
}
def Kernel_SlotType : Kernel_Type<"Slot", "slot"> {
  let summary = "where one tile of a message lies";
}
def Kernel_GroupType : Kernel_Type<"Group", "group"> {
  let summary = "one element group, in registers";
}
def Kernel_AccType : Kernel_Type<"Acc", "acc"> {
  let summary = "a running reduction of one element group, in registers";
}

class Kernel_Op<string mnemonic, list<Trait> traits = []>
    : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_Memory : Resource<"::rcclx::kernel::MemoryResource">;
defvar Kernel_Reads = MemoryEffects<[MemRead<Kernel_Memory>]>;
defvar Kernel_Writes = MemoryEffects<[MemWrite<Kernel_Memory>]>;
defvar Kernel_Both = MemoryEffects<[MemRead<Kernel_Memory>, MemWrite<Kernel_Memory>]>;

def Kernel_FuncOp : Kernel_Op<"func", [IsolatedFromAbove, Symbol,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "a kernel: what every thread of every block runs";
  let description = [{
    The body's arguments are the thread's context and the rank. `implements`
    names the staged collective that it was made of, which stays beside it:
    rcclx-verify-kernel compares the two.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<FlatSymbolRefAttr>:$schedule,
                       Rcclx_SpecializationAttr:$spec, Rcclx_MappingAttr:$mapping);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name (`implements` $schedule^)? $spec $mapping $body attr-dict";
}
def Kernel_ReturnOp : Kernel_Op<"return", [Terminator, Pure, HasParent<"FuncOp">]> {
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

def Kernel_OpenOp : Kernel_Op<"open", [Kernel_Both]> {
  let summary = "announces the call to every peer and waits until slots are clean";
  let arguments = (ins Kernel_ContextType:$context);
  let assemblyFormat = "$context attr-dict";
}
def Kernel_CloseOp : Kernel_Op<"close", [Kernel_Both]> {
  let summary = "advances the pair call numbers";
  let arguments = (ins Kernel_ContextType:$context);
  let assemblyFormat = "$context attr-dict";
}
def Kernel_TilesOp : Kernel_Op<"tiles", [Pure]> {
  let summary = "the number of tiles of the longest slice, num/den of a block; at least 1";
  let arguments = (ins Kernel_ContextType:$context, I64Prop:$num, I64Prop:$den);
  let results = (outs Index:$tiles);
  let assemblyFormat = "$context `longest` $num `of` $den attr-dict";
}
def Kernel_AliveOp : Kernel_Op<"alive", [Kernel_Reads]> {
  let summary = "false once a wait of this thread has failed";
  let arguments = (ins Kernel_ContextType:$context);
  let results = (outs I1:$alive);
  let assemblyFormat = "$context attr-dict";
}

def Kernel_InGroupOp : Kernel_Op<"in_group", [Pure]> {
  let summary = "whether this block belongs to a block group";
  let arguments = (ins Kernel_ContextType:$context, I64Prop:$group);
  let results = (outs I1:$inGroup);
  let assemblyFormat = "$context `,` $group attr-dict";
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

// Hoisted out of loops that may not run: the header gives an empty range for
// d = 0.
def Kernel_RangeOp : Kernel_Op<"range", [Pure]> {
  let summary = "this block's granules of tile `tile` of slice (a, l, d)";
  let arguments = (ins Kernel_ContextType:$context, Index:$tile, Index:$a, Index:$l, Index:$d);
  let results = (outs Kernel_RangeType:$range);
  let assemblyFormat = "$context `tile` $tile `slice` $a `for` $l `of` $d attr-dict";
}
def Kernel_FirstOp : Kernel_Op<"first", [Pure]> {
  let summary = "the first granule of a range for this thread";
  let arguments = (ins Kernel_ContextType:$context, Kernel_RangeType:$range);
  let results = (outs Index:$granule);
  let assemblyFormat = "$context `,` $range attr-dict";
}
def Kernel_LimitOp : Kernel_Op<"limit", [Pure]> {
  let summary = "one past the last granule of a range";
  let arguments = (ins Kernel_RangeType:$range);
  let results = (outs Index:$granule);
  let assemblyFormat = "$range attr-dict";
}
def Kernel_StrideOp : Kernel_Op<"stride", [Pure]> {
  let summary = "granules from one element group of this thread to its next";
  let results = (outs Index:$granules);
  let assemblyFormat = "attr-dict";
}
def Kernel_BufferOp : Kernel_Op<"buffer", [Pure]> {
  let summary = "a block of the input or output";
  let arguments = (ins Kernel_ContextType:$context, Rcclx_BufferKindAttr:$buffer,
                       Optional<Index>:$block);
  let results = (outs Kernel_BufferType:$base);
  let assemblyFormat = "$context $buffer (`block` `(` $block^ `)`)? attr-dict";
}
def Kernel_SlotToOp : Kernel_Op<"slot_to", [Pure]> {
  let summary = "this rank's slot for a message to `peer`; `direct`: its own window";
  let arguments = (ins Kernel_ContextType:$context, Index:$peer, Index:$tag, Index:$tile,
                       Rcclx_ProtocolAttr:$protocol);
  let results = (outs Kernel_SlotType:$slot);
  let assemblyFormat = "$context `peer` $peer `tag` $tag `tile` $tile `by` $protocol attr-dict";
}
def Kernel_SlotFromOp : Kernel_Op<"slot_from", [Pure]> {
  let summary = "the slot of a message from `peer`; `direct`: the peer's window";
  let arguments = (ins Kernel_ContextType:$context, Index:$peer, Index:$tag, Index:$tile,
                       Rcclx_ProtocolAttr:$protocol);
  let results = (outs Kernel_SlotType:$slot);
  let assemblyFormat = "$context `peer` $peer `tag` $tag `tile` $tile `by` $protocol attr-dict";
}

//===----------------------------------------------------------------------===//
// Element groups
//===----------------------------------------------------------------------===//

def Kernel_LoadOp : Kernel_Op<"load", [Kernel_Reads]> {
  let summary = "reads granule `granule` of a user buffer; zeros past its end";
  let arguments = (ins Kernel_BufferType:$base, Kernel_RangeType:$range, Index:$granule);
  let results = (outs Kernel_GroupType:$group);
  let assemblyFormat = "$base `,` $range `[` $granule `]` attr-dict";
}
def Kernel_StoreOp : Kernel_Op<"store", [Kernel_Writes]> {
  let summary = "writes granule `granule` of a user buffer, not past its end";
  let arguments = (ins Kernel_GroupType:$group, Kernel_BufferType:$base,
                       Kernel_RangeType:$range, Index:$granule);
  let assemblyFormat = "$group `,` $base `,` $range `[` $granule `]` attr-dict";
}
def Kernel_SendOp : Kernel_Op<"send", [Kernel_Writes]> {
  let summary = "puts a group into a slot";
  let arguments = (ins Kernel_ContextType:$context, Kernel_GroupType:$group, Kernel_SlotType:$slot,
                       Kernel_RangeType:$range, Index:$granule, Rcclx_ProtocolAttr:$protocol);
  let assemblyFormat = "$context `,` $group `,` $slot `,` $range `[` $granule `]` `by` $protocol attr-dict";
}
def Kernel_RecvOp : Kernel_Op<"recv", [Kernel_Both]> {
  let summary = "takes a group out of a slot; `ll` and `sentinel` wait for it and reset the slot";
  let arguments = (ins Kernel_ContextType:$context, Kernel_SlotType:$slot, Kernel_RangeType:$range,
                       Index:$granule, Index:$peer, Rcclx_ProtocolAttr:$protocol);
  let results = (outs Kernel_GroupType:$group);
  let assemblyFormat = "$context `,` $slot `,` $range `[` $granule `]` `from` $peer `by` $protocol attr-dict";
}
// Pure: the scale is one value for the whole call.
def Kernel_PrescaleOp : Kernel_Op<"prescale", [Pure]> {
  let summary = "multiplies a group of the input by the call's scale (premul_sum)";
  let arguments = (ins Kernel_ContextType:$context, Kernel_GroupType:$group);
  let results = (outs Kernel_GroupType:$scaled);
  let assemblyFormat = "$context `,` $group attr-dict";
}
def Kernel_IdentityOp : Kernel_Op<"identity", [Pure]> {
  let summary = "the neutral element of the reduction";
  let results = (outs Kernel_AccType:$acc);
  let assemblyFormat = "attr-dict";
}
def Kernel_ReduceOp : Kernel_Op<"reduce", [Pure]> {
  let summary = "combines a group into a running reduction";
  let arguments = (ins Kernel_AccType:$acc, Kernel_GroupType:$group);
  let results = (outs Kernel_AccType:$result);
  let assemblyFormat = "$acc `,` $group attr-dict";
}
def Kernel_RoundOp : Kernel_Op<"round", [Pure]> {
  let summary = "a partial result in the element type";
  let arguments = (ins Kernel_AccType:$acc);
  let results = (outs Kernel_GroupType:$group);
  let assemblyFormat = "$acc attr-dict";
}
def Kernel_FinishOp : Kernel_Op<"finish", [Pure]> {
  let summary = "the final result in the element type";
  let arguments = (ins Kernel_AccType:$acc);
  let results = (outs Kernel_GroupType:$group);
  let assemblyFormat = "$acc attr-dict";
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

def Kernel_ReleaseOp : Kernel_Op<"release", [Kernel_Both]> {
  let summary = "orders all that the block did before the signals that follow";
  let arguments = (ins Kernel_ContextType:$context);
  let assemblyFormat = "$context attr-dict";
}
def Kernel_AcquireOp : Kernel_Op<"acquire", [Kernel_Both]> {
  let summary = "orders the waits before it ahead of the reads that follow";
  let arguments = (ins Kernel_ContextType:$context);
  let assemblyFormat = "$context attr-dict";
}
class Kernel_PeerOrder<string mnemonic> : Kernel_Op<mnemonic, [Kernel_Both]> {
  let arguments = (ins Kernel_ContextType:$context, Index:$peer, Index:$tag, Index:$tile);
  let assemblyFormat = "$context `peer` $peer `tag` $tag `tile` $tile attr-dict";
}
def Kernel_PostMessageOp : Kernel_PeerOrder<"post_message"> {
  let summary = "signals that a message, or an empty one, lies at the peer";
}
def Kernel_WaitMessageOp : Kernel_PeerOrder<"wait_message"> {
  let summary = "waits for the peer's signal; `acquire` follows";
}
def Kernel_WaitCreditOp : Kernel_PeerOrder<"wait_credit"> {
  let summary = "waits until the peer has taken the tile that used the slot before";
}
def Kernel_PostCreditOp : Kernel_Op<"post_credit", [Kernel_Both]> {
  let summary = "tells the peer that a slot is free, where a later tile needs it";
  let arguments = (ins Kernel_ContextType:$context, Index:$peer, Index:$tag, Index:$tile, Index:$tiles);
  let assemblyFormat = "$context `peer` $peer `tag` $tag `tile` $tile `of` $tiles attr-dict";
}
def Kernel_WaitPullOp : Kernel_PeerOrder<"wait_pull"> {
  let summary = "waits until the peer's window holds a tile; `acquire` follows";
}
def Kernel_PostPullOp : Kernel_PeerOrder<"post_pull"> {
  let summary = "tells the peer that its window's tile has been read";
}
class Kernel_WindowOrder<string mnemonic> : Kernel_Op<mnemonic, [Kernel_Both]> {
  let arguments = (ins Kernel_ContextType:$context, Index:$tag, Index:$tile);
  let assemblyFormat = "$context `tag` $tag `tile` $tile attr-dict";
}
def Kernel_PostWindowOp : Kernel_WindowOrder<"post_window"> {
  let summary = "signals to all readers that the own window holds a tile";
}
def Kernel_WaitWindowOp : Kernel_WindowOrder<"wait_window"> {
  let summary = "waits until all readers have read the tile that lay there before";
}
def Kernel_DrainWindowOp : Kernel_Op<"drain_window", [Kernel_Both]> {
  let summary = "exit synchronisation: waits until all readers have read the last tile";
  let arguments = (ins Kernel_ContextType:$context, Index:$tag, Index:$tiles);
  let assemblyFormat = "$context `tag` $tag `tiles` $tiles attr-dict";
}

#endif // RCCLX_KERNEL_OPS_TD
