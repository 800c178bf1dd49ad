//===- Stages.cpp - What stages may do side by side or in place -----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/Analysis/Stages.h"
#include "rcclx/Analysis/Edges.h"
#include "rcclx/Analysis/TraceSchedule.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace rcclx;

std::optional<uint32_t> rcclx::getAliasedBlock(Goal goal, uint32_t rank,
                                               uint32_t block) {
  switch (goal) {
  case Goal::AllReduce:
  case Goal::AllToAll:
  case Goal::Broadcast:
  case Goal::Reduce:
  case Goal::Permute:
    return block;
  case Goal::AllGather: // the input is the own block of the output
  case Goal::Gather:
    return rank;
  case Goal::ReduceScatter: // the output is the own block of the input
  case Goal::Scatter:
    if (block == rank)
      return 0;
    return std::nullopt;
  case Goal::Barrier:
    return std::nullopt;
  }
  llvm_unreachable("unknown goal");
}

static bool overlap(const Interval &a, const Interval &b) {
  return a.start() < b.end() && b.start() < a.end();
}

namespace {
/// A load of the input and a store to the same memory, in place.
struct Conflict {
  Operation *load, *store;
  bool loadFirst, sameCut;
};
} // namespace

/// Calls `visit` for every conflict of every rank. What peers read of a rank's
/// input is published tile by tile, before anything else of the tile.
static void visitConflicts(const TracedSchedule &traced,
                           llvm::function_ref<void(const Conflict &)> visit) {
  const ScheduleTrace &trace = traced.trace;
  std::vector<SmallVector<size_t>> stores(trace.getWorld());
  for (uint32_t rank = 0; rank < trace.getWorld(); ++rank)
    for (auto [i, event] : llvm::enumerate(trace.ranks[rank].getEvents()))
      if (event.kind == EventKind::Store &&
          event.place.memory == Memory::Output)
        stores[rank].push_back(i);
  for (uint32_t rank = 0; rank < trace.getWorld(); ++rank)
    for (auto [i, load] : llvm::enumerate(trace.ranks[rank].getEvents())) {
      if (load.kind != EventKind::Load || load.place.memory != Memory::Input)
        continue;
      uint32_t owner = load.peer;
      std::optional<uint32_t> block =
          getAliasedBlock(trace.goal, owner, load.place.block);
      for (size_t at : stores[owner]) {
        const Event &store = trace.ranks[owner].getEvents()[at];
        if (block == store.place.block &&
            overlap(trace.intervals[load.place.interval],
                    trace.intervals[store.place.interval]))
          visit({traced.sources[load.op], traced.sources[store.op],
                 load.isRemote || i < at,
                 load.place.interval == store.place.interval});
      }
    }
}

/// Calls `visit` for every load of output or scratch and every store that it
/// may read.
static void
visitReadBacks(const TracedSchedule &traced,
               llvm::function_ref<void(const Event &, const Event &)> visit) {
  const ScheduleTrace &trace = traced.trace;
  for (uint32_t rank = 0; rank < trace.getWorld(); ++rank)
    for (const Event &load : trace.ranks[rank].getEvents()) {
      if (load.kind != EventKind::Load || load.place.memory == Memory::Input)
        continue;
      // Whose output it is, `peer` says.
      for (const RankTrace &other : trace.ranks)
        for (const Event &store : other.getEvents())
          if (store.kind == EventKind::Store && store.peer == load.peer &&
              store.place.memory == load.place.memory &&
              store.place.block == load.place.block &&
              overlap(trace.intervals[store.place.interval],
                      trace.intervals[load.place.interval]))
            visit(load, store);
    }
}

FailureOr<llvm::MapVector<StageOp, unsigned>>
rcclx::groupStages(CollectiveOp collective, uint32_t world) {
  auto edges = findEdges(collective, world);
  FailureOr<TracedSchedule> traced = traceSchedule(collective, world);
  if (failed(edges) || failed(traced))
    return failure();

  llvm::EquivalenceClasses<Operation *> classes;
  auto stageOf = [](Operation *op) {
    return op->getParentOfType<StageOp>().getOperation();
  };
  Operation *first = nullptr;
  bool ordered = false;
  collective.walk([&](Operation *op) {
    ordered |= isa<SignalOp, WaitOp, BarrierOp>(op);
    if (isa<StageOp>(op)) {
      classes.insert(op);
      first = first ? first : op;
    }
  });
  for (auto [send, recv] : *edges)
    classes.unionSets(stageOf(send), stageOf(recv));
  visitConflicts(*traced, [&](const Conflict &conflict) {
    classes.unionSets(stageOf(conflict.load), stageOf(conflict.store));
  });
  visitReadBacks(*traced, [&](const Event &load, const Event &store) {
    classes.unionSets(stageOf(traced->sources[load.op]),
                      stageOf(traced->sources[store.op]));
  });
  // Blocks for copies alone would cost more than they gain: classes in which no
  // rank communicates join the first one in which some rank does.
  llvm::SmallPtrSet<Operation *, 8> communicating; // the leaders
  for (const RankTrace &rank : traced->trace.ranks)
    for (const Event &event : rank.getEvents())
      if (event.isSend() || event.isReceive() || event.isRemote)
        if (auto stage = traced->sources[event.op]->getParentOfType<StageOp>())
          communicating.insert(classes.getLeaderValue(stage));
  Operation *host = nullptr;
  SmallVector<Operation *> others;
  collective.walk<WalkOrder::PreOrder>([&](StageOp stage) {
    if (!communicating.contains(classes.getLeaderValue(stage)))
      others.push_back(stage);
    else if (!host)
      host = stage;
  });
  for (Operation *stage : others)
    classes.unionSets(host ? host : first, stage);
  if (ordered)
    collective.walk([&](StageOp stage) { classes.unionSets(first, stage); });

  llvm::MapVector<StageOp, unsigned> groups;
  llvm::DenseMap<Operation *, unsigned> numbers;
  collective.walk<WalkOrder::PreOrder>([&](StageOp stage) {
    Operation *leader = classes.getLeaderValue(stage);
    groups[stage] = numbers.try_emplace(leader, numbers.size()).first->second;
  });
  return groups;
}

std::pair<int64_t, int64_t> rcclx::findLongestSlice(CollectiveOp collective,
                                                    unsigned group) {
  std::pair<int64_t, int64_t> longest = {0, 1};
  collective.walk([&](StageOp stage) {
    if (stage.getGroup() != group)
      return;
    std::pair<int64_t, int64_t> fraction = {1, 1};
    for (Value slice = stage.getOver();
         auto part = slice.getDefiningOp<PartOp>(); slice = part.getSource()) {
      std::optional<int64_t> count = getConstantIntValue(part.getCount());
      std::optional<int64_t> length =
          part.getLength() ? getConstantIntValue(part.getLength()) : 1;
      // A stage that no rank reaches may have none.
      if (count && length && *count > 0 && *length > 0) {
        fraction.first *= *length;
        fraction.second *= *count;
      }
    }
    if (fraction.first * longest.second > longest.first * fraction.second)
      longest = fraction;
  });
  return longest;
}

FailureOr<Operation *> rcclx::findUnalignedReadBack(CollectiveOp collective,
                                                    uint32_t world) {
  bool readsBack = false;
  collective.walk([&](LoadOp load) {
    BufferOp buffer = getBufferOf(load.getSource());
    readsBack |= !buffer || buffer.getBuffer() != BufferKind::Input;
  });
  if (!readsBack)
    return nullptr;
  FailureOr<TracedSchedule> traced = traceSchedule(collective, world);
  if (failed(traced))
    return failure();
  Operation *found = nullptr;
  visitReadBacks(*traced, [&](const Event &load, const Event &store) {
    if (load.place.interval != store.place.interval && !found)
      found = traced->sources[load.op];
  });
  return found;
}

FailureOr<bool> rcclx::isSafeInPlace(CollectiveOp collective, uint32_t world) {
  FailureOr<TracedSchedule> traced = traceSchedule(collective, world);
  if (failed(traced))
    return failure();
  bool safe = true;
  visitConflicts(*traced, [&](const Conflict &conflict) {
    safe &= conflict.loadFirst && conflict.sameCut;
  });
  return safe;
}
