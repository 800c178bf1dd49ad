//===- Oracle.cpp - What a proved plan must compute -----------------------===//
//
// Part of rcclx. A term's tree is turned into a list of steps over registers
// of `lanes` elements each, and the list runs block by block, so that the
// registers stay in the first-level cache and each step is a vector loop.
//
//===----------------------------------------------------------------------===//
#include "Oracle.h"

#include "Arithmetic.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace rcclx::runtime {
namespace {

constexpr size_t lanes = 1024;

/// dst = op(a, b) over registers, each of which holds accumulators or data of
/// the element type.
struct Step {
  OracleTerm::Kind kind;
  uint32_t dst = 0;
  uint32_t a = 0; // register
  /// What Reduce adds and Input copies. Inputs are read where they are, but for
  /// premul_sum, whose Input multiplies.
  enum { Data, Accumulator, Memory } source = Memory;
  uint32_t b = 0; // register
  uint32_t rank = 0, block = 0;
};

struct Program {
  std::vector<Step> steps;
  uint32_t registers = 0;
  uint32_t result = 0;
};
} // namespace

/// Orders the terms that `root` needs and gives them registers, which are
/// reused after a term's last use: a chain of any length takes three.
static Program compile(const Manifest &manifest, uint32_t root) {
  // Operands come before their users in the manifest, so ascending order is an
  // order of execution.
  const bool multiplies = manifest.reduction == Reduction::PremulSum;
  auto isRead = [&](uint32_t i) {
    return manifest.terms[i].kind == OracleTerm::Input && !multiplies;
  };
  std::vector<bool> needed(root + 1);
  std::vector<uint32_t> lastUse(root + 1);
  needed[root] = true;
  auto operands = [&](uint32_t i, auto visit) {
    const OracleTerm &term = manifest.terms[i];
    if (term.kind == OracleTerm::Input || term.kind == OracleTerm::Identity)
      return;
    visit(term.a);
    if (term.kind == OracleTerm::Reduce)
      visit(term.b);
  };
  for (uint32_t i = root + 1; i-- != 0;)
    if (needed[i])
      operands(i, [&](uint32_t operand) {
        needed[operand] = true;
        lastUse[operand] = std::max(lastUse[operand], i);
      });
  Program program;
  std::vector<uint32_t> place(root + 1), free;
  for (uint32_t i = 0; i <= root; ++i) {
    if (!needed[i])
      continue;
    const OracleTerm &term = manifest.terms[i];
    if (isRead(i) && i != root)
      continue; // its users read it from memory
    Step step{term.kind};
    if (term.kind != OracleTerm::Input)
      step.a = place[term.a]; // of no meaning to Identity
    const bool reduces = term.kind == OracleTerm::Reduce;
    const OracleTerm &source = reduces ? manifest.terms[term.b] : term;
    if (term.kind == OracleTerm::Input || (reduces && isRead(term.b))) {
      step.rank = source.a;
      step.block = source.b;
    } else if (reduces) {
      step.b = place[term.b];
      step.source = source.kind == OracleTerm::Identity ||
                            source.kind == OracleTerm::Reduce
                        ? Step::Accumulator
                        : Step::Data;
    }
    // The target is taken before operands are freed: no step works in place.
    if (free.empty()) {
      step.dst = program.registers++;
    } else {
      step.dst = free.back();
      free.pop_back();
    }
    place[i] = step.dst;
    operands(i, [&](uint32_t operand) {
      if (lastUse[operand] == i && !isRead(operand)) {
        free.push_back(place[operand]);
        lastUse[operand] = 0; // the same operand twice is freed once
      }
    });
    program.steps.push_back(step);
  }
  program.result = place[root];
  return program;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

namespace {
using namespace arithmetic;

template <typename T> class Machine {
  using Data = typename T::Data;
  using Acc = typename T::Acc;

public:
  Machine(const Manifest &manifest, uint64_t count,
          std::span<const char *const> inputs, std::span<const uint64_t> scales)
      : manifest(manifest), count(count), inputs(inputs), scales(scales) {}

  /// Writes elements [range.begin, range.end) of the block at `block`.
  void run(const Program &program, ElementRange range, char *block) {
    accumulators.resize(program.registers * lanes);
    elements.resize(program.registers * lanes);
    for (uint64_t at = range.begin; at < range.end; at += lanes) {
      size_t n = size_t(std::min<uint64_t>(lanes, range.end - at));
      for (const Step &step : program.steps)
        execute(step, at, n);
      memcpy(block + at * sizeof(Data), data(program.result), n * sizeof(Data));
    }
  }

private:
  Acc *acc(uint32_t index) { return accumulators.data() + index * lanes; }
  Data *data(uint32_t index) { return elements.data() + index * lanes; }
  const Data *memory(const Step &step, uint64_t at) const {
    return reinterpret_cast<const Data *>(inputs[step.rank]) +
           step.block * count + at;
  }

  void execute(const Step &step, uint64_t at, size_t n) {
    Acc *__restrict accOut = acc(step.dst);
    Data *__restrict dataOut = data(step.dst);
    switch (step.kind) {
    case OracleTerm::Input:
      if (manifest.reduction == Reduction::PremulSum)
        multiply(dataOut, memory(step, at), scales[step.rank], n);
      else
        memcpy(dataOut, memory(step, at), n * sizeof(Data));
      return;
    case OracleTerm::Identity:
      std::fill_n(accOut, n, identity<Acc>(manifest.reduction));
      return;
    case OracleTerm::Reduce:
      if (step.source == Step::Accumulator)
        return reduce(accOut, acc(step.a), acc(step.b), n,
                      [](Acc x) { return x; });
      return reduce(accOut, acc(step.a),
                    step.source == Step::Memory ? memory(step, at)
                                                : data(step.b),
                    n, T::widen);
    case OracleTerm::Round:
      for (size_t i = 0; i != n; ++i)
        dataOut[i] = T::round(acc(step.a)[i]);
      return;
    case OracleTerm::Finish:
      if (manifest.reduction == Reduction::Avg)
        for (size_t i = 0; i != n; ++i)
          dataOut[i] = T::round(divide(acc(step.a)[i], manifest.world));
      else
        for (size_t i = 0; i != n; ++i)
          dataOut[i] = T::round(acc(step.a)[i]);
      return;
    }
  }

  template <typename X, typename Widen>
  void reduce(Acc *__restrict out, const Acc *a, const X *x, size_t n,
              Widen widen) {
    auto each = [&](auto combine) {
      for (size_t i = 0; i != n; ++i)
        out[i] = combine(a[i], widen(x[i]));
    };
    switch (manifest.reduction) {
    case Reduction::Sum:
    case Reduction::Avg:
    case Reduction::PremulSum:
      return each([](Acc x, Acc y) { return add(x, y); });
    case Reduction::Prod:
      return each([](Acc x, Acc y) { return product(x, y); });
    case Reduction::Min:
      return each([](Acc x, Acc y) { return minimum(x, y); });
    case Reduction::Max:
      return each([](Acc x, Acc y) { return maximum(x, y); });
    }
  }

  static void multiply(Data *__restrict out, const Data *x, uint64_t bits,
                       size_t n) {
    Acc scale;
    memcpy(&scale, &bits, sizeof(scale));
    for (size_t i = 0; i != n; ++i)
      out[i] = T::round(product(T::widen(x[i]), scale));
  }

  const Manifest &manifest;
  const uint64_t count;
  std::span<const char *const> inputs;
  std::span<const uint64_t> scales;
  std::vector<Acc> accumulators;
  std::vector<Data> elements;
};

} // namespace

template <typename T>
static void evaluate(const Manifest &manifest, uint32_t rank, uint64_t count,
                     std::span<const char *const> inputs,
                     std::span<const uint64_t> scales, char *output) {
  Machine<T> machine(manifest, count, inputs, scales);
  std::unordered_map<uint32_t, Program> programs;
  for (const OracleOutput &part : manifest.outputs[rank]) {
    auto [it, isNew] = programs.try_emplace(part.term);
    if (isNew)
      it->second = compile(manifest, part.term);
    machine.run(it->second,
                sliceRange(count, manifest.element, part.a, part.l, part.d),
                output + part.block * count * elementBytes(manifest.element));
  }
}

uint64_t inputBytes(const Manifest &manifest, uint32_t rank, uint64_t count) {
  return count * manifest.inputBlocksOf(rank) * elementBytes(manifest.element);
}

uint64_t outputBytes(const Manifest &manifest, uint32_t rank, uint64_t count) {
  return count * manifest.outputBlocksOf(rank) * elementBytes(manifest.element);
}

void evaluateOracle(const Manifest &manifest, uint32_t rank, uint64_t count,
                    std::span<const char *const> inputs, char *output,
                    std::span<const uint64_t> scales) {
  switch (manifest.element) {
#define RCCLX_EVALUATE(NAME, ...)                                              \
  case Element::NAME:                                                          \
    return evaluate<arithmetic::NAME>(manifest, rank, count, inputs, scales,   \
                                      output);
    RCCLX_ELEMENTS(RCCLX_EVALUATE)
#undef RCCLX_EVALUATE
  }
}

uint32_t oracleRoundings(const Manifest &manifest, uint32_t rank) {
  std::vector<uint32_t> depth(manifest.terms.size());
  for (size_t i = 0; i != depth.size(); ++i) {
    const OracleTerm &term = manifest.terms[i];
    if (term.kind == OracleTerm::Input)
      depth[i] = manifest.reduction == Reduction::PremulSum;
    else if (term.kind == OracleTerm::Reduce)
      depth[i] = std::max(depth[term.a], depth[term.b]);
    else if (term.kind == OracleTerm::Round || term.kind == OracleTerm::Finish)
      depth[i] = depth[term.a] + 1;
  }
  uint32_t result = 0;
  for (const OracleOutput &part : manifest.outputs[rank])
    result = std::max(result, depth[part.term]);
  return result;
}

uint64_t firstDifference(const char *actual, const char *expected,
                         uint64_t elements, Element element) {
  uint64_t size = elementBytes(element);
  constexpr uint64_t chunk = 4096;
  for (uint64_t at = 0; at < elements; at += chunk) {
    uint64_t n = std::min(chunk, elements - at);
    if (memcmp(actual + at * size, expected + at * size, n * size) == 0)
      continue;
    for (uint64_t i = at;; ++i)
      if (memcmp(actual + i * size, expected + i * size, size) != 0)
        return i;
  }
  return elements;
}

} // namespace rcclx::runtime
