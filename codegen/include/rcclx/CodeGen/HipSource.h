//===- HipSource.h - EmitC to HIP C++ text ----------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_CODEGEN_HIPSOURCE_H
#define RCCLX_CODEGEN_HIPSOURCE_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace rcclx {

/// The C++ of a module that is all EmitC, printed by upstream's emitter. Emits
/// a diagnostic where it cannot be printed.
mlir::FailureOr<std::string> emitHip(mlir::ModuleOp module);

/// `kernel` behind the device header: freestanding text that every back end
/// compiles. Diagnostics count the kernel's lines from 1, as `name`.
std::string withDeviceHeader(llvm::StringRef kernel, llvm::StringRef name);

/// Registers `--rcclx-to-hip` of rcclx-translate.
void registerToHipTranslation();

} // namespace rcclx

#endif // RCCLX_CODEGEN_HIPSOURCE_H
