//===- Terms.h - Hash-consed ordered reduction trees ------------*- C++ -*-===//
//
// Part of rcclx.
//
// What an element of a result is, as a function of the elements at the same
// position of the ranks' inputs. No operation moves an element within its
// block, so a term names no position. Equal identities are equal trees.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_ANALYSIS_TERMS_H
#define RCCLX_ANALYSIS_TERMS_H

#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <string>
#include <vector>

namespace rcclx {

enum class TermKind : uint8_t {
  Input,    ///< Block `second` of the input of rank `first`.
  Identity, ///< The neutral element.
  Reduce,   ///< The reduction `first` and then the chunk `second`.
  Round,    ///< `first` in the element type.
  Finish,   ///< `first`, scaled as avg needs, in the element type.
};

using TermId = uint32_t;

struct Term {
  TermKind kind;
  uint32_t first = 0;
  uint32_t second = 0;
  bool operator==(const Term &) const = default;
};

/// The terms of one proof. Operands have smaller identities than their users.
class TermStore {
public:
  TermId getInput(uint32_t rank, uint32_t block) {
    return intern({TermKind::Input, rank, block});
  }
  TermId getIdentity() { return intern({TermKind::Identity}); }
  TermId getReduce(TermId acc, TermId chunk) {
    return intern({TermKind::Reduce, acc, chunk});
  }
  TermId getRound(TermId acc) { return intern({TermKind::Round, acc}); }
  TermId getFinish(TermId acc) { return intern({TermKind::Finish, acc}); }

  const Term &operator[](TermId id) const { return terms[id]; }
  size_t size() const { return terms.size(); }

  /// How many inputs the tree of `id` has as leaves, each as often as it
  /// occurs; no more than 2^64 - 1 are counted.
  uint64_t countInputs(TermId id) const { return inputs[id]; }

  /// The tree as a formula over in0, in1, ..., cut short after `limit`
  /// characters.
  std::string describe(TermId id, size_t limit = 160) const;

private:
  TermId intern(Term term);

  std::vector<Term> terms;
  std::vector<uint64_t> inputs;
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, TermId> ids;
};

} // namespace rcclx

#endif // RCCLX_ANALYSIS_TERMS_H
