//===- Types.h - Contracts, element types and reductions --------*- C++ -*-===//
//
// Part of rcclx. The vocabulary of docs/PlanFormat.md.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_TYPES_H
#define RCCLX_RUNTIME_TYPES_H

#include "rcclx_elements.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rcclx::runtime {

#define RCCLX_NAME(NAME, ...) NAME,
enum class Element { RCCLX_ELEMENTS(RCCLX_NAME) };
enum class Reduction { RCCLX_REDUCTIONS(RCCLX_NAME) };
#undef RCCLX_NAME
enum class Contract {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Reduce,
  Gather,
  Scatter,
  Permute,
  Barrier
};

/// The spelling of manifests and command lines, and back; nullopt if unknown.
std::string_view name(Element element);
std::string_view name(Reduction reduction);
std::string_view name(Contract contract);
std::optional<Element> parseElement(std::string_view text);
std::optional<Reduction> parseReduction(std::string_view text);
std::optional<Contract> parseContract(std::string_view text);

/// All spellings, in the order of the enumerators.
std::span<const std::string_view> elementNames();
std::span<const std::string_view> reductionNames();
/// What a request may ask for.
std::span<const std::string_view> protocolNames();
/// "f32, f16, bf16", for messages.
std::string joinNames(std::span<const std::string_view> names);

/// Bytes of one element; a power of two.
uint32_t elementBytes(Element element);
bool isFloat(Element element);
bool isSigned(Element element); ///< Of floats, too.
/// What reductions are computed in: f32 for it and for narrower floats, else
/// the element itself.
Element accumulator(Element element);
/// Whether one rank, the root, differs from the others.
bool hasRoot(Contract contract);
/// Whether `rank` has an input, an output: of some contracts only the root has.
bool hasInput(Contract contract, uint32_t rank, uint32_t root);
bool hasOutput(Contract contract, uint32_t rank, uint32_t root);
/// Blocks of `count` elements in the input and output of a rank that has one.
uint32_t inputBlocks(Contract contract, uint32_t world);
uint32_t outputBlocks(Contract contract, uint32_t world);

/// Elements [begin, end) of one block.
struct ElementRange {
  uint64_t begin;
  uint64_t end;
};
/// The slice that starts at rational a/d of a block of `count` elements and is
/// l/d long, in whole granules of 16 bytes, clipped at `count`.
ElementRange sliceRange(uint64_t count, Element element, uint64_t a, uint64_t l,
                        uint64_t d);

/// True when the largest buffer of a call, in bytes, is representable:
/// world * count * bytes of an element below 2^63.
bool countFits(uint64_t count, uint32_t world, Element element);

/// The largest count whose plans are shared with `count`: the next power of
/// two. Protocol and tile are chosen for it.
uint64_t sizeClass(uint64_t count);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_TYPES_H
