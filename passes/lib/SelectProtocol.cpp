//===- SelectProtocol.cpp - Choose ll, sentinel or flag per edge ----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "rcclx/Analysis/Edges.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "rcclx/Passes/Passes.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace rcclx {
#define GEN_PASS_DEF_SELECTPROTOCOL
#include "rcclx/Passes/Passes.h.inc"
} // namespace rcclx

using namespace mlir;
using namespace rcclx;

/// A receive of `stage` that the program places after a send of it, also by way
/// of a loop around both: then all waits of the stage cannot come before all of
/// its sends. Null if there is none.
static RecvOp findWaitAfterSend(StageOp stage) {
  bool sent = false;
  RecvOp found;
  stage.walk<WalkOrder::PreOrder>([&](Operation *op) {
    sent |= isa<SendOp>(op);
    if (auto recv = dyn_cast<RecvOp>(op))
      if (sent && !found)
        found = recv;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      RecvOp recv;
      bool both = false;
      loop.walk([&](Operation *inner) {
        both |= isa<SendOp>(inner);
        if (auto r = dyn_cast<RecvOp>(inner))
          recv = r;
      });
      if (both && recv && !found)
        found = recv;
    }
  });
  return found;
}

namespace {
/// Edges that share an end have one protocol.
struct EdgeClass {
  SmallVector<Operation *> sends, recvs;
};

struct SelectProtocolPass
    : public rcclx::impl::SelectProtocolBase<SelectProtocolPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!protocol.empty()) {
      wanted = symbolizeProtocol(protocol);
      if (!wanted || *wanted == Protocol::Direct) {
        emitError(getOperation().getLoc())
            << "unknown protocol '" << protocol
            << "'; expected ll, sentinel or flag";
        return signalPassFailure();
      }
    }
    if (kind != "host" && kind != "gpu") {
      emitError(getOperation().getLoc())
          << "unknown kind of device '" << kind << "'; expected host or gpu";
      return signalPassFailure();
    }
    for (auto collective : getOperation().getOps<CollectiveOp>())
      if (failed(select(collective)))
        return signalPassFailure();
  }

  LogicalResult select(CollectiveOp collective) {
    SpecializationAttr spec = collective.getSpecAttr();
    if (!spec)
      return collective.emitOpError(
          "is not bound; expected rcclx-specialize first");
    auto edges = findEdges(collective, spec.getWorld());
    if (failed(edges))
      return failure();

    llvm::EquivalenceClasses<Operation *> classes;
    for (auto [send, recv] : *edges)
      classes.unionSets(send, recv);
    llvm::MapVector<Operation *, EdgeClass> byLeader;
    collective.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<SendOp, RecvOp>(op))
        return;
      // An operation that no rank reaches is an edge of its own.
      classes.insert(op);
      EdgeClass &edge = byLeader[classes.getLeaderValue(op)];
      (isa<SendOp>(op) ? edge.sends : edge.recvs).push_back(op);
    });

    if (failed(checkElementOrder(collective, *edges)))
      return failure();

    std::set<Operation *> canonical = findCanonical(collective, *edges);
    for (auto &[leader, edge] : byLeader) {
      FailureOr<Protocol> chosen = choose(spec, edge, canonical);
      if (failed(chosen))
        return failure();
      auto attr = ProtocolAttr::get(&getContext(), *chosen);
      for (Operation *op : edge.sends)
        cast<SendOp>(op).setProtocolAttr(attr);
      for (Operation *op : edge.recvs)
        cast<RecvOp>(op).setProtocolAttr(attr);
    }
    return success();
  }

  /// A stage that waits after it has sent runs group by group, where the proof
  /// saw it as one. It must not wait for another stage, which may wait for all
  /// of it: no path of messages and program order leads from it to others and
  /// back. Within it, each group is the schedule anew. rcclx-verify-kernel
  /// finds what breaks this; here it is refused in the schedule's terms.
  static LogicalResult checkElementOrder(
      CollectiveOp collective,
      const llvm::SetVector<std::pair<Operation *, Operation *>> &edges) {
    SmallVector<StageOp> stages;
    collective.walk<WalkOrder::PreOrder>(
        [&](StageOp stage) { stages.push_back(stage); });
    llvm::DenseMap<Operation *, llvm::SetVector<Operation *>> next;
    for (auto [i, earlier] : llvm::enumerate(stages))
      for (StageOp later : ArrayRef(stages).drop_front(i + 1)) {
        next[earlier].insert(later);
        if (haveCommonLoop(earlier, later))
          next[later].insert(earlier);
      }
    for (auto [send, recv] : edges)
      if (auto from = send->getParentOfType<StageOp>())
        if (auto to = recv->getParentOfType<StageOp>(); to && to != from)
          next[from].insert(to);

    for (StageOp stage : stages) {
      RecvOp recv = findWaitAfterSend(stage);
      if (!recv)
        continue;
      bool repeated = stage->getParentOfType<scf::ForOp>() != nullptr;
      if (repeated || reaches(stage, stage, next))
        return recv.emitOpError("follows a send of its stage, which ")
               << (repeated ? "runs more than once"
                            : "other stages wait for and are waited for by")
               << "; not lowered yet: expected what is sent before to depend "
                  "on nothing that is received";
    }
    return success();
  }

  static bool haveCommonLoop(Operation *a, Operation *b) {
    for (auto loop = a->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      if (loop->isAncestor(b))
        return true;
    return false;
  }

  static bool
  reaches(Operation *from, Operation *to,
          llvm::DenseMap<Operation *, llvm::SetVector<Operation *>> &next) {
    llvm::SetVector<Operation *> seen(next[from].begin(), next[from].end());
    for (size_t i = 0; i < seen.size(); ++i) // grows meanwhile
      seen.insert(next[seen[i]].begin(), next[seen[i]].end());
    return seen.contains(to);
  }

  /// Sends whose data is canonical: results of `round` and `finish`, also
  /// passed on. A greatest fixpoint, since a ring passes on what it passed on.
  static std::set<Operation *> findCanonical(
      CollectiveOp collective,
      const llvm::SetVector<std::pair<Operation *, Operation *>> &edges) {
    std::set<Operation *> canonical;
    collective.walk([&](SendOp send) {
      if (isa_and_present<RoundOp, FinishOp, RecvOp>(
              send.getChunk().getDefiningOp()))
        canonical.insert(send);
    });
    for (bool changed = true; changed;) {
      changed = false;
      for (auto [send, recv] : edges)
        if (!canonical.count(send))
          for (Operation *user : recv->getUsers())
            changed |= isa<SendOp>(user) && canonical.erase(user);
    }
    return canonical;
  }

  static bool feedsReductionOnly(Operation *recv) {
    return llvm::all_of(recv->getUsers(), llvm::IsaPred<ReduceOp>);
  }

  FailureOr<Protocol> choose(SpecializationAttr spec, const EdgeClass &edge,
                             const std::set<Operation *> &canonical) {
    Operation *waits = nullptr;
    for (Operation *op : llvm::concat<Operation *const>(edge.sends, edge.recvs))
      if (auto stage = op->getParentOfType<StageOp>())
        if (RecvOp recv = findWaitAfterSend(stage))
          waits = recv;
    bool flag = !waits;
    bool sentinel = isa<FloatType>(spec.getElement()) &&
                    (llvm::all_of(edge.sends,
                                  [&](Operation *op) {
                                    return canonical.count(op) != 0;
                                  }) ||
                     llvm::all_of(edge.recvs, feedsReductionOnly));

    if (wanted) {
      if (*wanted == Protocol::Flag && !flag)
        return refuse(waits,
                      "waits for a message after its stage has sent one");
      if (*wanted == Protocol::Sentinel && !sentinel) {
        // Copies and integers never use it; they go by flag where that is
        // legal.
        return flag ? Protocol::Flag : Protocol::LL;
      }
      return *wanted;
    }
    uint64_t bytes = count * spec.getElement().getIntOrFloatBitWidth() / 8;
    // Host: one flag a tile is cheaper than one a packet at every size
    // measured.
    if (kind == "host")
      return flag ? Protocol::Flag : Protocol::LL;
    // GPU: the small protocols need no fence; `ll` carries half as much.
    if (bytes <= 4096 || (!sentinel && !flag))
      return Protocol::LL;
    if (sentinel && bytes <= (8u << 20))
      return Protocol::Sentinel;
    return flag ? Protocol::Flag : Protocol::Sentinel;
  }

  FailureOr<Protocol> refuse(Operation *op, StringRef why) {
    op->emitOpError(why) << ", which protocol flag cannot do; expected ll or "
                            "sentinel";
    return failure();
  }

  std::optional<Protocol> wanted;
};
} // namespace
