//===- ClangJob.h - one run of clang's cc1 in this process ------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_LIB_COMPILE_CLANGJOB_H
#define RCCLX_LIB_COMPILE_CLANGJOB_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace rcclx {

enum class ClangOutput { Object, Assembly };

/// Runs cc1 with `args` (no input, no output) over `source`, which is all that
/// its file system holds. Diagnostics become the error's text.
llvm::Expected<llvm::SmallVector<char, 0>>
runClang(llvm::ArrayRef<std::string> args, llvm::StringRef source,
         llvm::StringRef sourceName, ClangOutput output);

} // namespace rcclx

#endif // RCCLX_LIB_COMPILE_CLANGJOB_H
