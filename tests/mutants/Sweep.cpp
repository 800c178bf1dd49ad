//===- Sweep.cpp - Proof and run of all mutants of a program --------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Sweep.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <map>

using namespace llvm;
using namespace rcclx;
using namespace rcclx::mutants;

Fate Mutant::getFate() const {
  auto any = [&](auto has) { return any_of(outcomes, has); };
  if (any([](const Outcome &o) { return o.isMissed(); }))
    return Fate::Missed;
  bool refused = any([](const Outcome &o) { return !o.proved; });
  if (any([](const Outcome &o) { return o.isWrong(); }))
    return Fate::Caught;
  bool lowered = !any([](const Outcome &o) { return !o.lowered; });
  if (refused)
    return lowered ? Fate::Strict : Fate::NotRun;
  if (!lowered)
    return Fate::NotLowered;
  return any([](const Outcome &o) { return !o.sameCode; }) ? Fate::Survivor
                                                           : Fate::SameCode;
}

/// A part of `all` that depends on the seed and on where they come from, in
/// their order.
static std::vector<Mutation> choose(std::vector<Mutation> all, StringRef from,
                                    const SweepOptions &options) {
  if (all.size() <= options.sample)
    return all;
  std::vector<std::pair<uint64_t, size_t>> order;
  for (size_t i = 0; i < all.size(); ++i)
    order.emplace_back(xxHash64((from + " " + std::to_string(options.seed) +
                                 " " + std::to_string(i))
                                    .str()),
                       i);
  llvm::sort(order);
  order.resize(options.sample);
  std::vector<size_t> chosen;
  for (auto [hash, i] : order)
    chosen.push_back(i);
  llvm::sort(chosen);
  std::vector<Mutation> result;
  for (size_t i : chosen)
    result.push_back(std::move(all[i]));
  return result;
}

/// Second runs of a form at most: a proof that misses more is broken anyway.
static constexpr unsigned maxConfirmed = 30;

namespace {
/// A mutant that waits for its runs.
struct Pending {
  size_t mutant, outcome, kernel;
};
} // namespace

static Outcome makeOutcome(uint32_t world, const Compiled &compiled) {
  Outcome outcome;
  outcome.world = world;
  outcome.proved = compiled.proved;
  outcome.crashed = compiled.crashed;
  outcome.lowered = compiled.lowered;
  outcome.refusal = compiled.refusal;
  return outcome;
}

/// Runs what is pending. Whoever was proved and seems wrong gets a second run,
/// without haste: a busy machine is no finding.
static Error finish(FormResult &result, Judge &judge,
                    ArrayRef<Pending> pending) {
  if (Error error = judge.run())
    return error;
  unsigned confirmed = 0;
  for (const Pending &p : pending) {
    Outcome &outcome = result.mutants[p.mutant].outcomes[p.outcome];
    outcome.verdict = judge.get(p.kernel);
    if (outcome.verdict.kind == Verdict::Refused) {
      outcome.lowered = false;
      if (outcome.proved)
        outcome.refusal = outcome.verdict.detail;
    }
    if (!outcome.isMissed() || outcome.verdict.kind != Verdict::Hang ||
        confirmed++ >= maxConfirmed)
      continue;
    Expected<Verdict> again = judge.confirm(p.kernel);
    if (!again)
      return again.takeError();
    outcome.verdict = *again;
  }
  return Error::success();
}

/// The unchanged program, which must be right.
static Expected<size_t> runOriginal(const std::optional<Compiled> &original,
                                    const Twine &name, Judge &judge,
                                    const Call &call) {
  if (!original || !original->proved || !original->lowered)
    return createStringError(
        name + " is refused: " + (original ? original->refusal : "invalid IR"));
  size_t kernel = judge.add(*original, call);
  if (Error error = judge.run())
    return std::move(error);
  Verdict verdict = judge.get(kernel);
  if (verdict.kind == Verdict::Hang) {
    Expected<Verdict> again = judge.confirm(kernel);
    if (!again)
      return again.takeError();
    verdict = *again;
  }
  if (!verdict.isRight())
    return createStringError(name + ", " + Twine(call.world) +
                             " ranks, unchanged: " + getName(verdict.kind) +
                             ": " + verdict.detail);
  return kernel;
}

static Call getCall(Program &program, uint32_t world) {
  return {stringifyContract(program.getContract()).str(), world,
          program.getRoot(world), program.getPermutation(world)};
}

Expected<FormResult> mutants::sweepSchedule(Program &program, Judge &judge,
                                            const SweepOptions &options) {
  FormResult result{program.getName(), "schedule", 0, {}};
  std::vector<Pending> pending;
  std::vector<Mutation> mutations =
      choose(program.findScheduleMutations(), program.getName(), options);
  std::vector<size_t> originals;
  for (uint32_t world : options.worlds) {
    Expected<size_t> original =
        runOriginal(program.compileSchedule({world, ""}, nullptr),
                    program.getName(), judge, getCall(program, world));
    if (!original)
      return original.takeError();
    originals.push_back(*original);
  }
  for (Mutation &mutation : mutations) {
    Mutant mutant{std::move(mutation), {}, ""};
    for (auto [number, world] : enumerate(options.worlds)) {
      std::optional<Compiled> compiled =
          program.compileSchedule({world, ""}, &mutant.mutation);
      if (!compiled)
        break;
      mutant.outcomes.push_back(makeOutcome(world, *compiled));
      if (!compiled->lowered)
        continue;
      size_t kernel = judge.add(*compiled, getCall(program, world));
      mutant.outcomes.back().sameCode = kernel == originals[number];
      pending.push_back(
          {result.mutants.size(), mutant.outcomes.size() - 1, kernel});
    }
    if (mutant.outcomes.empty())
      ++result.invalid;
    else
      result.mutants.push_back(std::move(mutant));
  }
  if (Error error = finish(result, judge, pending))
    return std::move(error);
  for (Mutant &mutant : result.mutants)
    if (mutant.getFate() == Fate::Survivor)
      mutant.explanation =
          program.compareTraces(options.worlds, mutant.mutation);
  return result;
}

Expected<FormResult> mutants::sweepKernels(Program &program, Judge &judge,
                                           StringRef protocol,
                                           const SweepOptions &options) {
  FormResult result{program.getName(), protocol.str(), 0, {}};
  std::vector<Pending> pending;
  for (uint32_t world : options.worlds) {
    std::string name = (program.getName() + ", " + protocol).str();
    if (Error error = program.lowerToKernel({world, protocol.str()}))
      return std::move(error);
    Call call = getCall(program, world);
    Expected<size_t> original =
        runOriginal(program.compileKernel(nullptr), name, judge, call);
    if (!original)
      return original.takeError();
    SweepOptions share = options;
    if (share.sample != SIZE_MAX)
      share.sample =
          (share.sample + options.worlds.size() - 1) / options.worlds.size();
    for (Mutation &mutation :
         choose(program.findKernelMutations(),
                name + " " + std::to_string(world), share)) {
      Mutant mutant{std::move(mutation), {}, ""};
      std::optional<Compiled> compiled =
          program.compileKernel(&mutant.mutation);
      if (!compiled) {
        ++result.invalid;
        continue;
      }
      mutant.outcomes.push_back(makeOutcome(world, *compiled));
      if (compiled->lowered) {
        size_t kernel = judge.add(*compiled, call);
        mutant.outcomes.back().sameCode = kernel == *original;
        pending.push_back({result.mutants.size(), 0, kernel});
      }
      result.mutants.push_back(std::move(mutant));
    }
  }
  if (Error error = finish(result, judge, pending))
    return std::move(error);
  return result;
}

Error mutants::reprove(Program &program, FormResult &result) {
  bool isSchedule = result.form == "schedule";
  uint32_t lowered = 0; // for how many ranks
  std::map<std::pair<unsigned, std::string>, Mutation> mutations;
  auto find = [&](std::vector<Mutation> all) {
    mutations.clear();
    for (Mutation &m : all)
      mutations.try_emplace({m.op, m.getKind()}, std::move(m));
  };
  if (isSchedule)
    find(program.findScheduleMutations());
  for (Mutant &mutant : result.mutants) {
    std::vector<uint32_t> worlds;
    const Mutation *mutation = nullptr;
    for (Outcome &outcome : mutant.outcomes) {
      worlds.push_back(outcome.world);
      if (!isSchedule && outcome.world != lowered) {
        if (Error error = program.lowerToKernel({outcome.world, result.form}))
          return error;
        lowered = outcome.world;
        find(program.findKernelMutations());
      }
      auto found =
          mutations.find({mutant.mutation.op, mutant.mutation.getKind()});
      std::optional<Compiled> compiled;
      if (found != mutations.end()) {
        mutation = &found->second;
        compiled = isSchedule
                       ? program.compileSchedule({outcome.world, ""}, mutation)
                       : program.compileKernel(mutation);
      }
      if (!compiled)
        return createStringError(result.program + ", " + result.form +
                                 ": the program has changed");
      outcome.proved = compiled->proved;
      outcome.crashed = compiled->crashed;
      if (outcome.lowered || !outcome.proved)
        outcome.refusal = compiled->refusal;
    }
    mutant.explanation.clear();
    if (isSchedule && mutant.getFate() == Fate::Survivor)
      mutant.explanation = program.compareTraces(worlds, *mutation);
  }
  return Error::success();
}
