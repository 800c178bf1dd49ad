//===- ToHipTranslation.cpp - rcclx-translate --rcclx-to-hip --------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-translate/Translation.h"
#include "rcclx/CodeGen/HipSource.h"
#include "rcclx/CodeGen/Pipelines.h"
#include "rcclx/CodeGen/Register.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

void rcclx::registerToHipTranslation() {
  static llvm::cl::OptionCategory category("rcclx-to-hip options");
  static llvm::cl::opt<std::string> lower(
      "lower",
      llvm::cl::desc("options of the pipeline -rcclx-lower, as "
                     "\"world=8 element=bf16 reduction=sum kind=gpu\""),
      llvm::cl::init(""), llvm::cl::cat(category));
  static llvm::cl::opt<bool> header(
      "with-device-header",
      llvm::cl::desc("print the device header before the kernels"),
      llvm::cl::init(false), llvm::cl::cat(category));

  static TranslateFromMLIRRegistration registration(
      "rcclx-to-hip", "lower schedules and print their HIP C++",
      [](Operation *op, raw_ostream &output) -> LogicalResult {
        auto module = dyn_cast<ModuleOp>(op);
        if (!module)
          return op->emitError("expected a module at the top");
        LoweringOptions options;
        if (failed(options.parseFromString(lower)))
          return failure();
        PassManager pm(module.getContext());
        buildLoweringPipeline(pm, options);
        if (failed(pm.run(module)))
          return failure();
        FailureOr<std::string> text = emitHip(module);
        if (failed(text))
          return failure();
        output << (header ? withDeviceHeader(*text, "kernel.hip.cpp") : *text);
        return success();
      },
      [](DialectRegistry &registry) { registerAllDialects(registry); });
}
