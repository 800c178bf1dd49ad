//===- Report.h - What became of all mutants --------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_MUTANTS_REPORT_H
#define RCCLX_TESTS_MUTANTS_REPORT_H

#include "Sweep.h"

namespace rcclx::mutants {

/// One line of figures.
std::string summarize(const FormResult &result);
/// One line per mutant.
std::string listAll(const FormResult &result);
/// Those that were proved and are wrong; empty: none.
std::string listMissed(const FormResult &result);
/// docs/Mutants.md, as of `date`.
std::string writeReport(llvm::ArrayRef<FormResult> results,
                        llvm::StringRef date);

} // namespace rcclx::mutants

#endif // RCCLX_TESTS_MUTANTS_REPORT_H
