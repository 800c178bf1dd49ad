//===- Fibers.cpp - Threads under a seeded scheduler ----------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Fibers.h"

namespace rcclx::adversary {

static constexpr size_t stackBytes = 256 << 10;
// Of the one thread that runs fibers: contexts take no pointer.
static Fibers *running = nullptr;

/// From now on some ranks are slow, for a while: so that others run ahead as
/// far as they can.
void Fibers::changeHabits() {
  nextHabits = stepCount + 50 + below(random, 4000);
  stay = uint64_t(1) << below(random, 6);
  patience = uint64_t(1) << 2 * below(random, 5);
  for (auto &fiber : fibers)
    fiber->slow = oneIn(random, 3);
}

size_t Fibers::choose() {
  if (live.size() == 1 || !oneIn(random, stay))
    return current;
  for (int tries = 0; tries != 8; ++tries) {
    size_t next = below(random, live.size());
    if (!fibers[live[next]]->slow || oneIn(random, patience))
      return next;
  }
  return current;
}

void Fibers::switchTo(size_t next) {
  ucontext_t *from = &fibers[live[current]]->context;
  current = next;
  swapcontext(from, &fibers[live[next]]->context);
}

void Fibers::yield() {
  Fibers &f = *running;
  if (++f.stepCount >= f.nextHabits)
    f.changeHabits();
  size_t next = f.choose();
  if (next != f.current)
    f.switchTo(next);
}

rcclx_u64 Fibers::steps() { return running->stepCount; }

void Fibers::enter() {
  Fibers &f = *running;
  f.fibers[f.live[f.current]]->body();
  // Another fiber goes on; this one's context is not used any more.
  f.live.erase(f.live.begin() + ptrdiff_t(f.current));
  if (f.live.empty()) {
    setcontext(&f.caller);
  } else {
    f.current = below(f.random, f.live.size());
    setcontext(&f.fibers[f.live[f.current]]->context);
  }
}

void Fibers::run(std::vector<std::function<void()>> bodies, uint64_t seed) {
  random.seed(seed);
  stepCount = nextHabits = 0;
  running = this;
  live.clear();
  for (size_t i = 0; i != bodies.size(); ++i) {
    if (i == fibers.size()) {
      fibers.push_back(std::make_unique<Fiber>());
      fibers[i]->stack.reset(new char[stackBytes]);
    }
    Fiber &fiber = *fibers[i];
    fiber.body = std::move(bodies[i]);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stackBytes;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, &Fibers::enter, 0);
    live.push_back(i);
  }
  current = below(random, live.size());
  swapcontext(&caller, &fibers[live[current]]->context);
  running = nullptr;
}

} // namespace rcclx::adversary
