//===- OperandNames.cpp - What operands are called in .td files -----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "OperandNames.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "rcclx/Dialect/Kernel/Kernel.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace rcclx;

/// The operands of the operation `name`, in order, with spaces between them.
static StringRef getNames(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("rcclx.shift", "rank offset")
      .Cases({"rcclx.destination_of", "rcclx.source_of"}, "rank")
      .Cases({"rcclx.round", "rcclx.finish", "rcclx_kernel.round",
              "rcclx_kernel.finish"},
             "acc")
      .Case("rcclx_kernel.prescale", "context group")
      .Case("rcclx.buffer", "block")
      .Case("rcclx.load", "source at")
      .Case("rcclx.store", "chunk destination at")
      .Case("rcclx.send", "chunk peer tag")
      .Case("rcclx.recv", "like peer tag")
      .Cases({"rcclx.signal", "rcclx.wait"}, "peer tag")
      .Case("rcclx.barrier", "tag")
      .Cases({"rcclx.reduce", "rcclx_kernel.reduce"}, "acc chunk")
      .Case("scf.for", "lower upper step init")
      .Case("arith.select", "condition true false")
      .Cases({"arith.addi", "arith.subi", "arith.muli", "arith.cmpi",
              "arith.divsi", "arith.ceildivsi", "arith.remsi", "arith.maxsi",
              "arith.minsi", "arith.andi", "arith.ori", "arith.xori",
              "arith.shli", "arith.shrsi"},
             "lhs rhs")
      .Case("rcclx_kernel.range", "context tile a l d")
      .Case("rcclx_kernel.first", "context range")
      .Case("rcclx_kernel.limit", "range")
      .Case("rcclx_kernel.buffer", "context block")
      .Cases({"rcclx_kernel.slot_to", "rcclx_kernel.slot_from",
              "rcclx_kernel.post_message", "rcclx_kernel.wait_message",
              "rcclx_kernel.wait_credit", "rcclx_kernel.wait_pull",
              "rcclx_kernel.post_pull"},
             "context peer tag tile")
      .Case("rcclx_kernel.post_credit", "context peer tag tile tiles")
      .Cases({"rcclx_kernel.post_window", "rcclx_kernel.wait_window"},
             "context tag tile")
      .Case("rcclx_kernel.drain_window", "context tag tiles")
      .Case("rcclx_kernel.load", "base range granule")
      .Case("rcclx_kernel.store", "group base range granule")
      .Case("rcclx_kernel.send", "context group slot range granule")
      .Case("rcclx_kernel.recv", "context slot range granule peer")
      .Default("");
}

llvm::SmallVector<std::string> mutants::getOperandNames(Operation *op) {
  StringRef known = getNames(op->getName().getStringRef());
  // Its optional operand is not the last one.
  if (auto part = dyn_cast<PartOp>(op))
    known =
        part.getLength() ? "index length count source" : "index count source";
  llvm::SmallVector<StringRef> split;
  known.split(split, ' ', -1, /*KeepEmpty=*/false);
  llvm::SmallVector<std::string> names;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    names.push_back(i < split.size() ? split[i].str()
                                     : "operand " + std::to_string(i));
  return names;
}

bool mutants::isOptional(Operation *op, StringRef name) {
  if (isa<kernel::BufferOp>(op))
    return name == "block";
  return isa<RcclxDialect>(op->getDialect()) &&
         (name == "block" || name == "tag" || name == "at" || name == "length");
}
