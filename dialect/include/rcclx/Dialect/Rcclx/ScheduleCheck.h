//===- ScheduleCheck.h - Checks that a tool adds ----------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_DIALECT_RCCLX_SCHEDULECHECK_H
#define RCCLX_DIALECT_RCCLX_SCHEDULECHECK_H

#include "mlir/IR/DialectInterface.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"

namespace rcclx {

/// What a tool checks of every collective that is verified, beside what its
/// verifier demands. For editors: their server has no other place where it
/// could show what a pass finds. A tool adds one to RcclxDialect; there is none
/// else.
class ScheduleCheck : public mlir::DialectInterface::Base<ScheduleCheck> {
public:
  explicit ScheduleCheck(mlir::Dialect *dialect) : Base(dialect) {}

  /// `collective` is valid, and stays so whatever diagnostics this emits.
  virtual void check(CollectiveOp collective) const = 0;
};

} // namespace rcclx

#endif // RCCLX_DIALECT_RCCLX_SCHEDULECHECK_H
