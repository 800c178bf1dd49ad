//===- Judge.h - Compiles mutants and has them run --------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_MUTANTS_JUDGE_H
#define RCCLX_TESTS_MUTANTS_JUDGE_H

#include "Forms.h"
#include "llvm/ADT/StringMap.h"
#include <set>

namespace rcclx::mutants {

/// What the runs of one kernel showed.
struct Verdict {
  /// Refused: by the C++ compiler.
  enum Kind { Right, Wrong, Hang, Crash, Refused } kind = Right;
  std::string detail;
  bool isRight() const { return kind == Right; }
};
llvm::StringRef getName(Verdict::Kind kind);

/// What a kernel is run for.
struct Call {
  std::string contract;
  uint32_t world, root;
  std::vector<int32_t> permutation; ///< Empty: none.
};

/// Runs kernels by rcclx-mutant-run. Many share one object; equal ones are run
/// once.
class Judge {
public:
  /// `runner`: the program; `directory`: for its files.
  Judge(std::string runner, std::string directory, uint64_t seed)
      : runner(std::move(runner)), directory(std::move(directory)), seed(seed) {
  }

  /// Has a kernel judged by the next `run`. Gives its number.
  size_t add(const Compiled &kernel, const Call &call);
  /// Judges all that were added since the last call. An error: the machinery
  /// failed, not a kernel.
  llvm::Error run();
  const Verdict &get(size_t kernel) const { return kernels[kernel].verdict; }
  /// Judges one again, with time for a machine that is busy.
  llvm::Expected<Verdict> confirm(size_t kernel);

  size_t getNumRun() const { return kernels.size(); }

private:
  struct Kernel {
    Compiled compiled;
    Call call;
    Verdict verdict;
  };
  llvm::Error runBatch(llvm::ArrayRef<size_t> batch, uint32_t timeoutMs);

  std::string runner, directory;
  uint64_t seed;
  std::vector<Kernel> kernels;
  llvm::StringMap<size_t> known;
  std::vector<size_t> waiting;
};

} // namespace rcclx::mutants

#endif // RCCLX_TESTS_MUTANTS_JUDGE_H
