//===- ProofTest.cpp - Comparison of proved results -----------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/Proof.h"
#include "gtest/gtest.h"

namespace rcclx {
namespace {

/// One rank whose output is `root`, of terms in the order that they are given.
Proof makeProof(std::vector<Term> terms, TermId root,
                OutputPiece piece = {0, 0, 1, 1, 0}) {
  Proof proof;
  proof.terms = std::move(terms);
  piece.term = root;
  proof.outputs = {{piece}};
  return proof;
}

constexpr Term in0 = {TermKind::Input, 0, 0};
constexpr Term in1 = {TermKind::Input, 1, 0};
constexpr Term zero = {TermKind::Identity};

TEST(Proof, SameResultsWhateverTheNumbers) {
  Proof a = makeProof({zero,
                       in0,
                       in1,
                       {TermKind::Reduce, 0, 1},
                       {TermKind::Reduce, 3, 2},
                       {TermKind::Finish, 4}},
                      5);
  Proof b = makeProof({in1,
                       in0,
                       zero,
                       {TermKind::Reduce, 2, 1},
                       {TermKind::Reduce, 3, 0},
                       {TermKind::Finish, 4}},
                      5);
  EXPECT_TRUE(haveSameResults(a, b));
}

TEST(Proof, OtherOrderOtherFinishOtherPlace) {
  Proof a = makeProof({zero,
                       in0,
                       in1,
                       {TermKind::Reduce, 0, 1},
                       {TermKind::Reduce, 3, 2},
                       {TermKind::Finish, 4}},
                      5);
  Proof order = makeProof({zero,
                           in1,
                           in0,
                           {TermKind::Reduce, 0, 1},
                           {TermKind::Reduce, 3, 2},
                           {TermKind::Finish, 4}},
                          5);
  EXPECT_FALSE(haveSameResults(a, order));
  Proof rounded = a;
  rounded.terms[5].kind = TermKind::Round;
  EXPECT_FALSE(haveSameResults(a, rounded));
  Proof half = makeProof(a.terms, 5, {0, 0, 1, 2, 0});
  EXPECT_FALSE(haveSameResults(a, half));
  Proof more = a;
  more.outputs.emplace_back();
  EXPECT_FALSE(haveSameResults(a, more));
}

} // namespace
} // namespace rcclx
