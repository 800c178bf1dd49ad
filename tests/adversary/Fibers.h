//===- Fibers.h - Threads under a seeded scheduler --------------*- C++ -*-===//
//
// Part of rcclx. Only one fiber runs at a time, and the generator says which
// one goes on wherever one gives way: a seed is an interleaving, and repeats
// it.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_ADVERSARY_FIBERS_H
#define RCCLX_TESTS_ADVERSARY_FIBERS_H

#include "Call.h"

#include <functional>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace rcclx::adversary {

class Fibers {
public:
  /// Runs all of `bodies` until each has returned.
  void run(std::vector<std::function<void()>> bodies, uint64_t seed);

  /// Of the fiber that calls: another one may go on. What kernels call, and
  /// what the bodies call while they wait.
  static void yield();
  /// Time in steps of the scheduler: it passes only where a fiber gives way.
  static rcclx_u64 steps();

private:
  struct Fiber {
    std::unique_ptr<char[]> stack;
    ucontext_t context;
    std::function<void()> body;
    bool slow = false;
  };
  static void enter();
  void changeHabits();
  size_t choose();
  void switchTo(size_t next);

  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<size_t> live; // indices of `fibers`
  size_t current = 0;       // index of `live`
  ucontext_t caller;
  Random random;
  uint64_t stepCount = 0, nextHabits = 0;
  // A fiber goes on with probability 1 - 1/stay; a slow one is passed over
  // with probability 1 - 1/patience.
  uint64_t stay = 1, patience = 1;
};

} // namespace rcclx::adversary

#endif // RCCLX_TESTS_ADVERSARY_FIBERS_H
