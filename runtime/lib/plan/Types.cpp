//===- Types.cpp - Contracts, element types and reductions ----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "rcclx/Runtime/Types.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace rcclx::runtime {

namespace {
enum class Kind { Float, Signed, Unsigned };
struct ElementInfo {
  uint32_t bytes;
  Kind kind;
};
} // namespace

#define RCCLX_INFO(NAME, TEXT, BYTES, KIND) {BYTES, Kind::KIND},
#define RCCLX_SPELLING(NAME, TEXT, ...) #TEXT,
static constexpr ElementInfo elementInfos[] = {RCCLX_ELEMENTS(RCCLX_INFO)};
static constexpr std::string_view elements[] = {RCCLX_ELEMENTS(RCCLX_SPELLING)};
static constexpr std::string_view reductions[] = {
    RCCLX_REDUCTIONS(RCCLX_SPELLING)};
#undef RCCLX_INFO
#undef RCCLX_SPELLING
static constexpr std::string_view protocols[] = {"ll", "sentinel", "flag"};
static constexpr std::string_view contracts[] = {
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast",
    "reduce",     "gather",     "scatter",        "permute",    "barrier"};

template <typename Enum, size_t N>
static std::optional<Enum> parse(const std::string_view (&names)[N],
                                 std::string_view text) {
  auto it = std::find(std::begin(names), std::end(names), text);
  if (it == std::end(names))
    return std::nullopt;
  return Enum(it - std::begin(names));
}

std::string_view name(Element element) { return elements[int(element)]; }
std::string_view name(Reduction reduction) {
  return reductions[int(reduction)];
}
std::string_view name(Contract contract) { return contracts[int(contract)]; }

std::optional<Element> parseElement(std::string_view text) {
  return parse<Element>(elements, text);
}
std::optional<Reduction> parseReduction(std::string_view text) {
  return parse<Reduction>(reductions, text);
}
std::optional<Contract> parseContract(std::string_view text) {
  return parse<Contract>(contracts, text);
}

std::span<const std::string_view> elementNames() { return elements; }
std::span<const std::string_view> reductionNames() { return reductions; }
std::span<const std::string_view> protocolNames() { return protocols; }

std::string joinNames(std::span<const std::string_view> names) {
  std::string list;
  for (std::string_view name : names) {
    list += list.empty() ? "" : ", ";
    list += name;
  }
  return list;
}

uint32_t elementBytes(Element element) {
  return elementInfos[int(element)].bytes;
}
bool isFloat(Element element) {
  return elementInfos[int(element)].kind == Kind::Float;
}
bool isSigned(Element element) {
  return elementInfos[int(element)].kind != Kind::Unsigned;
}
Element accumulator(Element element) {
  return isFloat(element) && elementBytes(element) < 4 ? Element::F32 : element;
}

bool hasRoot(Contract contract) {
  return contract == Contract::Broadcast || contract == Contract::Reduce ||
         contract == Contract::Gather || contract == Contract::Scatter;
}

bool hasInput(Contract contract, uint32_t rank, uint32_t root) {
  return rank == root ||
         (contract != Contract::Broadcast && contract != Contract::Scatter);
}

bool hasOutput(Contract contract, uint32_t rank, uint32_t root) {
  return rank == root ||
         (contract != Contract::Reduce && contract != Contract::Gather);
}

uint32_t inputBlocks(Contract contract, uint32_t world) {
  switch (contract) {
  case Contract::Barrier:
    return 0;
  case Contract::ReduceScatter:
  case Contract::Scatter:
  case Contract::AllToAll:
    return world;
  default:
    return 1;
  }
}

uint32_t outputBlocks(Contract contract, uint32_t world) {
  switch (contract) {
  case Contract::Barrier:
    return 0;
  case Contract::AllGather:
  case Contract::Gather:
  case Contract::AllToAll:
    return world;
  default:
    return 1;
  }
}

ElementRange sliceRange(uint64_t count, Element element, uint64_t a, uint64_t l,
                        uint64_t d) {
  uint64_t granule = 16 / elementBytes(element);
  uint64_t granules = count / granule + (count % granule != 0);
  // 128 bits: a and d come from a file, and a * granules may exceed 64.
  auto boundary = [&](uint64_t numerator) {
    auto g = uint64_t((unsigned __int128)numerator * granules / d);
    return g >= granules ? count : std::min(g * granule, count);
  };
  return {boundary(a), boundary(a + l)};
}

bool countFits(uint64_t count, uint32_t world, Element element) {
  uint64_t bytes;
  return !__builtin_mul_overflow(count, uint64_t(world) * elementBytes(element),
                                 &bytes) &&
         bytes >> 63 == 0;
}

uint64_t sizeClass(uint64_t count) {
  if (count > uint64_t(1) << 62)
    return count; // countFits refuses such a count for any type
  return std::bit_ceil(std::max<uint64_t>(count, 1));
}

} // namespace rcclx::runtime
