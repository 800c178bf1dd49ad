//===- RcclxOps.cpp - Syntax, verifiers and effects of rcclx ops ----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "rcclx/Dialect/Rcclx/ScheduleCheck.h"

using namespace mlir;
using namespace rcclx;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// Parses one keyword of an enum and says which ones there are.
template <typename EnumT, typename AttrT>
static ParseResult
parseEnumKeyword(OpAsmParser &parser, AttrT &attr, StringRef what,
                 std::optional<EnumT> (*symbolize)(StringRef),
                 StringRef expected) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  // Editors complete what may stand here.
  SmallVector<StringRef> keywords;
  expected.split(keywords, ", ");
  if (failed(parser.parseOptionalKeyword(&keyword, keywords)) &&
      parser.parseKeyword(&keyword))
    return failure();
  std::optional<EnumT> value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc) << "unknown " << what << " '" << keyword
                                 << "'; expected one of: " << expected;
  attr = AttrT::get(parser.getContext(), *value);
  return success();
}

static ParseResult parseContract(OpAsmParser &parser, ContractAttr &contract) {
  return parseEnumKeyword<Contract, ContractAttr>(
      parser, contract, "contract", symbolizeContract,
      "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, "
      "gather, scatter, permute, barrier");
}

static void printContract(OpAsmPrinter &printer, Operation *,
                          ContractAttr contract) {
  printer << stringifyContract(contract.getValue());
}

static ParseResult parseBuffer(OpAsmParser &parser, BufferKindAttr &buffer) {
  return parseEnumKeyword<BufferKind, BufferKindAttr>(
      parser, buffer, "buffer", symbolizeBufferKind, "input, output, scratch");
}

static void printBuffer(OpAsmPrinter &printer, Operation *,
                        BufferKindAttr buffer) {
  printer << stringifyBufferKind(buffer.getValue());
}

/// `(%rank, %world) { ... }`: both arguments are of type index.
static ParseResult parseBody(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument, 2> arguments;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren))
    return failure();
  if (arguments.size() != 2)
    return parser.emitError(loc)
           << "expected the arguments (%rank, %world), found "
           << arguments.size();
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = parser.getBuilder().getIndexType();
  if (parser.parseRegion(body, arguments))
    return failure();
  CollectiveOp::ensureTerminator(body, parser.getBuilder(),
                                 parser.getEncodedSourceLoc(loc));
  return success();
}

static void printBody(OpAsmPrinter &printer, Operation *, Region &body) {
  printer << "(";
  llvm::interleaveComma(body.getArguments(), printer,
                        [&](BlockArgument a) { printer.printOperand(a); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

#define GET_OP_CLASSES
#include "rcclx/Dialect/Rcclx/RcclxOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

bool rcclx::hasBlockPerRank(Contract contract, BufferKind buffer) {
  if (buffer == BufferKind::Scratch)
    return true;
  switch (contract) {
  case Contract::AllReduce:
  case Contract::Broadcast:
  case Contract::Reduce:
  case Contract::Permute:
  case Contract::Barrier:
    return false;
  case Contract::AllGather:
  case Contract::Gather:
    return buffer == BufferKind::Output;
  case Contract::ReduceScatter:
  case Contract::Scatter:
    return buffer == BufferKind::Input;
  case Contract::AllToAll:
    return true;
  }
  llvm_unreachable("unknown contract");
}

bool rcclx::hasRoot(Contract contract) {
  return contract == Contract::Broadcast || contract == Contract::Reduce ||
         contract == Contract::Gather || contract == Contract::Scatter;
}

BufferOp rcclx::getBufferOf(Value slice) {
  // Verifiers run before dominance is checked: a part may name itself.
  SmallPtrSet<Operation *, 4> seen;
  while (auto part = slice.getDefiningOp<PartOp>()) {
    if (!seen.insert(part).second)
      return nullptr;
    slice = part.getSource();
  }
  return slice.getDefiningOp<BufferOp>();
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult PartOp::verify() {
  APInt index, length(64, 1), count;
  if (!matchPattern(getCount(), m_ConstantInt(&count)))
    return success();
  if (!count.isStrictlyPositive())
    return emitOpError("expected at least 1 part, found ")
           << count.getSExtValue();
  if (getLength() && !matchPattern(getLength(), m_ConstantInt(&length)))
    return success();
  if (!length.isStrictlyPositive())
    return emitOpError("expected a length of at least 1 part, found ")
           << length.getSExtValue();
  if (!matchPattern(getIndex(), m_ConstantInt(&index)))
    return success();
  // Subtracted, not added: the sum may overflow.
  if (index.isNegative() || length.sgt(count) || index.sgt(count - length))
    return emitOpError("expected parts within 0 to ")
           << count.getSExtValue() << ", found " << index.getSExtValue()
           << " to " << index.sadd_sat(length).getSExtValue();
  return success();
}

/// Checks what `op`, nested in `collective`, may only know from its parent.
static LogicalResult verifyNested(CollectiveOp collective, Operation *op) {
  Contract contract = collective.getContract();
  if (!isa<RcclxDialect, arith::ArithDialect>(op->getDialect()) &&
      !isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op))
    return op->emitOpError("is not allowed in a schedule; expected rcclx, "
                           "arith, scf.for or scf.if operations");
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (isa<SliceType>(argument.getType()))
        return op->emitOpError(
            "carries a slice; expected slices to be made by "
            "rcclx.buffer and rcclx.part where they are used");
  if (!isa<BufferOp, PartOp>(op) &&
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<SliceType>))
    return op->emitOpError("gives a slice; expected slices to be made by "
                           "rcclx.buffer and rcclx.part where they are used");

  if (auto buffer = dyn_cast<BufferOp>(op)) {
    if (contract == Contract::Barrier)
      return buffer.emitOpError("a barrier has no buffers");
    bool perRank = hasBlockPerRank(contract, buffer.getBuffer());
    if (perRank != static_cast<bool>(buffer.getBlock()))
      return buffer.emitOpError()
             << "the " << stringifyBufferKind(buffer.getBuffer()) << " of "
             << stringifyContract(contract)
             << (perRank ? " has one block per rank; expected block(...)"
                         : " has one block only; expected no block(...)");
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    BufferOp buffer = getBufferOf(store.getDestination());
    if (buffer && buffer.getBuffer() == BufferKind::Input) {
      InFlightDiagnostic diagnostic = store.emitOpError(
          "writes the input; expected a slice of the output or of scratch");
      diagnostic.attachNote(buffer.getLoc()) << "the slice comes from here";
      return diagnostic;
    }
  }
  if (isa<RootOp>(op) && !hasRoot(contract))
    return op->emitOpError("is used in ")
           << stringifyContract(contract)
           << ", which has no root; expected broadcast, reduce, gather or "
              "scatter";
  if (isa<DestinationOfOp, SourceOfOp>(op) && contract != Contract::Permute)
    return op->emitOpError("is used in ")
           << stringifyContract(contract)
           << ", which has no permutation; expected permute";
  if (isa<IdentityOp, ReduceOp, RoundOp, FinishOp>(op) &&
      contract != Contract::AllReduce && contract != Contract::ReduceScatter &&
      contract != Contract::Reduce)
    return op->emitOpError("reduces, but ")
           << stringifyContract(contract) << " only moves data";
  return success();
}

/// Symbols become names of kernels, files' text and manifests.
static bool isIdentifier(StringRef name) {
  return !name.empty() && name.size() <= 128 && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

LogicalResult CollectiveOp::verifyRegions() {
  if (!isIdentifier(getSymName()))
    return emitOpError(
               "expected a name of letters, digits and underscores that "
               "starts with no digit, found '")
           << getSymName() << "'";
  if (getBody().getNumArguments() != 2 ||
      !llvm::all_of(getBody().getArgumentTypes(), llvm::IsaPred<IndexType>))
    return emitOpError("expected two index arguments, rank and world");
  WalkResult result = getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    return failed(verifyNested(*this, op)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (auto *more =
          (*this)->getDialect()->getRegisteredInterface<ScheduleCheck>())
    more->check(*this);
  return success();
}

//===----------------------------------------------------------------------===//
// Memory effects
//===----------------------------------------------------------------------===//

static SideEffects::Resource *getResource(Value slice) {
  BufferOp buffer = getBufferOf(slice);
  if (buffer && buffer.getBuffer() == BufferKind::Input)
    return InputResource::get();
  if (buffer && buffer.getBuffer() == BufferKind::Scratch)
    return ScratchResource::get();
  return OutputResource::get();
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), getResource(getSource()));
}

void StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get(),
                       getResource(getDestination()));
}
