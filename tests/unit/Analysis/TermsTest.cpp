//===- TermsTest.cpp - Hash-consed ordered reduction trees ----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/Terms.h"
#include <gtest/gtest.h>
#include <limits>

using namespace rcclx;

namespace {

TEST(Terms, EqualTreesAreOneTerm) {
  TermStore terms;
  TermId x = terms.getInput(0, 0), y = terms.getInput(1, 0);
  TermId sum = terms.getReduce(terms.getReduce(terms.getIdentity(), x), y);
  size_t size = terms.size();
  EXPECT_EQ(terms.getReduce(
                terms.getReduce(terms.getIdentity(), terms.getInput(0, 0)),
                terms.getInput(1, 0)),
            sum);
  EXPECT_EQ(terms.size(), size);
}

TEST(Terms, OrderRoundingAndBlocksMatter) {
  TermStore terms;
  TermId zero = terms.getIdentity();
  TermId x = terms.getInput(0, 0), y = terms.getInput(1, 0);
  TermId xy = terms.getReduce(terms.getReduce(zero, x), y);
  TermId yx = terms.getReduce(terms.getReduce(zero, y), x);
  EXPECT_NE(xy, yx);
  EXPECT_NE(terms.getRound(xy), terms.getFinish(xy));
  EXPECT_NE(terms.getInput(0, 1), x);
  EXPECT_NE(terms.getInput(1, 0), terms.getInput(0, 1));
}

TEST(Terms, OperandsComeBeforeTheirUsers) {
  TermStore terms;
  TermId x = terms.getInput(3, 1);
  TermId sum = terms.getReduce(terms.getIdentity(), x);
  TermId result = terms.getFinish(sum);
  EXPECT_LT(x, sum);
  EXPECT_LT(sum, result);
  EXPECT_EQ(terms[result], (Term{TermKind::Finish, sum, 0}));
  EXPECT_EQ(terms[x], (Term{TermKind::Input, 3, 1}));
}

TEST(Terms, CountsInputsAsOftenAsTheyOccur) {
  TermStore terms;
  TermId sum = terms.getIdentity();
  EXPECT_EQ(terms.countInputs(sum), 0u);
  for (uint32_t rank = 0; rank < 5; ++rank)
    sum = terms.getReduce(sum, terms.getInput(rank % 2, 0));
  EXPECT_EQ(terms.countInputs(terms.getFinish(sum)), 5u);
  // Doubled a hundred times: no more than can be counted.
  for (int i = 0; i < 100; ++i)
    sum = terms.getReduce(sum, terms.getRound(sum));
  EXPECT_EQ(terms.countInputs(sum), std::numeric_limits<uint64_t>::max());
}

TEST(Terms, DescribesAFormula) {
  TermStore terms;
  TermId sum = terms.getReduce(terms.getIdentity(), terms.getInput(0, 0));
  sum = terms.getReduce(sum, terms.getInput(1, 2));
  EXPECT_EQ(terms.describe(terms.getFinish(sum)), "finish((in0 + in1[2]))");
  TermId partial = terms.getRound(sum);
  EXPECT_EQ(terms.describe(terms.getReduce(sum, partial)),
            "((in0 + in1[2]) + round((in0 + in1[2])))");
}

TEST(Terms, DescriptionsAreCutShort) {
  TermStore terms;
  TermId sum = terms.getIdentity();
  for (uint32_t i = 0; i < 1000000; ++i)
    sum = terms.getReduce(sum, terms.getInput(i % 7, i));
  std::string text = terms.describe(sum, 40);
  EXPECT_EQ(text.size(), 43u);
  EXPECT_EQ(text.substr(40), "...");
}

} // namespace
