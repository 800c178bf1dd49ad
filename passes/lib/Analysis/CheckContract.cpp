//===- CheckContract.cpp - Outputs against the contract -------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Wording.h"
#include "rcclx/Analysis/Simulate.h"
#include <algorithm>

using namespace rcclx;

namespace {

class ContractChecker {
public:
  ContractChecker(const ScheduleTrace &trace, const Evaluation &evaluation)
      : trace(trace), evaluation(evaluation), terms(evaluation.terms),
        world(trace.getWorld()) {}

  /// Every piece is finished once, from block `block` of each rank once.
  std::optional<Finding> checkReduction(uint32_t rank, uint32_t block);
  /// Every piece of output block `block` is block `expected` of the input of
  /// rank `source`.
  std::optional<Finding> checkCopy(uint32_t rank, const WrittenPiece &piece,
                                   uint32_t source, uint32_t expected);
  /// All ranks hold the same trees.
  std::optional<Finding> checkAgreement();
  std::optional<Finding> checkBarrier();

private:
  std::optional<Finding> checkLeaves(uint32_t rank, const WrittenPiece &piece,
                                     uint32_t block);
  /// The first reduction of `root` both operands of which hold `input`.
  TermId findSecondUse(TermId root, TermId input) const;
  std::string inputName(uint32_t rank, uint32_t block) const {
    return (trace.hasBlockPerRank(Memory::Input)
                ? "block " + str(block) + " of the input of "
                : "the input of ") +
           rankName(rank);
  }
  std::string pieceName(const WrittenPiece &piece) const {
    return placeName(trace, {Memory::Output, piece.block, piece.interval});
  }

  const ScheduleTrace &trace;
  const Evaluation &evaluation;
  const TermStore &terms;
  uint32_t world;
  /// Per term, the block of every rank's input that it is known to reduce.
  std::vector<uint32_t> known;
};

constexpr uint32_t unknown = ~uint32_t(0);

} // namespace

TermId ContractChecker::findSecondUse(TermId root, TermId input) const {
  // How often each term holds the input: not at all, once, or (2) more often.
  std::vector<uint8_t> uses(root + 1, 0);
  for (TermId id = input; id <= root; ++id) {
    const Term &term = terms[id];
    if (id == input)
      uses[id] = 1;
    else if (term.kind == TermKind::Reduce)
      uses[id] = std::min(2, uses[term.first] + uses[term.second]);
    else if (term.kind == TermKind::Round || term.kind == TermKind::Finish)
      uses[id] = uses[term.first];
  }
  while (true) {
    const Term &term = terms[root];
    if (term.kind != TermKind::Reduce || uses[term.first] == 2)
      root = term.first;
    else if (uses[term.first] == 0)
      root = term.second;
    else
      return root;
  }
}

std::optional<Finding> ContractChecker::checkLeaves(uint32_t rank,
                                                    const WrittenPiece &piece,
                                                    uint32_t block) {
  if (known.empty())
    known.assign(terms.size(), unknown);
  if (known[piece.term] == block)
    return std::nullopt;

  std::string where = at(trace, rank) + pieceName(piece);
  TermOrigin finished = evaluation.origins[piece.term];
  auto finding = [&](const std::string &what) {
    return Finding{piece.op,
                   where + " " + what,
                   {{finished.op, rankName(finished.rank) + " finishes " +
                                      terms.describe(piece.term) + " here"}}};
  };
  struct Item {
    TermId term;
    TermId user; ///< The reduction that brings it in.
  };
  std::vector<Item> pending = {{terms[piece.term].first, piece.term}};
  std::vector<bool> seen(world, false);
  uint32_t numSeen = 0;
  while (!pending.empty()) {
    Item item = pending.back();
    pending.pop_back();
    // Ends after world + 1 inputs, however much of the tree is shared.
    if (terms.countInputs(item.term) == 0)
      continue;
    const Term &term = terms[item.term];
    switch (term.kind) {
    case TermKind::Input: {
      if (term.second != block) {
        TermOrigin origin = evaluation.origins[item.user];
        Finding wrong = finding("holds a contribution of " +
                                inputName(term.first, term.second) +
                                ", expected block " + str(block));
        wrong.notes.emplace_back(origin.op,
                                 "added here, by " + rankName(origin.rank));
        return wrong;
      }
      if (seen[term.first]) {
        Finding doubled = finding("holds the contribution of " +
                                  rankName(term.first) + " twice");
        TermOrigin join =
            evaluation.origins[findSecondUse(piece.term, item.term)];
        doubled.notes.emplace_back(join.op, "added again here, by " +
                                                rankName(join.rank));
        return doubled;
      }
      seen[term.first] = true;
      ++numSeen;
      break;
    }
    case TermKind::Reduce:
      // The left operand is looked at first: it was reduced earlier.
      pending.push_back({term.second, item.term});
      pending.push_back({term.first, item.term});
      break;
    case TermKind::Identity:
      break;
    case TermKind::Round:
    case TermKind::Finish:
      pending.push_back({term.first, item.user});
      break;
    }
  }
  if (numSeen < world) {
    uint32_t missing = llvm::find(seen, false) - seen.begin();
    return finding("misses the contribution of " + rankName(missing));
  }
  known[piece.term] = block;
  return std::nullopt;
}

std::optional<Finding> ContractChecker::checkReduction(uint32_t rank,
                                                       uint32_t block) {
  for (const WrittenPiece &piece : evaluation.outputs[rank]) {
    const Term &term = terms[piece.term];
    std::string where = at(trace, rank) + pieceName(piece) + " holds ";
    if (term.kind == TermKind::Input)
      return Finding{piece.op, where + inputName(term.first, term.second) +
                                   ", expected a reduction, finished by "
                                   "rcclx.finish"};
    if (term.kind == TermKind::Round)
      return Finding{piece.op, where + "a partial result, " +
                                   terms.describe(piece.term) +
                                   "; expected rcclx.finish"};
    if (std::optional<Finding> finding = checkLeaves(rank, piece, block))
      return finding;
  }
  return std::nullopt;
}

std::optional<Finding> ContractChecker::checkCopy(uint32_t rank,
                                                  const WrittenPiece &piece,
                                                  uint32_t source,
                                                  uint32_t expected) {
  const Term &term = terms[piece.term];
  if (term.first == source && term.second == expected)
    return std::nullopt;
  return Finding{piece.op, at(trace, rank) + pieceName(piece) + " holds " +
                               inputName(term.first, term.second) +
                               ", expected " + inputName(source, expected)};
}

std::optional<Finding> ContractChecker::checkAgreement() {
  const std::vector<WrittenPiece> &first = evaluation.outputs[0];
  for (uint32_t rank = 1; rank < world; ++rank) {
    const std::vector<WrittenPiece> &other = evaluation.outputs[rank];
    for (size_t i = 0, j = 0; i < first.size() && j < other.size();) {
      const WrittenPiece &a = first[i], &b = other[j];
      std::strong_ordering ends = trace.intervals[a.interval].end() <=>
                                  trace.intervals[b.interval].end();
      if (a.term != b.term)
        return Finding{b.op,
                       at(trace, rank) + pieceName(ends < 0 ? a : b) +
                           " holds " + terms.describe(b.term) +
                           ", but rank 0 holds " + terms.describe(a.term) +
                           " there; expected the same order of reduction on "
                           "all ranks",
                       {{a.op, "written here by rank 0"}}};
      i += ends <= 0;
      j += ends >= 0;
    }
  }
  return std::nullopt;
}

std::optional<Finding> ContractChecker::checkBarrier() {
  for (uint32_t rank = 0; rank < world; ++rank)
    for (uint32_t other = 0; other < world; ++other)
      if (!evaluation.heard[rank][other])
        return Finding{0, at(trace, rank) + "may leave the barrier before " +
                              rankName(other) + " has entered it"};
  return std::nullopt;
}

std::optional<Finding> rcclx::checkContract(const ScheduleTrace &trace,
                                            const Evaluation &evaluation) {
  ContractChecker checker(trace, evaluation);
  const Roles &roles = trace.roles;
  // What block `block` of the output of `rank` shall hold: a reduction of, or
  // a copy from, these blocks.
  for (uint32_t rank = 0; rank < trace.getWorld(); ++rank) {
    auto checkCopies = [&](auto sourceOf, uint32_t expected) {
      std::optional<Finding> finding;
      for (const WrittenPiece &piece : evaluation.outputs[rank])
        if (!finding)
          finding =
              checker.checkCopy(rank, piece, sourceOf(piece.block), expected);
      return finding;
    };
    auto own = [](uint32_t block) { return block; };
    auto root = [&](uint32_t) { return roles.root; };
    std::optional<Finding> finding;
    switch (trace.goal) {
    case Goal::AllReduce:
    case Goal::Reduce:
      finding = checker.checkReduction(rank, 0);
      break;
    case Goal::ReduceScatter:
      finding = checker.checkReduction(rank, rank);
      break;
    case Goal::AllGather:
    case Goal::Gather:
      finding = checkCopies(own, 0);
      break;
    case Goal::AllToAll:
      finding = checkCopies(own, rank);
      break;
    case Goal::Broadcast:
      finding = checkCopies(root, 0);
      break;
    case Goal::Scatter:
      finding = checkCopies(root, rank);
      break;
    case Goal::Permute:
      finding = checkCopies([&](uint32_t) { return roles.sources[rank]; }, 0);
      break;
    case Goal::Barrier:
      break;
    }
    if (finding)
      return finding;
  }
  if (trace.goal == Goal::Barrier)
    return checker.checkBarrier();
  return trace.goal == Goal::AllReduce ? checker.checkAgreement()
                                       : std::nullopt;
}
