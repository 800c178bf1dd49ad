//===- IndexToEmitC.cpp - Index operations that upstream does not lower ---===//
//
// Part of rcclx. Index values are size_t in the text; the header reads them as
// signed where the operation does.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/DialectConversion.h"
#include "rcclx/CodeGen/Passes.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"

using namespace mlir;
using namespace rcclx;

namespace {
/// One call of a header function with the operation's operands.
template <typename OpT> struct CallIndexFunction : OpConversionPattern<OpT> {
  CallIndexFunction(TypeConverter &converter, MLIRContext *context,
                    StringRef callee, ArrayAttr templateArgs = {})
      : OpConversionPattern<OpT>(converter, context), callee(callee),
        templateArgs(templateArgs) {}

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(op.getType());
    if (!type || !isa<IndexType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected a result of type index");
    rewriter.replaceOpWithNewOp<emitc::CallOpaqueOp>(
        op, type, callee, adaptor.getOperands(), ArrayAttr(), templateArgs);
    return success();
  }

  StringRef callee;
  ArrayAttr templateArgs;
};

/// Bits of an index; upstream lowers those of integers.
template <typename From, typename To>
struct LowerIndexBits : OpConversionPattern<From> {
  using OpConversionPattern<From>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(From op, typename From::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(op.getType());
    if (!type || !isa<IndexType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected a result of type index");
    rewriter.replaceOpWithNewOp<To>(op, type, adaptor.getLhs(),
                                    adaptor.getRhs());
    return success();
  }
};
} // namespace

void rcclx::populateIndexToEmitCPatterns(TypeConverter &converter,
                                         RewritePatternSet &patterns,
                                         uint32_t world) {
  MLIRContext *context = patterns.getContext();
  auto add = [&]<typename OpT>(StringRef callee) {
    patterns.add<CallIndexFunction<OpT>>(converter, context, callee);
  };
  add.operator()<arith::DivUIOp>("rx::divideUnsigned");
  add.operator()<arith::RemUIOp>("rx::remainderUnsigned");
  add.operator()<arith::DivSIOp>("rx::divide");
  add.operator()<arith::RemSIOp>("rx::remainder");
  add.operator()<arith::CeilDivSIOp>("rx::ceilDivide");
  add.operator()<arith::FloorDivSIOp>("rx::floorDivide");
  add.operator()<arith::CeilDivUIOp>("rx::ceilDivideUnsigned");
  add.operator()<arith::MinSIOp>("rx::minimum");
  add.operator()<arith::MaxSIOp>("rx::maximum");
  add.operator()<arith::MinUIOp>("rx::minimumUnsigned");
  add.operator()<arith::MaxUIOp>("rx::maximumUnsigned");

  patterns.add<LowerIndexBits<arith::AndIOp, emitc::BitwiseAndOp>,
               LowerIndexBits<arith::OrIOp, emitc::BitwiseOrOp>,
               LowerIndexBits<arith::XOrIOp, emitc::BitwiseXorOp>>(converter,
                                                                   context);

  Builder builder(context);
  patterns.add<CallIndexFunction<ShiftOp>>(
      converter, context, "rx::shift",
      builder.getArrayAttr(
          emitc::OpaqueAttr::get(context, std::to_string(world))));
}
