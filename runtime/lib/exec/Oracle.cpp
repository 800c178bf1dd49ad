//===- Oracle.cpp - What a proved plan must compute -----------------------===//
//
// Part of rcclx. A term's tree is turned into a list of steps over registers
// of `lanes` elements each, and the list runs block by block, so that the
// registers stay in the first-level cache and each step is a vector loop.
//
//===----------------------------------------------------------------------===//
#include "Oracle.h"

#include "rcclx/Runtime/Numeric.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace rcclx::runtime {
namespace {

constexpr size_t lanes = 1024;

/// dst = op(a, b) over registers, each of which holds accumulators (f32 or i32)
/// or data of the element type.
struct Step {
  OracleTerm::Kind kind;
  uint32_t dst = 0;
  uint32_t a = 0; // register
  /// What Reduce adds and Input copies. Inputs are read where they are.
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
    if (term.kind == OracleTerm::Input && i != root)
      continue; // its users read it from memory
    Step step{term.kind};
    if (term.kind != OracleTerm::Input)
      step.a = place[term.a]; // of no meaning to Identity
    const OracleTerm &source =
        term.kind == OracleTerm::Reduce ? manifest.terms[term.b] : term;
    if (source.kind == OracleTerm::Input) {
      step.rank = source.a;
      step.block = source.b;
    } else if (term.kind == OracleTerm::Reduce) {
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
      if (lastUse[operand] == i &&
          manifest.terms[operand].kind != OracleTerm::Input) {
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
// Element types
//===----------------------------------------------------------------------===//

namespace {
struct F32 {
  using Data = float;
  using Acc = float;
  static Acc widen(Data x) { return x; }
  static Data round(Acc x) { return roundF32(x); }
};
struct F16 {
  using Data = uint16_t;
  using Acc = float;
  static Acc widen(Data x) { return widenF16(x); }
  static Data round(Acc x) { return roundF16(x); }
};
struct Bf16 {
  using Data = uint16_t;
  using Acc = float;
  static Acc widen(Data x) { return widenBf16(x); }
  static Data round(Acc x) { return roundBf16(x); }
};
struct I32 {
  using Data = int32_t;
  using Acc = int32_t;
  static Acc widen(Data x) { return x; }
  static Data round(Acc x) { return x; }
};
} // namespace

static float add(float a, float b) { return a + b; }
static int32_t add(int32_t a, int32_t b) {
  return int32_t(uint32_t(a) + uint32_t(b)); // wraps
}
static float maximum(float a, float b) { return maximumNumber(a, b); }
static int32_t maximum(int32_t a, int32_t b) { return std::max(a, b); }
static float divide(float a, uint32_t world) { return a / float(world); }
static int32_t divide(int32_t a, uint32_t world) { return a / int32_t(world); }

template <typename T> static typename T::Acc identity(Reduction reduction) {
  if constexpr (std::is_same_v<T, I32>)
    return reduction == Reduction::Max ? INT32_MIN : 0;
  else
    return reduction == Reduction::Max ? std::bit_cast<float>(canonicalNanF32)
                                       : -0.0f;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

namespace {
template <typename T> class Machine {
  using Data = typename T::Data;
  using Acc = typename T::Acc;

public:
  Machine(const Manifest &manifest, uint64_t count,
          std::span<const char *const> inputs)
      : manifest(manifest), count(count), inputs(inputs) {}

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
      memcpy(dataOut, memory(step, at), n * sizeof(Data));
      return;
    case OracleTerm::Identity:
      std::fill_n(accOut, n, identity<T>(manifest.reduction));
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
    if (manifest.reduction == Reduction::Max)
      for (size_t i = 0; i != n; ++i)
        out[i] = maximum(a[i], widen(x[i]));
    else
      for (size_t i = 0; i != n; ++i)
        out[i] = add(a[i], widen(x[i]));
  }

  const Manifest &manifest;
  const uint64_t count;
  std::span<const char *const> inputs;
  std::vector<Acc> accumulators;
  std::vector<Data> elements;
};

} // namespace

template <typename T>
static void evaluate(const Manifest &manifest, uint32_t rank, uint64_t count,
                     std::span<const char *const> inputs, char *output) {
  Machine<T> machine(manifest, count, inputs);
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

uint64_t inputBytes(const Manifest &manifest, uint64_t count) {
  return count * inputBlocks(manifest.contract, manifest.world) *
         elementBytes(manifest.element);
}

uint64_t outputBytes(const Manifest &manifest, uint64_t count) {
  return count * outputBlocks(manifest.contract, manifest.world) *
         elementBytes(manifest.element);
}

void evaluateOracle(const Manifest &manifest, uint32_t rank, uint64_t count,
                    std::span<const char *const> inputs, char *output) {
  switch (manifest.element) {
  case Element::F32:
    return evaluate<F32>(manifest, rank, count, inputs, output);
  case Element::F16:
    return evaluate<F16>(manifest, rank, count, inputs, output);
  case Element::BF16:
    return evaluate<Bf16>(manifest, rank, count, inputs, output);
  case Element::I32:
    return evaluate<I32>(manifest, rank, count, inputs, output);
  }
}

uint32_t oracleRoundings(const Manifest &manifest, uint32_t rank) {
  std::vector<uint32_t> depth(manifest.terms.size());
  for (size_t i = 0; i != depth.size(); ++i) {
    const OracleTerm &term = manifest.terms[i];
    if (term.kind == OracleTerm::Reduce)
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
