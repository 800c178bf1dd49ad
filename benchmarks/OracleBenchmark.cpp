//===- OracleBenchmark.cpp - How long the expected result takes -----------===//
//
// Part of rcclx. A reduction of 8 inputs in rank order, as a one-shot
// all-reduce has it, evaluated for one rank.
//
//===----------------------------------------------------------------------===//
#include "exec/Oracle.h"

#include <benchmark/benchmark.h>
#include <cstring>

using namespace rcclx::runtime;

static Manifest makeManifest(Element element, Reduction reduction,
                             uint32_t world) {
  Manifest manifest;
  manifest.contract = Contract::AllReduce;
  manifest.world = world;
  manifest.element = element;
  manifest.reduction = reduction;
  uint32_t sum = 0;
  manifest.terms.push_back({OracleTerm::Identity});
  for (uint32_t rank = 0; rank != world; ++rank) {
    manifest.terms.push_back({OracleTerm::Input, rank, 0});
    manifest.terms.push_back(
        {OracleTerm::Reduce, sum, uint32_t(manifest.terms.size() - 1)});
    sum = uint32_t(manifest.terms.size() - 1);
  }
  manifest.terms.push_back({OracleTerm::Finish, sum});
  manifest.outputs.assign(world,
                          {{0, 0, 1, 1, uint32_t(manifest.terms.size() - 1)}});
  return manifest;
}

static void evaluate(benchmark::State &state, Element element,
                     Reduction reduction) {
  constexpr uint32_t world = 8;
  Manifest manifest = makeManifest(element, reduction, world);
  uint64_t count = uint64_t(state.range(0));
  uint64_t bytes = inputBytes(manifest, 0, count);
  std::vector<std::vector<char>> inputs(world, std::vector<char>(bytes));
  std::vector<const char *> pointers;
  for (std::vector<char> &input : inputs) {
    std::memset(input.data(), 0x3f, bytes); // finite in every type
    pointers.push_back(input.data());
  }
  std::vector<char> output(bytes);
  for (auto iteration : state) {
    (void)iteration;
    evaluateOracle(manifest, 0, count, pointers, output.data());
    benchmark::DoNotOptimize(output.data());
  }
  state.SetBytesProcessed(int64_t(state.iterations() * bytes * world));
}

BENCHMARK_CAPTURE(evaluate, f32_sum, Element::F32, Reduction::Sum)
    ->Arg(1 << 10)
    ->Arg(1 << 20);
BENCHMARK_CAPTURE(evaluate, bf16_avg, Element::BF16, Reduction::Avg)
    ->Arg(1 << 10)
    ->Arg(1 << 20);
BENCHMARK_CAPTURE(evaluate, f16_sum, Element::F16, Reduction::Sum)
    ->Arg(1 << 10)
    ->Arg(1 << 20);

BENCHMARK_MAIN();
