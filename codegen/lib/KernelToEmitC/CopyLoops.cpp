//===- CopyLoops.cpp - Element loops that move groups as they are ---------===//
//
// Part of rcclx. Such a loop becomes one call, which may copy all of it at
// once: rx::put, rx::take, rx::copy. Only for protocols that leave arrival to a
// signal: with `ll` and `sentinel`, each group says that it is there.
//
//===----------------------------------------------------------------------===//

#include "CopyLoops.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "rcclx/Dialect/Kernel/Kernel.h"

using namespace mlir;
using namespace rcclx;
using namespace rcclx::kernel;

/// Whether a loop runs over all of this thread's groups of `range`.
static bool isElementLoop(scf::ForOp loop, Value range) {
  auto first = loop.getLowerBound().getDefiningOp<FirstOp>();
  auto limit = loop.getUpperBound().getDefiningOp<LimitOp>();
  return first && limit && first.getRange() == range &&
         limit.getRange() == range &&
         loop.getStep().getDefiningOp<StrideOp>() && loop.getNumResults() == 0;
}

static const char *getName(Protocol protocol) {
  switch (protocol) {
  case Protocol::Flag:
    return "rx::Flag";
  case Protocol::Direct:
    return "rx::Direct";
  case Protocol::LL:
  case Protocol::Sentinel:
    return nullptr;
  }
  llvm_unreachable("unknown protocol");
}

namespace {
/// What one call is made of: `rx::put`, say, with its protocol and its operands
/// after the context and the range.
struct CopyCall {
  const char *callee = nullptr;
  const char *protocol = nullptr; // none for rx::copy
  SmallVector<Value, 3> operands;
};

struct LowerCopyLoop : OpConversionPattern<scf::ForOp> {
  LowerCopyLoop(TypeConverter &converter, MLIRContext *context,
                StringRef element, StringRef threads)
      : OpConversionPattern(converter, context, /*benefit=*/2),
        element(element), threads(threads) {}

  LogicalResult
  matchAndRewrite(scf::ForOp loop, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto [range, call] = match(loop);
    if (!call.callee || !isElementLoop(loop, range))
      return rewriter.notifyMatchFailure(loop, "expected to move groups only");
    auto first = loop.getLowerBound().getDefiningOp<FirstOp>();
    SmallVector<Value> wanted = {first.getContext(), range};
    llvm::append_range(wanted, call.operands);
    SmallVector<Value> operands;
    if (failed(rewriter.getRemappedValues(wanted, operands)))
      return rewriter.notifyMatchFailure(loop, "expected converted operands");
    SmallVector<Attribute> arguments;
    for (StringRef name :
         {StringRef(element), StringRef(call.protocol), StringRef(threads)})
      if (!name.empty())
        arguments.push_back(emitc::OpaqueAttr::get(getContext(), name));
    emitc::CallOpaqueOp::create(rewriter, loop.getLoc(), TypeRange(),
                                call.callee, operands, ArrayAttr(),
                                rewriter.getArrayAttr(arguments));
    rewriter.eraseOp(loop);
    return success();
  }

private:
  /// The range that a loop's two operations move, and the call that does it.
  static std::pair<Value, CopyCall> match(scf::ForOp loop) {
    Block &body = *loop.getBody();
    if (!llvm::hasNItems(body, 3))
      return {};
    Operation *from = &body.front(), *to = from->getNextNode();
    Value granule = loop.getInductionVar();
    // What goes into a slot or block is what comes, at the same place.
    auto fits = [&](auto source, auto target) {
      return target.getGroup() == source->getResult(0) &&
             source.getRange() == target.getRange() &&
             source.getGranule() == granule && target.getGranule() == granule;
    };
    auto load = dyn_cast<kernel::LoadOp>(from);
    auto recv = dyn_cast<kernel::RecvOp>(from);
    auto send = dyn_cast<kernel::SendOp>(to);
    auto store = dyn_cast<kernel::StoreOp>(to);
    if (load && send && fits(load, send))
      if (const char *protocol = getName(send.getProtocol()))
        return {load.getRange(),
                {"rx::put", protocol, {load.getBase(), send.getSlot()}}};
    if (recv && store && fits(recv, store))
      if (const char *protocol = getName(recv.getProtocol()))
        return {recv.getRange(),
                {"rx::take",
                 protocol,
                 {recv.getSlot(), recv.getPeer(), store.getBase()}}};
    if (load && store && fits(load, store))
      return {load.getRange(),
              {"rx::copy", nullptr, {load.getBase(), store.getBase()}}};
    return {};
  }

  const std::string element, threads;
};
} // namespace

void rcclx::populateCopyLoopPatterns(TypeConverter &converter,
                                     RewritePatternSet &patterns,
                                     StringRef element, StringRef threads) {
  patterns.add<LowerCopyLoop>(converter, patterns.getContext(), element,
                              threads);
}
