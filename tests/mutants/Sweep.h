//===- Sweep.h - Proof and run of all mutants of a program ------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_MUTANTS_SWEEP_H
#define RCCLX_TESTS_MUTANTS_SWEEP_H

#include "Judge.h"

namespace rcclx::mutants {

/// One mutant in one world.
struct Outcome {
  uint32_t world = 0;
  bool proved = false;
  bool crashed = false; ///< The proof did.
  bool lowered = false;
  bool sameCode = false; ///< As the program without the change.
  std::string refusal;
  Verdict verdict; ///< Of those that were lowered.

  bool isWrong() const { return lowered && !verdict.isRight(); }
  /// What must not be: a program that was proved and is wrong.
  bool isMissed() const { return crashed || (proved && isWrong()); }
};

/// What became of a mutant, in all worlds together.
enum class Fate {
  Missed,     ///< Proved and wrong in one world.
  Caught,     ///< Refused, and wrong.
  Strict,     ///< Refused, and right in all runs.
  NotRun,     ///< Refused, and cannot be lowered to be run.
  NotLowered, ///< Proved, and refused by a later pass.
  SameCode,   ///< Proved; the kernel is the same.
  Survivor,   ///< Proved, and right in all runs.
};

/// One mutant in all worlds that it was made for.
struct Mutant {
  Mutation mutation;
  std::vector<Outcome> outcomes;
  std::string explanation; ///< Of survivors, where it is known.

  Fate getFate() const;
};

/// The mutants of one program in one form.
struct FormResult {
  std::string program, form; ///< "schedule", or a kernel's protocol.
  unsigned invalid = 0;
  std::vector<Mutant> mutants;
};

struct SweepOptions {
  std::vector<uint32_t> worlds = {2, 3, 5};
  /// How many mutants of a form are made, at most, and which ones.
  size_t sample = SIZE_MAX;
  uint64_t seed = 1;
};

/// Every mutant of the schedule, in every world. An error: the machinery
/// failed, or the program itself is wrong.
llvm::Expected<FormResult> sweepSchedule(Program &program, Judge &judge,
                                         const SweepOptions &options);
/// Every mutant of the kernels for every world.
llvm::Expected<FormResult> sweepKernels(Program &program, Judge &judge,
                                        llvm::StringRef protocol,
                                        const SweepOptions &options);

/// Asks the proof again of all mutants in `result`, whose runs stand. An error:
/// they are not those of `program` any more.
llvm::Error reprove(Program &program, FormResult &result);

} // namespace rcclx::mutants

#endif // RCCLX_TESTS_MUTANTS_SWEEP_H
