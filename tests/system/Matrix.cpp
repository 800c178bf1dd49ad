//===- Matrix.cpp - Which cases of a large space to run -------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Matrix.h"

#include <random>
#include <set>

namespace rcclx::testing {
namespace {

class PairCover {
public:
  PairCover(const std::vector<size_t> &sizes, size_t whole)
      : sizes(sizes), whole(whole) {
    for (size_t a = 0; a != sizes.size(); ++a)
      for (size_t b = a + 1; b != sizes.size(); ++b)
        for (size_t i = 0; i != sizes[a]; ++i)
          for (size_t j = 0; j != sizes[b]; ++j)
            open.insert({a, i, b, j});
  }

  std::vector<Row> run() {
    Row row(sizes.size(), 0);
    enumerate(row, 0);
    while (!open.empty()) { // each turn covers one pair at least
      const Pair &pair = *open.begin();
      std::vector<bool> fixed(sizes.size(), false);
      row[pair[0]] = pair[1];
      row[pair[2]] = pair[3];
      fixed[pair[0]] = fixed[pair[2]] = true;
      add(row, fixed);
    }
    return std::move(rows);
  }

private:
  using Pair = std::vector<size_t>; // factor, value, factor, value

  void enumerate(Row &row, size_t factor) {
    if (factor == whole) {
      std::vector<bool> fixed(sizes.size(), false);
      for (size_t f = 0; f != whole; ++f)
        fixed[f] = true;
      add(row, fixed);
      return;
    }
    for (row[factor] = 0; row[factor] != sizes[factor]; ++row[factor])
      enumerate(row, factor + 1);
  }

  /// Adds `row` with those values of the factors that are not fixed that cover
  /// the most pairs, of some that are drawn.
  void add(Row row, const std::vector<bool> &fixed) {
    constexpr int draws = 40;
    Row best;
    size_t mostCovered = 0;
    for (int draw = 0; draw != draws; ++draw) {
      for (size_t f = 0; f != sizes.size(); ++f)
        if (!fixed[f])
          row[f] = random() % sizes[f];
      size_t covered = 0;
      visit(row, [&](const Pair &pair) { covered += open.count(pair); });
      if (best.empty() || covered > mostCovered) {
        best = row;
        mostCovered = covered;
      }
    }
    visit(best, [&](const Pair &pair) { open.erase(pair); });
    rows.push_back(best);
  }

  template <typename Visit> void visit(const Row &row, Visit visit) const {
    for (size_t a = 0; a != row.size(); ++a)
      for (size_t b = a + 1; b != row.size(); ++b)
        visit({a, row[a], b, row[b]});
  }

  const std::vector<size_t> &sizes;
  const size_t whole;
  std::set<Pair> open;
  std::mt19937 random{1};
  std::vector<Row> rows;
};

} // namespace

std::vector<Row> coverPairs(const std::vector<size_t> &sizes, size_t whole) {
  return PairCover(sizes, whole).run();
}

} // namespace rcclx::testing
