//===- LinkElf.h - lld in this process --------------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_LIB_COMPILE_LINKELF_H
#define RCCLX_LIB_COMPILE_LINKELF_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace rcclx {

/// Links one object to a shared object with lld and `flags`. One thread links
/// at a time; others wait.
llvm::Expected<std::vector<char>> linkElf(llvm::ArrayRef<char> object,
                                          llvm::ArrayRef<const char *> flags);

} // namespace rcclx

#endif // RCCLX_LIB_COMPILE_LINKELF_H
