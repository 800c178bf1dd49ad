//===- Results.h - Fates of mutants, kept between runs ----------*- C++ -*-===//
//
// Part of rcclx. A full sweep takes long: each form has a file of its own.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_MUTANTS_RESULTS_H
#define RCCLX_TESTS_MUTANTS_RESULTS_H

#include "Sweep.h"

namespace rcclx::mutants {

/// Writes `result` into `directory`, as PROGRAM.FORM.json.
llvm::Error writeResult(const FormResult &result, llvm::StringRef directory);
/// Whether there is such a file.
bool hasResult(llvm::StringRef program, llvm::StringRef form,
               llvm::StringRef directory);
/// All of them, sorted by name.
llvm::Expected<std::vector<FormResult>> readResults(llvm::StringRef directory);

} // namespace rcclx::mutants

#endif // RCCLX_TESTS_MUTANTS_RESULTS_H
