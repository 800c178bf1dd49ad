//===- Index.cpp - Index arithmetic and places of a kernel's proof --------===//
//
// Part of rcclx. All arithmetic is that of the device header itself.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
// What the header's functions are declared with.
#include "rcclx_target_host.h"

#include "rcclx_tiles.h"

using namespace rcclx;

/// Tiles of a call, at most: positions in it have 24 bits.
constexpr uint64_t maxTiles = uint64_t(1) << 24;
/// Stands for what is out of range. Index code may run where its result is not
/// used, so that only uses are errors.
constexpr uint32_t invalid = ~uint32_t(0);

static uint32_t narrow(int64_t value, uint64_t limit) {
  return value >= 0 && uint64_t(value) < limit ? uint32_t(value) : invalid;
}

static bool compare(IndexPredicate predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case IndexPredicate::Equal:
    return a == b;
  case IndexPredicate::NotEqual:
    return a != b;
  case IndexPredicate::Less:
    return a < b;
  case IndexPredicate::LessEqual:
    return a <= b;
  case IndexPredicate::Greater:
    return a > b;
  case IndexPredicate::GreaterEqual:
    return a >= b;
  case IndexPredicate::Below:
    return uint64_t(a) < uint64_t(b);
  case IndexPredicate::BelowEqual:
    return uint64_t(a) <= uint64_t(b);
  case IndexPredicate::Above:
    return uint64_t(a) > uint64_t(b);
  case IndexPredicate::AboveEqual:
    return uint64_t(a) >= uint64_t(b);
  }
  return false;
}

int64_t KernelMachine::computeIndex(const Agent &agent, Instruction in) const {
  size_t a = in.a == noKernelRegister ? 0 : size_t(index(agent, in.a));
  size_t b = in.b == noKernelRegister ? 0 : size_t(index(agent, in.b));
  // The one quotient that may overflow, and end the program.
  bool isNegation = int64_t(b) == -1;
  switch (in.code) {
  case KernelCode::Constant:
    return in.immediate;
  case KernelCode::Add:
    return a + b;
  case KernelCode::Sub:
    return a - b;
  case KernelCode::Mul:
    return a * b;
  case KernelCode::DivS:
    return isNegation ? 0 - a : rx::divide(a, b);
  case KernelCode::DivU:
    return rx::divideUnsigned(a, b);
  case KernelCode::RemS:
    return isNegation ? 0 : rx::remainder(a, b);
  case KernelCode::RemU:
    return rx::remainderUnsigned(a, b);
  case KernelCode::CeilDivS:
    return isNegation ? 0 - a : rx::ceilDivide(a, b);
  case KernelCode::CeilDivU:
    return rx::ceilDivideUnsigned(a, b);
  case KernelCode::FloorDivS:
    return isNegation ? 0 - a : rx::floorDivide(a, b);
  case KernelCode::MinS:
    return rx::minimum(a, b);
  case KernelCode::MinU:
    return rx::minimumUnsigned(a, b);
  case KernelCode::MaxS:
    return rx::maximum(a, b);
  case KernelCode::MaxU:
    return rx::maximumUnsigned(a, b);
  case KernelCode::And:
    return a & b;
  case KernelCode::Or:
    return a | b;
  case KernelCode::Xor:
    return a ^ b;
  case KernelCode::ShiftLeft:
    return b < 64 ? a << b : 0;
  case KernelCode::Compare:
    return compare(static_cast<IndexPredicate>(in.kind), a, b);
  case KernelCode::RingShift:
    return rx::shiftIn(program.world, a, b);
  default:
    return 0;
  }
}

Step KernelMachine::makeRange(Agent &agent, Instruction in) {
  uint64_t a = index(agent, in.b), l = index(agent, in.c);
  uint64_t d = index(agent, in.d), granules = getGranules(agent);
  TileRange &result = agent.registers[in.result].range;
  result.tile = narrow(index(agent, in.a), maxTiles);
  // One block does what all of a group do; they share it evenly.
  rx::Range range =
      rx::tileRange(granules, result.tile, a, l, d, program.tile, 0, 1);
  result.origin = range.origin;
  result.lo = range.lo;
  result.hi = range.hi;
  result.each = 0;
  if (program.blocks > 1)
    result.each = rx::tileRange(granules, result.tile, a, l, d, program.tile, 1,
                                program.blocks)
                      .lo -
                  range.origin;
  return Step::Next;
}

Step KernelMachine::makeBuffer(Agent &agent, Instruction in) {
  BufferRef &result = agent.registers[in.result].buffer;
  result.memory = static_cast<Memory>(in.kind);
  result.block =
      in.a == noKernelRegister ? 0 : narrow(index(agent, in.a), program.world);
  return Step::Next;
}

Step KernelMachine::makeSlot(Agent &agent, Instruction in) {
  SlotRef ref;
  ref.kind = static_cast<SlotKind>(in.kind);
  ref.isOutgoing = in.code == KernelCode::SlotTo;
  ref.peer = narrow(index(agent, in.a), program.world);
  ref.tag = narrow(index(agent, in.b), program.tags);
  ref.tile = narrow(index(agent, in.c), maxTiles);
  ref.number = rx::slotIndex(ref.tag, ref.tile, program.depth);
  agent.registers[in.result].slot = ref;
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Counts to prove
//===----------------------------------------------------------------------===//

std::vector<uint64_t>
rcclx::chooseGranules(const KernelProgram &program,
                      std::vector<std::pair<uint64_t, uint64_t>> longest) {
  // More than plans accept (max_count), so that products fit into 64 bits.
  constexpr uint64_t most = uint64_t(1) << 32;
  std::vector<uint64_t> result = {0};
  llvm::sort(longest);
  longest.erase(llvm::unique(longest), longest.end());
  for (auto [num, den] : longest) {
    // Granules of a block whose longest slice has `length`.
    auto blockOf = [&, num = num, den = den](uint64_t length) {
      return std::min(most, num == 0 ? length : length * den / num);
    };
    // Uneven slices, and of the longest only a part of the last tile.
    uint64_t tile = program.tile, depth = program.depth;
    auto withTail = [&, num = num, den = den](uint64_t whole) {
      uint64_t granules = blockOf(whole * tile + tile / 2 + 1);
      return granules - std::min(granules, num == 0 ? 0 : den / (2 * num));
    };
    uint64_t two = withTail(depth + 1), one = withTail(depth);
    uint64_t full = blockOf(depth * tile);
    // Fewer than there are slices, where there are several.
    uint64_t few = den > 1 ? den - 1 : 1 + tile / 2;
    // After `one`, the last tile's slot is the first that the next call uses.
    result.insert(result.end(), {two, full, one, few, few});
  }
  return result;
}
