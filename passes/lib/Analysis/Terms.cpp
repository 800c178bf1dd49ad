//===- Terms.cpp - Hash-consed ordered reduction trees --------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/Terms.h"
#include <cassert>
#include <limits>

using namespace rcclx;

TermId TermStore::intern(Term term) {
  auto [it, inserted] = ids.try_emplace(
      {uint64_t(term.kind) << 32 | term.first, term.second}, TermId(size()));
  if (!inserted)
    return it->second;
  uint64_t count = 0;
  switch (term.kind) {
  case TermKind::Input:
    count = 1;
    break;
  case TermKind::Identity:
    break;
  case TermKind::Reduce: {
    uint64_t left = inputs[term.first], right = inputs[term.second];
    count = left + right < left ? std::numeric_limits<uint64_t>::max()
                                : left + right;
    break;
  }
  case TermKind::Round:
  case TermKind::Finish:
    count = inputs[term.first];
    break;
  }
  terms.push_back(term);
  inputs.push_back(count);
  return it->second;
}

std::string TermStore::describe(TermId id, size_t limit) const {
  // Trees can be as deep as a schedule is long: no recursion.
  struct Item {
    const char *text; ///< Null for a term.
    TermId term;
  };
  std::vector<Item> pending = {{nullptr, id}};
  std::string result;
  while (!pending.empty()) {
    if (result.size() > limit)
      return result.substr(0, limit) + "...";
    Item item = pending.back();
    pending.pop_back();
    if (item.text) {
      result += item.text;
      continue;
    }
    const Term &term = terms[item.term];
    switch (term.kind) {
    case TermKind::Input:
      result += "in" + std::to_string(term.first);
      if (term.second)
        result += "[" + std::to_string(term.second) + "]";
      break;
    case TermKind::Identity:
      result += "identity";
      break;
    case TermKind::Reduce:
      // What an accumulator starts with goes without saying.
      if (terms[term.first].kind == TermKind::Identity) {
        pending.push_back({nullptr, term.second});
        break;
      }
      pending.push_back({")", 0});
      pending.push_back({nullptr, term.second});
      pending.push_back({" + ", 0});
      pending.push_back({nullptr, term.first});
      pending.push_back({"(", 0});
      break;
    case TermKind::Round:
    case TermKind::Finish:
      pending.push_back({")", 0});
      pending.push_back({nullptr, term.first});
      pending.push_back(
          {term.kind == TermKind::Round ? "round(" : "finish(", 0});
      break;
    }
  }
  return result;
}
