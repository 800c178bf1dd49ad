//===- rcclx-translate.cpp - Prints what a schedule becomes ---------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "rcclx/CodeGen/HipSource.h"

int main(int argc, char **argv) {
  rcclx::registerToHipTranslation();
  return mlir::failed(mlir::mlirTranslateMain(
      argc, argv, "rcclx translation: prints the HIP C++ of a schedule\n"));
}
