//===- ClangJob.cpp - one run of clang's cc1 in this process --------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "ClangJob.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <mutex>

// Only the back ends that are used: LLVM has two dozen.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser();
}

using namespace llvm;

namespace rcclx {

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
  });
}

Expected<SmallVector<char, 0>> runClang(ArrayRef<std::string> args,
                                        StringRef source, StringRef sourceName,
                                        ClangOutput output) {
  initializeTargets();

  // An absolute name: the working directory of the process has no part in this.
  std::string path = ("/" + sourceName).str();
  auto files = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  (void)files->addFile(path, 0, MemoryBuffer::getMemBufferCopy(source, path));
  files->setCurrentWorkingDirectory("/");

  std::vector<const char *> argv;
  for (const std::string &arg : args)
    argv.push_back(arg.c_str());
  // By relative name, which is what diagnostics show.
  std::string name = sourceName.str();
  argv.push_back(name.c_str());

  std::string log;
  raw_string_ostream logStream(log);
  clang::DiagnosticOptions options;
  clang::TextDiagnosticPrinter printer(logStream, options);
  auto diagnostics = clang::CompilerInstance::createDiagnostics(
      *files, options, &printer, /*ShouldOwnClient=*/false);

  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, argv,
                                                 *diagnostics))
    return createStringError("clang refused its options: " + log);

  SmallVector<char, 0> result;
  {
    clang::CompilerInstance compiler(std::move(invocation));
    compiler.setVirtualFileSystem(files);
    compiler.setDiagnostics(diagnostics);
    // "1 error generated." goes here; by default it is stderr.
    compiler.setVerboseOutputStream(logStream);
    compiler.setOutputStream(std::make_unique<raw_svector_ostream>(result));

    bool done;
    if (output == ClangOutput::Object) {
      clang::EmitObjAction action;
      done = compiler.ExecuteAction(action);
    } else {
      clang::EmitAssemblyAction action;
      done = compiler.ExecuteAction(action);
    }
    if (!done || diagnostics->hasErrorOccurred())
      return createStringError(StringRef(log).rtrim());
  }
  return result;
}

} // namespace rcclx
