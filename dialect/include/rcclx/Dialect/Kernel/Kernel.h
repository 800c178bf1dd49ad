//===- Kernel.h - The device-level dialect ----------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_DIALECT_KERNEL_KERNEL_H
#define RCCLX_DIALECT_KERNEL_KERNEL_H

#include "rcclx/Dialect/Rcclx/Rcclx.h"

#include "rcclx/Dialect/Kernel/KernelDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "rcclx/Dialect/Kernel/KernelTypes.h.inc"

namespace rcclx::kernel {

/// All memory that a kernel reaches. One resource: two user buffers may be the
/// same memory, and slots and signals order each other.
struct MemoryResource
    : public mlir::SideEffects::Resource::Base<MemoryResource> {
  llvm::StringRef getName() final { return "rcclx_kernel.memory"; }
};

} // namespace rcclx::kernel

#define GET_OP_CLASSES
#include "rcclx/Dialect/Kernel/KernelOps.h.inc"

#endif // RCCLX_DIALECT_KERNEL_KERNEL_H
