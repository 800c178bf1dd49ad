//===- HipSource.cpp - EmitC to HIP C++ text ------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/CodeGen/HipSource.h"
#include "mlir/Target/Cpp/CppEmitter.h"
#include "rcclx/DeviceText.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

FailureOr<std::string> rcclx::emitHip(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(emitc::translateToCpp(module, stream)))
    return failure();
  return text;
}

std::string rcclx::withDeviceHeader(llvm::StringRef kernel,
                                    llvm::StringRef name) {
  std::string text(rcclx_device_text, rcclx_device_text_bytes);
  text += "\n#line 1 \"";
  text += name;
  text += "\"\n";
  text += kernel;
  return text;
}
