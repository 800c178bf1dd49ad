//===- Explain.cpp - Why a mutant is no worse -----------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

using namespace llvm;
using namespace rcclx;
using namespace rcclx::mutants;

namespace {
/// Survivors of the forms and kinds that match have this reason. The first rule
/// counts.
struct Rule {
  const char *form; // "schedule", or "*" for kernels
  const char *kind; // of getKind
  const char *why;
};
} // namespace

static constexpr Rule rules[] = {
    {"schedule", "barrier/*",
     "other rounds or distances: every rank still hears of all others"},
    {"schedule", "all_reduce_two_shot_stored/{load: drop*,send: another chunk}",
     "the chunk that was stored, in place of what is read back: the same"},
    {"schedule", "permute_direct/scf.if: never",
     "a rank that keeps its block sends it to itself"},
    {"*", "*/{alive: *,scf.if: always}",
     "asks whether a wait has failed; none has"},
    {"*", "*/{wait_message,wait_pull,wait_window,drain_window}: duplicate",
     "waits once more for what has come"},
    {"*", "*/{wait_credit,post_credit}: *",
     "a credit that messages imply: no rank gets so far ahead"},
    {"*", "*/scf.if: {drop,never}",
     "a credit that messages imply: no rank gets so far ahead"},
    {"*", "*/wait_window: *",
     "readers of the window have read: what they send implies it"},
    {"*", "*/{acquire,release}: {duplicate,swap with next}",
     "one fence more, or one at a place that orders the same"},
    {"*", "*/{acquire,release}: drop",
     "a fence for credits only, which messages imply"},
    {"*", "*/{post_message,post_pull,post_window}: duplicate",
     "sets a counter to the value that it has"},
    {"*", "*/{load,recv}: duplicate", "reads once more; nobody uses it"},
    {"*", "*/send: duplicate", "the same data once more, before its signal"},
    {"*", "*/tiles: {num + 1,den - 1}",
     "a tile more at the end, which is empty"},
    {"*", "*/{scf.for,scf.if}: duplicate",
     "may run twice: it waits for what has come, or writes the same again "
     "before its signal"},
    {"*", "*/scf.for: upper + 1",
     "goes once more to the first peer: the same again"},
    {"*", "permute_direct/{range,buffer,load,store,scf.for}: *",
     "the copy of a rank that keeps its block: neither of two does"},
    {"*", "barrier/{tiles,scf.for,post_message,wait_message}: *",
     "a barrier has one tile and few rounds: the same order by other numbers"},
    {"*", "all_reduce_two_shot/scf.for: lower - 1",
     "a message to itself, too, that nobody waits for"},
    {"*", "all_reduce_two_shot/scf.for: *",
     "a credit that messages imply: no rank gets so far ahead"},
    {"*", "*/*: swap with next", "independent of what comes next"},
    {"*", "{broadcast,reduce}_binomial/scf.for: *",
     "rounds in which no rank takes part"},
    {"*", "*/buffer: {block = own rank,no block}",
     "the same block on the ranks that run it"},
    {"*", "*/round: another acc", "the same sum by another name"},
    {"*", "*/*: exchange peer and tag",
     "the two are equal on the ranks that run it"},
    {"*", "*/{shift,arith.addi,arith.subi}: *", "peers in another order"},
    {"*", "*/arith.*: *", "the same for all values that occur"},
};

static bool matches(StringRef pattern, StringRef text) {
  Expected<GlobPattern> glob =
      GlobPattern::create(pattern, /*MaxSubPatterns=*/64);
  if (!glob) {
    consumeError(glob.takeError());
    return false;
  }
  return glob->match(text);
}

std::string mutants::explainSurvivor(const FormResult &result,
                                     const Mutant &mutant) {
  if (!mutant.explanation.empty())
    return mutant.explanation;
  std::string kind = result.program + "/" + mutant.mutation.getKind();
  for (const Rule &rule : rules)
    if ((StringRef(rule.form) == "schedule") == (result.form == "schedule") &&
        matches(rule.kind, kind))
      return rule.why;
  return "";
}

std::string mutants::getReason(const Mutant &mutant) {
  StringRef text;
  for (const Outcome &o : mutant.outcomes)
    if (text.empty())
      text = o.refusal;
  std::string reason;
  for (char c : text) {
    if (!isDigit(c))
      reason += c;
    else if (reason.empty() || reason.back() != 'N')
      reason += 'N';
  }
  return reason;
}
