//===- Explain.h - Why a mutant is no worse ---------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_MUTANTS_EXPLAIN_H
#define RCCLX_TESTS_MUTANTS_EXPLAIN_H

#include "Sweep.h"

namespace rcclx::mutants {

/// Why a survivor is right; empty where nobody has said it yet.
std::string explainSurvivor(const FormResult &result, const Mutant &mutant);

/// What the proof or a pass holds against a mutant, without its numbers, so
/// that equal reasons are equal.
std::string getReason(const Mutant &mutant);

} // namespace rcclx::mutants

#endif // RCCLX_TESTS_MUTANTS_EXPLAIN_H
