//===- Passes.h - Passes over schedules -------------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_PASSES_PASSES_H
#define RCCLX_PASSES_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <cstdint>
#include <string>

namespace rcclx {

#define GEN_PASS_DECL
#include "rcclx/Passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "rcclx/Passes/Passes.h.inc"

} // namespace rcclx

#endif // RCCLX_PASSES_PASSES_H
