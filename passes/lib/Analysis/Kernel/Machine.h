//===- Machine.h - Runs a kernel for all ranks ------------------*- C++ -*-===//
//
// Part of rcclx. See KernelMachine.h.
//
// Loops over elements run once, for all their granules together. That is as
// good as granule by granule where a loop waits for nothing after it has sent.
// Loops that do have a level: call, tile and number. The machine demands that
// such a loop (on whatever ranks) waits only for itself, and for what depends
// on lower levels. Then all that it waits for from outside can be done before
// its first granule, and each granule is the program of the whole loop anew,
// which this run has shown to end.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_LIB_ANALYSIS_KERNEL_MACHINE_H
#define RCCLX_LIB_ANALYSIS_KERNEL_MACHINE_H

#include "Memory.h"
#include "rcclx/Analysis/KernelMachine.h"
#include <deque>

namespace rcclx {

/// A tile of a slice: granules lo to hi.
struct TileRange {
  uint64_t origin;
  uint64_t lo;
  uint64_t hi;
  uint32_t tile;
  uint32_t each; ///< Granules of one block.
};

struct SlotRef {
  uint64_t number;
  uint32_t peer;
  uint32_t tag;
  uint32_t tile;
  SlotKind kind;
  bool isOutgoing;
};

struct BufferRef {
  Memory memory;
  uint32_t block;
};

/// What a register holds, as its type in the kernel says.
union KernelValue {
  int64_t index;
  TileRange range;
  SlotRef slot;
  BufferRef buffer;
  Datum datum;
};

/// What an agent waits for.
struct Wait {
  SourceOp op = 0;
  uint32_t peer = 0;
  const char *what = ""; ///< "a message", "the credit", ...
  uint32_t tag = 0;
  uint64_t tile = 0;
};

/// One block group of one rank.
struct Agent {
  Agent(AgentId id, uint32_t rank, uint32_t group, size_t numAgents)
      : id(id), rank(rank), group(group), clock(id, numAgents) {}

  AgentId id;
  uint32_t rank;
  uint32_t group;
  Clock clock;
  std::vector<KernelValue> registers;
  uint32_t position = 0; ///< In the program.
  uint32_t call = 0;     ///< From 1, as pairs of ranks count.
  bool isAnnounced = false;
  bool isOpen = false;
  bool isClosed = false;
  bool hasEnded = false; ///< This call.
  bool isWaiting = false;
  Wait wait;
  Level level = 0; ///< The highest that its progress depends on.
  Level loop = 0;  ///< The level of the loop that it is in.
};

enum class Step : uint8_t { Next, Wait, Fail };

class KernelMachine {
public:
  KernelMachine(const KernelProgram &program, KernelGoal &goal, KernelRun &run);

  std::optional<Finding> execute();

private:
  using Instruction = const KernelInstruction &;

  // Scheduling (Machine.cpp).
  bool runAgent(Agent &agent);
  Step runInstruction(Agent &agent, Instruction in);
  Step runControl(Agent &agent, Instruction in);
  Step runLoop(Agent &agent, Instruction in);
  Step enterElements(Agent &agent, Instruction in);
  void beginCall(Agent &agent);
  bool endCall(Agent &agent);
  void wake(AgentId &waiter);
  bool checkLeftovers();
  void describeDeadlock();

  // Index arithmetic and places (Index.cpp).
  int64_t computeIndex(const Agent &agent, Instruction in) const;
  Step makeRange(Agent &agent, Instruction in);
  Step makeBuffer(Agent &agent, Instruction in);
  Step makeSlot(Agent &agent, Instruction in);

  // User buffers (Buffers.cpp).
  Step load(Agent &agent, Instruction in);
  Step store(Agent &agent, Instruction in);
  bool readInPlace(Agent &agent, Instruction in, uint32_t block,
                   const TileRange &granules);
  bool writeInPlace(Agent &agent, Instruction in, uint32_t block,
                    const TileRange &granules);

  // Element groups (Elements.cpp).
  Step send(Agent &agent, Instruction in);
  Step recv(Agent &agent, Instruction in);
  Step compute(Agent &agent, Instruction in);
  bool checkRange(Agent &agent, Instruction in, const TileRange &range,
                  const TileRange &granules);
  bool checkDatum(Agent &agent, Instruction in, const Datum &datum,
                  const TileRange &granules, const char *verb);
  bool checkSlot(Agent &agent, Instruction in, const SlotRef &ref,
                 const TileRange &range, const TileRange &granules);
  uint64_t countSlots(SlotKind kind) const;
  Slot &findSlot(const Agent &agent, const SlotRef &ref);
  bool checkLoop(Agent &agent, Instruction in, const Slot &slot);

  // Order (Order.cpp).
  Step runOrder(Agent &agent, Instruction in);
  Step countTiles(Agent &agent, Instruction in);
  Step open(Agent &agent, Instruction in);
  bool post(Agent &agent, Instruction in, uint32_t peer, CounterKind kind,
            uint64_t value);
  Step waitFor(Agent &agent, Instruction in, uint32_t peer, CounterKind kind,
               uint64_t value, Wait wait);
  Step waitForReaders(Agent &agent, Instruction in, uint64_t tag, uint64_t tile,
                      const char *what);

  // Results (Outputs.cpp).
  bool checkOutput(Agent &agent);
  bool checkEntries(Agent &agent);

  bool fail(const Agent &agent, SourceOp op, const std::string &message);
  void note(SourceOp op, std::string text) {
    finding->notes.emplace_back(op, std::move(text));
  }

  int64_t &index(Agent &agent, KernelRegister number) {
    return agent.registers[number].index;
  }
  int64_t index(const Agent &agent, KernelRegister number) const {
    return agent.registers[number].index;
  }
  bool hasEdge(uint32_t rank, uint32_t peer) const {
    return isEdge[size_t(rank) * program.world + peer];
  }
  Region &getRegion(uint32_t source, uint32_t destination);
  AgentId getAgent(uint32_t rank, uint32_t group) const {
    return rank * program.groups + group;
  }
  uint64_t getGranules(const Agent &agent) const {
    return goal.granules[agent.call - 1];
  }
  std::string granuleNames(uint64_t lo, uint64_t hi) const;

  const KernelProgram &program;
  KernelGoal &goal;
  KernelRun &run;
  std::vector<bool> isEdge;
  std::vector<Agent> agents;
  std::deque<AgentId> ready;
  std::vector<uint32_t> regionOf; ///< By source and destination.
  std::deque<Region> regions;
  std::vector<std::vector<Slot>> windows; ///< Per rank.
  std::vector<UserMemory> memories;       ///< Per rank.
  /// Per agent and call: its time at entry.
  std::vector<std::vector<uint32_t>> entries;
  std::optional<Finding> finding;
};

} // namespace rcclx

#endif // RCCLX_LIB_ANALYSIS_KERNEL_MACHINE_H
