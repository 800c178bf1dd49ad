//===- KernelToEmitC.cpp - Lower kernels to calls of the device header ----===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "CopyLoops.h"
#include "mlir/Conversion/ArithToEmitC/ArithToEmitC.h"
#include "mlir/Conversion/SCFToEmitC/SCFToEmitC.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "rcclx/CodeGen/Passes.h"
#include "rcclx/Dialect/Kernel/Kernel.h"

namespace rcclx {
#define GEN_PASS_DEF_CONVERTKERNELTOEMITC
#include "rcclx/CodeGen/Passes.h.inc"
} // namespace rcclx

using namespace mlir;
using namespace rcclx;
using namespace rcclx::kernel;

//===----------------------------------------------------------------------===//
// Names of the device header
//===----------------------------------------------------------------------===//

namespace {
/// What the template arguments of a kernel's calls are made of.
struct Names {
  Names(FuncOp func) : context(func.getContext()) {
    // The header's names are those of the schedule in upper case and in camel
    // case: rx::F8E4M3FN, rx::PremulSum.
    element =
        "rx::" + StringRef(getElementName(func.getSpec().getElement())).upper();
    reduction = "rx::" + convertToCamelFromSnakeCase(
                             stringifyReduction(func.getSpec().getReduction()),
                             /*capitalizeFirst=*/true);
    world = std::to_string(func.getSpec().getWorld());
    groups = std::to_string(func.getMapping().getGroups());
    threads = std::to_string(func.getMapping().getThreads());
    tile = std::to_string(func.getMapping().getTile());
    depth = std::to_string(func.getMapping().getDepth());
    tags = std::to_string(func.getMapping().getTags());
  }

  static StringRef get(Protocol protocol) {
    switch (protocol) {
    case Protocol::LL:
      return "rx::LL";
    case Protocol::Sentinel:
      return "rx::Sentinel";
    case Protocol::Flag:
      return "rx::Flag";
    case Protocol::Direct:
      return "rx::Direct";
    }
    llvm_unreachable("unknown protocol");
  }

  MLIRContext *context;
  std::string element, reduction, world, groups, threads, tile, depth, tags;
};

/// A function of the header and its template arguments.
struct Callee {
  std::string name;
  SmallVector<std::string> templateArgs;
};
} // namespace

static Callee getCallee(OpenOp, const Names &n) {
  return {"rx::open", {n.threads}};
}
static Callee getCallee(CloseOp, const Names &n) {
  return {"rx::close", {n.threads}};
}
static Callee getCallee(AliveOp, const Names &) { return {"rx::alive", {}}; }
static Callee getCallee(RangeOp, const Names &n) {
  return {"rx::range", {n.element, n.tile, n.groups}};
}
static Callee getCallee(FirstOp, const Names &) { return {"rx::first", {}}; }
static Callee getCallee(StrideOp, const Names &n) {
  return {"rx::stride", {n.threads}};
}
static Callee getCallee(LimitOp, const Names &) { return {"rx::limit", {}}; }
static Callee getCallee(kernel::BufferOp op, const Names &n) {
  std::string name = "rx::" + stringifyBufferKind(op.getBuffer()).str();
  if (!op.getBlock())
    return {name, {}};
  return {name + "Block", {n.element}};
}
static Callee getCallee(SlotToOp op, const Names &n) {
  return {"rx::slotTo", {n.get(op.getProtocol()).str(), n.tile, n.depth}};
}
static Callee getCallee(SlotFromOp op, const Names &n) {
  return {"rx::slotFrom", {n.get(op.getProtocol()).str(), n.tile, n.depth}};
}
static Callee getCallee(kernel::LoadOp, const Names &n) {
  return {"rx::load", {n.element}};
}
static Callee getCallee(kernel::StoreOp, const Names &n) {
  return {"rx::store", {n.element}};
}
static Callee getCallee(kernel::SendOp op, const Names &n) {
  return {"rx::send", {n.element, n.get(op.getProtocol()).str()}};
}
static Callee getCallee(kernel::RecvOp op, const Names &n) {
  return {"rx::recvPack", {n.element, n.get(op.getProtocol()).str()}};
}
static Callee getCallee(PrescaleOp, const Names &n) {
  return {"rx::prescale", {n.element}};
}
static Callee getCallee(kernel::IdentityOp, const Names &n) {
  return {"rx::identityPack", {n.element, n.reduction}};
}
static Callee getCallee(kernel::ReduceOp, const Names &n) {
  return {"rx::reduce", {n.element, n.reduction}};
}
static Callee getCallee(kernel::RoundOp, const Names &n) {
  return {"rx::round", {n.element}};
}
static Callee getCallee(kernel::FinishOp, const Names &n) {
  return {"rx::finish", {n.element, n.reduction, n.world}};
}
static Callee getCallee(ReleaseOp, const Names &) {
  return {"rx::release", {}};
}
static Callee getCallee(AcquireOp, const Names &) {
  return {"rx::acquire", {}};
}
static Callee getCallee(PostMessageOp, const Names &n) {
  return {"rx::postMessage", {n.tags}};
}
static Callee getCallee(WaitMessageOp, const Names &n) {
  return {"rx::waitMessage", {n.tags}};
}
static Callee getCallee(WaitCreditOp, const Names &n) {
  return {"rx::waitCredit", {n.tags, n.depth}};
}
static Callee getCallee(PostCreditOp, const Names &n) {
  return {"rx::postCredit", {n.tags, n.depth}};
}
static Callee getCallee(WaitPullOp, const Names &n) {
  return {"rx::waitPull", {n.tags}};
}
static Callee getCallee(PostPullOp, const Names &n) {
  return {"rx::postPull", {n.tags}};
}
static Callee getCallee(PostWindowOp, const Names &n) {
  return {"rx::postWindow", {n.tags}};
}
static Callee getCallee(WaitWindowOp, const Names &n) {
  return {"rx::waitWindow", {n.tags, n.depth}};
}
static Callee getCallee(DrainWindowOp, const Names &n) {
  return {"rx::drainWindow", {n.tags}};
}
static Callee getCallee(InGroupOp op, const Names &n) {
  return {"rx::inGroup", {n.groups, std::to_string(op.getGroup())}};
}
static Callee getCallee(TilesOp op, const Names &n) {
  return {"rx::tiles",
          {n.element, n.tile, std::to_string(op.getNum()),
           std::to_string(op.getDen())}};
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

static emitc::OpaqueType opaque(MLIRContext *context, StringRef name) {
  return emitc::OpaqueType::get(context, name);
}

namespace {
/// One operation, one call.
template <typename OpT> struct CallHeader : OpConversionPattern<OpT> {
  CallHeader(TypeConverter &converter, const Names &names)
      : OpConversionPattern<OpT>(converter, names.context), names(names) {}

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(this->getTypeConverter()->convertTypes(op->getResultTypes(),
                                                      types)))
      return rewriter.notifyMatchFailure(op, "expected convertible results");
    Callee callee = getCallee(op, names);
    SmallVector<Attribute> arguments;
    for (const std::string &argument : callee.templateArgs)
      arguments.push_back(emitc::OpaqueAttr::get(names.context, argument));
    rewriter.replaceOpWithNewOp<emitc::CallOpaqueOp>(
        op, types, callee.name, adaptor.getOperands(), ArrayAttr(),
        arguments.empty() ? ArrayAttr() : rewriter.getArrayAttr(arguments));
    return success();
  }

  const Names &names;
};

/// The kernel's frame: parameters in, context on the stack.
struct LowerFunc : OpConversionPattern<FuncOp> {
  LowerFunc(TypeConverter &converter, const Names &names)
      : OpConversionPattern<FuncOp>(converter, names.context), names(names) {}

  LogicalResult
  matchAndRewrite(FuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MLIRContext *context = op.getContext();
    Type params = opaque(context, "RX_PARAMS");
    Type block = opaque(context, "rcclx_u32");
    auto func =
        emitc::FuncOp::create(rewriter, loc, op.getSymName(),
                              FunctionType::get(context, {params, block}, {}));
    func.setSpecifiersAttr(rewriter.getStrArrayAttr(
        {"extern \"C\"", "RX_KERNEL(" + names.threads + ")"}));

    Block *entry = func.addEntryBlock();
    rewriter.setInsertionPointToStart(entry);
    Type state = opaque(context, "rx::Context");
    Value begun = emitc::CallOpaqueOp::create(rewriter, loc, state, "rx::begin",
                                              entry->getArguments())
                      .getResult(0);
    Value variable =
        emitc::VariableOp::create(rewriter, loc, emitc::LValueType::get(state),
                                  emitc::OpaqueAttr::get(context, ""));
    emitc::AssignOp::create(rewriter, loc, variable, begun);
    Value pointer = emitc::AddressOfOp::create(
        rewriter, loc, emitc::PointerType::get(state), variable);
    Value rank = emitc::CallOpaqueOp::create(rewriter, loc,
                                             emitc::SizeTType::get(context),
                                             "rx::ownRank", pointer)
                     .getResult(0);

    TypeConverter::SignatureConversion signature(2);
    signature.remapInput(0, pointer);
    signature.remapInput(1, rank);
    Block *body = rewriter.applySignatureConversion(
        &op.getBody().front(), signature, getTypeConverter());
    rewriter.inlineBlockBefore(body, entry, entry->end());
    rewriter.eraseOp(op);
    return success();
  }

  const Names &names;
};

struct LowerReturn : OpConversionPattern<kernel::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(kernel::ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<emitc::ReturnOp>(op, Value());
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Population
//===----------------------------------------------------------------------===//

static void populateTypes(TypeConverter &converter, const Names &names) {
  MLIRContext *context = names.context;
  // The last one added is tried first.
  converter.addConversion([](Type type) -> std::optional<Type> {
    if (isa<IntegerType, emitc::OpaqueType, emitc::PointerType,
            emitc::SizeTType, emitc::LValueType>(type))
      return type;
    return std::nullopt;
  });
  converter.addConversion(
      [=](IndexType) -> Type { return emitc::SizeTType::get(context); });
  converter.addConversion([=](ContextType) -> Type {
    return emitc::PointerType::get(opaque(context, "rx::Context"));
  });
  converter.addConversion(
      [=](RangeType) -> Type { return opaque(context, "rx::Range"); });
  converter.addConversion(
      [=](BufferType) -> Type { return opaque(context, "rx::Buffer"); });
  converter.addConversion([=](SlotType) -> Type {
    return emitc::PointerType::get(opaque(context, "char"));
  });
  converter.addConversion(
      [=](GroupType) -> Type { return opaque(context, "rx::Pack"); });
  std::string acc = "rx::PackAcc<" + names.element + ">";
  converter.addConversion(
      [=](kernel::AccType) -> Type { return opaque(context, acc); });
}

template <typename... Ops>
static void populateCalls(TypeConverter &converter, RewritePatternSet &patterns,
                          const Names &names) {
  (patterns.add<CallHeader<Ops>>(converter, names), ...);
}

static void populatePatterns(TypeConverter &converter,
                             RewritePatternSet &patterns, const Names &names,
                             uint32_t world) {
  populateArithToEmitCPatterns(converter, patterns);
  populateSCFToEmitCConversionPatterns(patterns, converter);
  populateIndexToEmitCPatterns(converter, patterns, world);
  populateCopyLoopPatterns(converter, patterns, names.element, names.threads);
  patterns.add<LowerFunc>(converter, names);
  patterns.add<LowerReturn>(converter, names.context);
  populateCalls<OpenOp, CloseOp, AliveOp, InGroupOp, TilesOp, RangeOp, FirstOp,
                StrideOp, LimitOp, kernel::BufferOp, SlotToOp, SlotFromOp,
                kernel::LoadOp, kernel::StoreOp, kernel::SendOp, kernel::RecvOp,
                PrescaleOp, kernel::IdentityOp, kernel::ReduceOp,
                kernel::RoundOp, kernel::FinishOp, ReleaseOp, AcquireOp,
                PostMessageOp, WaitMessageOp, WaitCreditOp, PostCreditOp,
                WaitPullOp, PostPullOp, PostWindowOp, WaitWindowOp,
                DrainWindowOp>(converter, patterns, names);
}

namespace {
struct ConvertKernelToEmitCPass
    : public rcclx::impl::ConvertKernelToEmitCBase<ConvertKernelToEmitCPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<FuncOp> funcs(getOperation().getOps<FuncOp>());
    for (FuncOp func : funcs) {
      // What the kernel implements has served its proof.
      if (FlatSymbolRefAttr schedule = func.getScheduleAttr())
        if (Operation *op =
                SymbolTable::lookupSymbolIn(getOperation(), schedule))
          op->erase();
      Names names(func);
      TypeConverter converter;
      populateTypes(converter, names);
      RewritePatternSet patterns(&getContext());
      populatePatterns(converter, patterns, names, func.getSpec().getWorld());
      ConversionTarget target(getContext());
      target.addLegalDialect<emitc::EmitCDialect>();
      if (failed(applyFullConversion(func, target, std::move(patterns))))
        return signalPassFailure();
    }
  }
};
} // namespace
