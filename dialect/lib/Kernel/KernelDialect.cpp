//===- KernelDialect.cpp - Registration of the device-level dialect -------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "rcclx/Dialect/Kernel/Kernel.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rcclx;
using namespace rcclx::kernel;

#include "rcclx/Dialect/Kernel/KernelDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "rcclx/Dialect/Kernel/KernelTypes.cpp.inc"

#define GET_OP_CLASSES
#include "rcclx/Dialect/Kernel/KernelOps.cpp.inc"

void KernelDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "rcclx/Dialect/Kernel/KernelTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "rcclx/Dialect/Kernel/KernelOps.cpp.inc"
      >();
}
