//===- Report.cpp - What became of all mutants ----------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace rcclx;
using namespace rcclx::mutants;

namespace {
struct Figures {
  size_t made = 0, wrong = 0, caught = 0, missed = 0, same = 0, notLowered = 0,
         survivors = 0, strict = 0;
};
} // namespace

static bool isSurvivor(const Mutant &m) {
  return !m.isWrong() && !m.isCaught() && !m.isSameCode() && !m.isNotLowered();
}

static Figures count(const FormResult &result) {
  Figures f;
  for (const Mutant &m : result.mutants) {
    ++f.made;
    f.wrong += m.isWrong();
    f.caught += m.isCaught();
    f.missed += m.isMissed();
    f.same += m.isSameCode();
    f.notLowered += m.isNotLowered();
    f.survivors += isSurvivor(m);
    f.strict += m.isCaught() && !m.isWrong();
  }
  return f;
}

std::string mutants::summarize(const FormResult &result) {
  Figures f = count(result);
  return formatv("{0}, {1}: {2} made, {3} wrong, {4} caught, {5} missed, {6} "
                 "caught and not wrong, {7} same code, {8} not lowered, {9} "
                 "survivors, {10} invalid",
                 result.program, result.form, f.made, f.wrong, f.caught,
                 f.missed, f.strict, f.same, f.notLowered, f.survivors,
                 result.invalid);
}

static std::string describeMutant(const FormResult &result, const Mutant &m) {
  std::string text =
      formatv("{0}, {1}, line {2}, op {3}, {4}:", result.program, result.form,
              m.mutation.line, m.mutation.op, m.mutation.getKind());
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
  for (const Mutant &m : result.mutants) {
    text += m.isMissed()       ? "MISSED   "
            : m.isCaught()     ? (m.isWrong() ? "caught   " : "strict   ")
            : m.isSameCode()   ? "same     "
            : m.isNotLowered() ? "refused  "
                               : "survived ";
    text += describeMutant(result, m);
  }
  return text;
}

std::string mutants::listMissed(ArrayRef<FormResult> results) {
  std::string text;
  for (const FormResult &result : results)
    for (const Mutant &m : result.mutants)
      if (m.isMissed())
        text += "missed: " + describeMutant(result, m);
  return text;
}

std::string mutants::writeReport(ArrayRef<FormResult> results,
                                 const SweepOptions &) {
  std::string text;
  for (const FormResult &result : results)
    text += summarize(result) + "\n";
  return text;
}
