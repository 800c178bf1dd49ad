//===- rcclx-opt.cpp - Runs rcclx passes on .mlir files -------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "rcclx/CodeGen/Passes.h"
#include "rcclx/CodeGen/Pipelines.h"
#include "rcclx/CodeGen/Register.h"
#include "rcclx/Passes/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  rcclx::registerAllDialects(registry);
  rcclx::registerRcclxPasses();
  rcclx::registerRcclxCodeGenPasses();
  rcclx::registerRcclxPipelines();
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "rcclx optimizer: lowers schedules of collectives\n",
      registry));
}
