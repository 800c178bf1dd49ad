//===- Machine.cpp - Agents and control flow of a kernel's proof ----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "../Wording.h"

using namespace rcclx;

KernelMachine::KernelMachine(const KernelProgram &program, KernelGoal &goal,
                             KernelRun &run)
    : program(program), goal(goal), run(run),
      isEdge(size_t(program.world) * program.world, false),
      regionOf(size_t(program.world) * program.world, ~uint32_t(0)),
      windows(program.world), memories(program.world) {
  size_t numAgents = size_t(program.world) * program.groups;
  agents.reserve(numAgents);
  for (uint32_t rank = 0; rank < program.world; ++rank) {
    for (uint32_t peer : goal.edges[rank])
      isEdge[size_t(rank) * program.world + peer] = true;
    for (uint32_t group = 0; group < program.groups; ++group) {
      Agent &agent =
          agents.emplace_back(getAgent(rank, group), rank, group, numAgents);
      agent.registers.resize(program.numRegisters);
    }
  }
  entries.resize(numAgents);
}

Region &KernelMachine::getRegion(uint32_t source, uint32_t destination) {
  uint32_t &number = regionOf[size_t(source) * program.world + destination];
  if (number == ~uint32_t(0)) {
    number = regions.size();
    Region &region = regions.emplace_back();
    region.source = source;
    region.destination = destination;
    region.counters.resize(program.groups);
  }
  return regions[number];
}

bool KernelMachine::fail(const Agent &agent, SourceOp op,
                         const std::string &message) {
  finding = Finding{op, at(agent.rank, program.world) + message};
  uint64_t granules = getGranules(agent);
  note(0, "in call " + str(agent.call) + " of " + str(goal.granules.size()) +
              ", on blocks of " + str(granules) +
              (granules == 1 ? " granule" : " granules"));
  return false;
}

std::string KernelMachine::granuleNames(uint64_t lo, uint64_t hi) const {
  return "granules " + str(lo) + " to " + str(hi - 1);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void KernelMachine::beginCall(Agent &agent) {
  ++agent.call;
  agent.position = 0;
  agent.isAnnounced = agent.isOpen = agent.isClosed = agent.hasEnded = false;
  index(agent, program.rank) = agent.rank;
  entries[agent.id].push_back(agent.clock.now().time);
}

/// All of a rank has ended its call: the next one comes after it, as kernels of
/// a stream do.
bool KernelMachine::endCall(Agent &last) {
  Agent *first = &agents[getAgent(last.rank, 0)];
  for (uint32_t group = 0; group < program.groups; ++group)
    if (!first[group].hasEnded)
      return true;
  if (program.groups > 1) {
    for (uint32_t group = 0; group < program.groups; ++group)
      first[group].clock.release();
    for (uint32_t group = 0; group < program.groups; ++group) {
      for (uint32_t other = 0; other < program.groups; ++other)
        first[group].clock.see(first[other].clock.getReleased());
      first[group].clock.acquire();
    }
  }
  if (!checkOutput(last) || (goal.isBarrier && !checkEntries(last)))
    return false;
  memories[last.rank].clear();
  if (last.call == goal.granules.size())
    return true;
  for (uint32_t group = 0; group < program.groups; ++group) {
    beginCall(first[group]);
    ready.push_back(first[group].id);
  }
  return true;
}

std::optional<Finding> KernelMachine::execute() {
  for (Agent &agent : agents) {
    beginCall(agent);
    ready.push_back(agent.id);
  }
  while (!ready.empty()) {
    Agent &agent = agents[ready.front()];
    ready.pop_front();
    if (!runAgent(agent))
      return finding;
  }
  for (Agent &agent : agents)
    if (agent.isWaiting) {
      describeDeadlock();
      return finding;
    }
  checkLeftovers();
  return finding;
}

void KernelMachine::wake(AgentId &waiter) {
  if (waiter == nobody)
    return;
  agents[waiter].isWaiting = false;
  ready.push_back(waiter);
  waiter = nobody;
}

/// Slots of `ll` and `sentinel` are zero at rest, or later calls take what lies
/// there for their own.
bool KernelMachine::checkLeftovers() {
  for (const Region &region : regions)
    for (const std::vector<Slot> &slots : region.slots) {
      auto full = llvm::find_if(slots, [](const Slot &s) { return s.isFull; });
      if (full != slots.end())
        return fail(agents[full->written.agent], full->writer,
                    "sends to rank " + str(region.destination) +
                        " what is never received: the slot is not zero at the "
                        "end");
    }
  return true;
}

void KernelMachine::describeDeadlock() {
  // Into the cycle, or to a rank that has ended.
  std::vector<bool> seen(agents.size(), false);
  auto peerOf = [&](const Agent &agent) -> const Agent * {
    const Agent &peer = agents[getAgent(agent.wait.peer, agent.group)];
    return peer.isWaiting ? &peer : nullptr;
  };
  const Agent *agent = &*llvm::find_if(
      agents, [](const Agent &waiting) { return waiting.isWaiting; });
  while (!seen[agent->id]) {
    seen[agent->id] = true;
    if (const Agent *next = peerOf(*agent))
      agent = next;
  }
  auto describe = [&](const Agent &waiting) {
    return std::string("waits for ") + waiting.wait.what + " of tag " +
           str(waiting.wait.tag) + ", tile " + str(waiting.wait.tile) +
           ", from rank " + str(waiting.wait.peer);
  };
  fail(*agent, agent->wait.op, describe(*agent) + ", which never comes");
  const Agent *next = peerOf(*agent);
  if (!next)
    note(0, "rank " + str(agent->wait.peer) + " has ended its calls");
  constexpr unsigned maxNotes = 8;
  for (unsigned i = 0; next && next != agent && i < maxNotes;
       ++i, next = peerOf(*next))
    note(next->wait.op, "rank " + str(next->rank) + " " + describe(*next) +
                            " here, in call " + str(next->call));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

bool KernelMachine::runAgent(Agent &agent) {
  while (true) {
    Instruction in = program.code[agent.position++];
    if (++run.steps > goal.maxSteps)
      return fail(agent, in.op,
                  "the kernel executes too many operations; expected at most " +
                      str(goal.maxSteps) + " by all ranks");
    if (in.code <= KernelCode::RingShift) {
      if (in.code == KernelCode::Copy)
        agent.registers[in.result] = agent.registers[in.a];
      else if (in.code == KernelCode::Select)
        agent.registers[in.result] =
            agent.registers[index(agent, in.a) ? in.b : in.c];
      else
        index(agent, in.result) = computeIndex(agent, in);
      continue;
    }
    if (in.code == KernelCode::Return) {
      if (!agent.isClosed)
        return fail(agent, 0, "the kernel ends without rcclx_kernel.close");
      agent.hasEnded = true;
      return endCall(agent);
    }
    switch (runInstruction(agent, in)) {
    case Step::Next:
      break;
    case Step::Wait:
      --agent.position;
      agent.isWaiting = true;
      agent.wait.op = in.op;
      return true;
    case Step::Fail:
      return false;
    }
  }
}

Step KernelMachine::runInstruction(Agent &agent, Instruction in) {
  switch (in.code) {
  case KernelCode::Range:
    return makeRange(agent, in);
  case KernelCode::Buffer:
    return makeBuffer(agent, in);
  case KernelCode::SlotTo:
  case KernelCode::SlotFrom:
    return makeSlot(agent, in);
  case KernelCode::Load:
    return load(agent, in);
  case KernelCode::Store:
    return store(agent, in);
  case KernelCode::Send:
    return send(agent, in);
  case KernelCode::Recv:
    return recv(agent, in);
  default:
    if (in.code < KernelCode::Return)
      return runControl(agent, in);
    if (in.code >= KernelCode::Prescale && in.code <= KernelCode::Finish)
      return compute(agent, in);
    return runOrder(agent, in);
  }
}

Step KernelMachine::runControl(Agent &agent, Instruction in) {
  switch (in.code) {
  case KernelCode::Jump:
    agent.position = in.target;
    return Step::Next;
  case KernelCode::JumpUnless:
    if (!index(agent, in.a))
      agent.position = in.target;
    return Step::Next;
  case KernelCode::ElementBegin:
    return enterElements(agent, in);
  case KernelCode::ElementEnd:
    agent.loop = 0;
    return Step::Next;
  default:
    return runLoop(agent, in);
  }
}

Step KernelMachine::runLoop(Agent &agent, Instruction in) {
  int64_t &induction = index(agent, in.result);
  if (in.code == KernelCode::LoopNext) {
    // No overflow: both were checked when the loop began.
    induction += index(agent, in.c);
    if (induction < index(agent, in.b))
      agent.position = in.target;
    return Step::Next;
  }
  int64_t lower = index(agent, in.a), upper = index(agent, in.b);
  int64_t step = index(agent, in.c);
  // Loops of generated kernels compare unsigned.
  constexpr int64_t limit = int64_t(1) << 62;
  if (lower < 0 || upper < 0 || step <= 0 || upper > limit || step > limit) {
    fail(agent, in.op,
         "a loop from " + std::to_string(lower) + " to " +
             std::to_string(upper) + " by " + std::to_string(step) +
             "; expected bounds of at least 0 and a step of at least 1");
    return Step::Fail;
  }
  induction = lower;
  if (lower >= upper)
    agent.position = in.target;
  return Step::Next;
}

Step KernelMachine::enterElements(Agent &agent, Instruction in) {
  TileRange range = agent.registers[in.a].range;
  const TileRange &limit = agent.registers[in.b].range;
  if (range.lo != limit.lo || range.hi != limit.hi ||
      range.each != limit.each) {
    fail(agent, in.op,
         "a loop over elements from the first granule of one range to the "
         "limit of another");
    return Step::Fail;
  }
  if (range.lo >= range.hi) {
    agent.position = in.target;
    return Step::Next;
  }
  if (range.hi > getGranules(agent)) {
    fail(agent, in.op,
         "a loop over " + granuleNames(range.lo, range.hi) +
             ", which are not in the block");
    return Step::Fail;
  }
  agent.registers[in.result].range = range;
  if (in.kind == 0)
    return Step::Next;
  // Above all that was there before, or it waits for what may wait for it.
  Level level = Level(agent.call) << 48 | Level(range.tile) << 24 |
                (Level(in.immediate) + 1);
  if (agent.level >= level) {
    fail(agent, in.op,
         "a loop that waits after it has sent depends on itself or on a later "
         "one");
    return Step::Fail;
  }
  agent.level = agent.loop = level;
  return Step::Next;
}

std::optional<Finding> rcclx::runKernel(const KernelProgram &program,
                                        KernelGoal goal, KernelRun &run) {
  return KernelMachine(program, goal, run).execute();
}
