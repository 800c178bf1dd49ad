//===- Report.cpp - What became of all mutants ----------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Explain.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>
#include <map>
#include <set>

using namespace llvm;
using namespace rcclx;
using namespace rcclx::mutants;

namespace {
struct Figures {
  size_t made = 0;
  std::array<size_t, 7> fates = {};
  size_t operator[](Fate fate) const { return fates[size_t(fate)]; }
  size_t wrong() const { return (*this)[Fate::Missed] + (*this)[Fate::Caught]; }
  size_t refused() const {
    return (*this)[Fate::Caught] + (*this)[Fate::Strict] +
           (*this)[Fate::NotRun];
  }
  void add(const FormResult &result) {
    made += result.mutants.size();
    for (const Mutant &m : result.mutants)
      ++fates[size_t(m.getFate())];
  }
};
} // namespace

static StringRef getName(Fate fate) {
  static constexpr StringRef names[] = {"missed",  "caught",      "strict",
                                        "not run", "not lowered", "same",
                                        "survived"};
  return names[size_t(fate)];
}

std::string mutants::summarize(const FormResult &result) {
  Figures f;
  f.add(result);
  return formatv(
      "{0}, {1}: {2} made, {3} wrong by the run, {4} of them caught, "
      "{5} missed; {6} refused but right, {7} refused and not run, "
      "{8} not lowered, {9} same code, {10} survivors; {11} invalid",
      result.program, result.form, f.made, f.wrong(), f[Fate::Caught],
      f[Fate::Missed], f[Fate::Strict], f[Fate::NotRun], f[Fate::NotLowered],
      f[Fate::SameCode], f[Fate::Survivor], result.invalid);
}

static std::string describeMutant(const FormResult &result, const Mutant &m) {
  std::string text =
      formatv("{0}: {1}, {2}, line {3}, op {4}, {5}:", getName(m.getFate()),
              result.program, result.form, m.mutation.line, m.mutation.op,
              m.mutation.getKind());
  for (const Outcome &o : m.outcomes) {
    text += formatv(" [{0} ranks: ", o.world);
    text += o.sameCode  ? "same code"
            : o.lowered ? getName(o.verdict.kind).str()
                        : "not lowered";
    if (!o.verdict.detail.empty())
      text += " (" + o.verdict.detail + ")";
    text += o.proved ? ", proved" : ", refused";
    if (!o.refusal.empty())
      text += ": " + o.refusal;
    text += "]";
  }
  return text + "\n";
}

std::string mutants::listAll(const FormResult &result) {
  std::string text;
  for (const Mutant &m : result.mutants)
    text += describeMutant(result, m);
  return text;
}

std::string mutants::listMissed(const FormResult &result) {
  std::string text;
  for (const Mutant &m : result.mutants)
    if (m.getFate() == Fate::Missed)
      text += describeMutant(result, m);
  return text;
}

//===----------------------------------------------------------------------===//
// docs/Mutants.md
//===----------------------------------------------------------------------===//

static constexpr char introduction[] = R"(# Mutants

Does the proof refuse what is wrong? Every operation of every shipped schedule, and of the kernels that it becomes,
is dropped, repeated, exchanged with the next one, given operands that are off by one, exchanged or another value,
and other enumerators (`tests/mutants/Mutations.cpp`). Each mutant is judged twice, independently:

- by the proof: `rcclx-verify` for schedules, `rcclx-verify-kernel` for kernels;
- by running it: compiled, ranks as threads, 3 counts (3 elements, one tile and a tail, `depth` + 2 tiles and a tail), 4
  successive calls each with new data, f32 `avg`, in every call another rank slow. All outputs are compared in full with
  the reference of `rcclx run`, which knows neither schedule nor proof; also inputs, memory beside the buffers, and
  slots at the end. A crash, and a wait of 200 ms without progress, are wrong.

A mutant of a schedule is judged for 2, 3 and 5 ranks. A kernel is made for one number of ranks and one protocol: each has
mutants of its own. Where a schedule is refused, it is lowered without proof, by `ll`, to be run all the same.

This file was made by `rcclx-mutate`, of build/tests/mutants, on {0}:

```sh
rcclx-mutate --results DIR --forms schedule,flag examples/schedules/*.mlir
rcclx-mutate --results DIR --forms ll --worlds 3 examples/schedules/*.mlir
rcclx-mutate --results DIR --report docs/Mutants.md
```

The table lists what was made in full. The tests of `MutantTests` make a seeded part of all forms, `sentinel` too;
`./scripts/test.sh --full` makes everything.
)";

static std::string escape(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

static std::string listWorlds(const FormResult &result) {
  std::set<uint32_t> worlds;
  for (const Mutant &m : result.mutants)
    for (const Outcome &o : m.outcomes)
      worlds.insert(o.world);
  std::string text;
  for (uint32_t world : worlds)
    text += (text.empty() ? "" : ", ") + std::to_string(world);
  return text;
}

static void addRow(std::string &text, StringRef program, StringRef form,
                   StringRef worlds, const Figures &f) {
  text += formatv("| {0} | {1} | {2} | {3} | {4} | {5} | {6} | {7} | {8} | {9} "
                  "| {10} | {11} |\n",
                  program, form, worlds, f.made, f.wrong(), f[Fate::Caught],
                  f[Fate::Missed], f[Fate::Strict], f[Fate::NotRun],
                  f[Fate::NotLowered], f[Fate::SameCode], f[Fate::Survivor]);
}

static std::string makeTable(ArrayRef<FormResult> results) {
  std::string text = R"(
| column | |
|---|---|
| made | valid IR; what the verifier of the IR itself refuses is not counted |
| wrong | by the run |
| caught | wrong, and refused by the proof |
| missed | wrong, and proved: must be 0 |
| strict | refused, though every run was right |
| not run | refused, and cannot be lowered to be run |
| later | proved, and refused by a later pass or the C++ compiler |
| same | proved, and the printed kernel is the same |
| survivors | proved, other code, and every run was right |

| program | form | ranks | made | wrong | caught | missed | strict | not run | later | same | survivors |
|---|---|---|---|---|---|---|---|---|---|---|---|
)";
  std::map<std::string, Figures> sums;
  for (const FormResult &result : results) {
    Figures f;
    f.add(result);
    addRow(text, result.program, result.form, listWorlds(result), f);
    sums[result.form].add(result);
    sums["all"].add(result);
  }
  for (const auto &[form, f] : sums)
    addRow(text, "**all**", form, "", f);
  return text;
}

/// Mutants of one fate, grouped by `reasonOf`, the most frequent reason first.
static std::string makeGroups(
    ArrayRef<FormResult> results, function_ref<bool(Fate)> isOf,
    function_ref<std::string(const FormResult &, const Mutant &)> reasonOf) {
  struct Group {
    size_t count = 0;
    std::map<std::string, size_t> kinds;
  };
  std::map<std::string, Group> groups;
  for (const FormResult &result : results)
    for (const Mutant &m : result.mutants)
      if (isOf(m.getFate())) {
        Group &group = groups[reasonOf(result, m)];
        ++group.count;
        ++group.kinds[m.mutation.getKind()];
      }
  std::vector<std::pair<std::string, Group>> sorted(groups.begin(),
                                                    groups.end());
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::pair(b.second.count, StringRef(a.first)) <
           std::pair(a.second.count, StringRef(b.first));
  });
  std::string text = "| mutants | why | such as |\n|---|---|---|\n";
  for (const auto &[reason, group] : sorted) {
    std::vector<std::pair<size_t, std::string>> kinds;
    for (const auto &[kind, count] : group.kinds)
      kinds.emplace_back(count, kind);
    llvm::sort(kinds, std::greater<>());
    std::string examples;
    for (size_t i = 0; i < kinds.size() && i < 4; ++i)
      examples += (i ? ", `" : "`") + kinds[i].second + "`";
    text += formatv("| {0} | {1} | {2} |\n", group.count, escape(reason),
                    escape(examples));
  }
  return text;
}

std::string mutants::writeReport(ArrayRef<FormResult> results, StringRef date) {
  std::string text = formatv(introduction, date).str() + makeTable(results);
  std::string missed;
  for (const FormResult &result : results)
    missed += listMissed(result);
  text += "\n## Missed\n\n" +
          (missed.empty() ? "None.\n" : "```text\n" + missed + "```\n");
  text += "\n## Survivors\n\nProved, and right: what they do differently does "
          "no harm.\n\n" +
          makeGroups(
              results, [](Fate fate) { return fate == Fate::Survivor; },
              [](const FormResult &result, const Mutant &m) {
                std::string why = explainSurvivor(result, m);
                return why.empty() ? "not explained" : why;
              });
  text += "\n## Refused, though no run was wrong\n\nThe proof holds for all "
          "interleavings, counts and targets; a run shows one. Numbers "
          "are N.\n\n" +
          makeGroups(
              results,
              [](Fate fate) {
                return fate == Fate::Strict || fate == Fate::NotRun;
              },
              [](const FormResult &, const Mutant &m) { return getReason(m); });
  text += "\n## Refused by a later pass or the C++ compiler\n\n" +
          makeGroups(
              results, [](Fate fate) { return fate == Fate::NotLowered; },
              [](const FormResult &, const Mutant &m) { return getReason(m); });
  return text;
}
