//===- Report.cpp - What became of all mutants ----------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>
#include <map>

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

std::string mutants::writeReport(ArrayRef<FormResult> results) {
  std::string text;
  for (const FormResult &result : results)
    text += summarize(result) + "\n";
  return text;
}
