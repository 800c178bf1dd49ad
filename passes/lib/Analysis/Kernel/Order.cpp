//===- Order.cpp - Signals, waits and fences of a kernel's proof ----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "../Wording.h"
#include "Machine.h"
// What the header's functions are declared with.
#include "rcclx_target_host.h"

#include "rcclx_tiles.h"

using namespace rcclx;

Step KernelMachine::open(Agent &agent, Instruction in) {
  if (agent.isOpen) {
    fail(agent, in.op, "opens the call again");
    return Step::Fail;
  }
  if (!agent.isAnnounced) {
    agent.isAnnounced = true;
    agent.clock.release();
    for (uint32_t peer : goal.edges[agent.rank])
      if (!post(agent, in, peer, CounterKind::Started,
                rx::position(agent.call, 0)))
        return Step::Fail;
  }
  // Slots of this half were used two calls ago.
  if (agent.call > 1)
    for (uint32_t peer : goal.edges[agent.rank]) {
      Step step = waitFor(agent, in, peer, CounterKind::Started,
                          rx::position(agent.call - 1, 0),
                          {in.op, peer, "the begin of the last call", 0, 0});
      if (step != Step::Next)
        return step;
    }
  agent.clock.acquire();
  agent.isOpen = true;
  // The next plan, whichever it is, may write anywhere in the window at once.
  for (const Slot &part : windows[agent.rank])
    for (Moment read : part.read)
      if (!agent.clock.knows(read)) {
        fail(agent, in.op,
             "begins a call while rank " + str(agents[read.agent].rank) +
                 " may still read its window");
        note(part.reader, "read here");
        return Step::Fail;
      }
  return Step::Next;
}

bool KernelMachine::post(Agent &agent, Instruction in, uint32_t peer,
                         CounterKind kind, uint64_t value) {
  if (!hasEdge(agent.rank, peer))
    return fail(agent, in.op, "the plan has no edge to rank " + str(peer));
  Counter &counter =
      getRegion(agent.rank, peer).counters[agent.group][size_t(kind)];
  // Whoever waits for the higher value might see the lower one only.
  if (!counter.posts.empty() && counter.posts.back().value > value)
    return fail(agent, in.op,
                "signals to rank " + str(peer) +
                    " an earlier tile or tag than before");
  counter.posts.push_back({value, agent.level, agent.clock.getReleased()});
  wake(counter.waiter);
  return true;
}

/// Of the values that end a wait, the first says the least about order: what
/// holds for it holds for all.
Step KernelMachine::waitFor(Agent &agent, Instruction in, uint32_t peer,
                            CounterKind kind, uint64_t value, Wait wait) {
  if (!hasEdge(agent.rank, peer)) {
    fail(agent, in.op, "the plan has no edge to rank " + str(peer));
    return Step::Fail;
  }
  Counter &counter =
      getRegion(peer, agent.rank).counters[agent.group][size_t(kind)];
  std::vector<Post> &posts = counter.posts;
  auto post = llvm::find_if(posts, [&](const Post &candidate) {
    return rx::passed(candidate.value, value);
  });
  if (post != posts.end()) {
    agent.clock.see(post->released);
    agent.level = std::max(agent.level, post->level);
    posts.erase(posts.begin(), post);
    return Step::Next;
  }
  counter.waiter = agent.id;
  agent.wait = wait;
  return Step::Wait;
}

Step KernelMachine::waitForReaders(Agent &agent, Instruction in, uint64_t tag,
                                   uint64_t tile, const char *what) {
  for (uint32_t reader : goal.readers[agent.rank]) {
    Step step = waitFor(
        agent, in, reader, CounterKind::PullCredit,
        rx::position(agent.call, rx::messageIndex(tag, tile, program.tags)),
        {in.op, reader, what, uint32_t(tag), tile});
    if (step != Step::Next)
      return step;
  }
  return Step::Next;
}

/// Compared as fractions: no choice of counts shows every one that is a little
/// too small.
Step KernelMachine::countTiles(Agent &agent, Instruction in) {
  auto [num, den] = goal.longest[agent.group];
  if (uint64_t(in.immediate) * den < num * uint64_t(in.denominator)) {
    fail(agent, in.op,
         "counts the tiles of " + str(in.immediate) + "/" +
             str(in.denominator) +
             " of a block; expected those of the longest slice, " + str(num) +
             "/" + str(den));
    return Step::Fail;
  }
  index(agent, in.result) = rx::tileCount(getGranules(agent), in.immediate,
                                          in.denominator, program.tile);
  return Step::Next;
}

Step KernelMachine::runOrder(Agent &agent, Instruction in) {
  auto require = [](bool isGood) { return isGood ? Step::Next : Step::Fail; };
  switch (in.code) {
  case KernelCode::Open:
    return open(agent, in);
  case KernelCode::Alive:
    index(agent, in.result) = 1;
    return Step::Next;
  case KernelCode::InGroup:
    index(agent, in.result) = agent.group == in.immediate;
    return Step::Next;
  case KernelCode::Tiles:
    return countTiles(agent, in);
  default:
    break;
  }
  if (!agent.isOpen || agent.isClosed)
    return require(fail(agent, in.op,
                        "is run before rcclx_kernel.open or after "
                        "rcclx_kernel.close"));
  switch (in.code) {
  case KernelCode::Close:
    agent.isClosed = true;
    return Step::Next;
  case KernelCode::Release:
    agent.clock.release();
    return Step::Next;
  case KernelCode::Acquire:
    agent.clock.acquire();
    return Step::Next;
  default:
    break;
  }

  int64_t peer = in.a == noKernelRegister ? 0 : index(agent, in.a);
  int64_t tag = index(agent, in.b), tile = index(agent, in.c);
  if (in.code == KernelCode::DrainWindow)
    --tile; // the last of so many
  if (peer < 0 || peer >= program.world || tag < 0 ||
      uint64_t(tag) >= program.tags || tile < 0 || tile >= int64_t(1) << 24)
    return require(fail(
        agent, in.op,
        "names a rank, tag or tile that is not there: " + std::to_string(peer) +
            ", " + std::to_string(tag) + ", " + std::to_string(tile)));
  uint64_t depth = program.depth;
  auto value = [&](uint64_t ofTile) {
    return rx::position(agent.call,
                        rx::messageIndex(tag, ofTile, program.tags));
  };
  auto waitIt = [&](CounterKind kind, const char *what, uint64_t ofTile) {
    return waitFor(agent, in, peer, kind, value(ofTile),
                   {in.op, uint32_t(peer), what, uint32_t(tag), ofTile});
  };
  switch (in.code) {
  case KernelCode::PostMessage:
    return require(post(agent, in, peer, CounterKind::Signal, value(tile)));
  case KernelCode::WaitMessage:
    return waitIt(CounterKind::Signal, "the message", tile);
  case KernelCode::PostCredit: {
    uint64_t tiles = index(agent, in.d);
    if (!rx::isSlotNeeded(tile, depth, tiles))
      return Step::Next;
    return require(post(agent, in, peer, CounterKind::Credit, value(tile)));
  }
  case KernelCode::WaitCredit:
    if (uint64_t(tile) < depth)
      return Step::Next;
    return waitIt(CounterKind::Credit, "the credit", tile - depth);
  case KernelCode::PostPull:
    return require(post(agent, in, peer, CounterKind::PullCredit, value(tile)));
  case KernelCode::WaitPull:
    return waitIt(CounterKind::PullSignal, "the window", tile);
  case KernelCode::PostWindow:
    for (uint32_t reader : goal.readers[agent.rank])
      if (!post(agent, in, reader, CounterKind::PullSignal, value(tile)))
        return Step::Fail;
    return Step::Next;
  case KernelCode::WaitWindow:
    if (uint64_t(tile) < depth)
      return Step::Next;
    return waitForReaders(agent, in, tag, tile - depth,
                          "the reading of the window");
  default:
    return waitForReaders(agent, in, tag, tile, "the reading of the window");
  }
}
