//===- Passes.td - Passes from kernels to C++ ---------------*- tablegen -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_CODEGEN_PASSES_TD
#define RCCLX_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertKernelToEmitC : Pass<"convert-kernel-to-emitc", "::mlir::ModuleOp"> {
  let summary = "lower kernels to EmitC, in one full conversion";
  let description = [{
    Every rcclx_kernel operation becomes one call of the device header, with the
    element type, the reduction, the protocol and the mapping as template
    arguments. Only names that the header owns reach the text.
  }];
  let dependentDialects = ["::mlir::emitc::EmitCDialect"];
}

#endif // RCCLX_CODEGEN_PASSES_TD
