//===- rcclx-opt.cpp - Runs rcclx passes on .mlir files -------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<rcclx::RcclxDialect, mlir::arith::ArithDialect, mlir::scf::SCFDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "rcclx", registry));
}
