//===- ProofBenchmark.cpp - How long proofs of shipped schedules take -----===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "rcclx/Analysis/Proof.h"
#include "rcclx/Analysis/ProveKernel.h"
#include "rcclx/CodeGen/Pipelines.h"
#include "rcclx/CodeGen/Register.h"
#include <benchmark/benchmark.h>

using namespace rcclx;

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

/// One proof on state.range(0) ranks, with 2 slots; parsing is not measured.
static void prove(benchmark::State &state, const char *file) {
  mlir::MLIRContext context(makeRegistry(),
                            mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(
      std::string(RCCLX_SCHEDULES "/") + file, &context);
  if (!module) {
    state.SkipWithError("cannot be parsed");
    return;
  }
  CollectiveOp collective = *module->getOps<CollectiveOp>().begin();
  uint64_t operations = 0;
  for (auto iteration : state) {
    (void)iteration;
    auto proof = proveSchedule(collective, state.range(0), /*slots=*/2);
    if (failed(proof)) {
      state.SkipWithError("is not proved");
      return;
    }
    operations = proof->operations;
  }
  state.counters["operations"] = double(operations);
  state.SetComplexityN(int64_t(operations));
}

/// One proof of the kernel for the host by the default protocol; lowering is
/// not measured.
static void proveLowered(benchmark::State &state, const char *file) {
  mlir::MLIRContext context(makeRegistry(),
                            mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(
      std::string(RCCLX_SCHEDULES "/") + file, &context);
  LoweringOptions options;
  options.world = state.range(0);
  mlir::PassManager pm(&context);
  buildSchedulePipeline(pm, options);
  buildUnprovedKernelPipeline(pm);
  if (!module || failed(pm.run(*module))) {
    state.SkipWithError("cannot be lowered");
    return;
  }
  auto func = *module->getOps<kernel::FuncOp>().begin();
  auto collective = *module->getOps<CollectiveOp>().begin();
  uint64_t steps = 0;
  for (auto iteration : state) {
    (void)iteration;
    auto proof = proveKernel(func, collective);
    if (failed(proof)) {
      state.SkipWithError("is not proved");
      return;
    }
    steps = proof->steps;
  }
  state.counters["steps"] = double(steps);
  state.SetComplexityN(int64_t(steps));
}

#define RCCLX_PROVE(name)                                                      \
  BENCHMARK_CAPTURE(prove, name, #name ".mlir")                                \
      ->RangeMultiplier(2)                                                     \
      ->Range(8, 256)                                                          \
      ->Unit(benchmark::kMillisecond)                                          \
      ->Complexity();                                                          \
  BENCHMARK_CAPTURE(proveLowered, name, #name ".mlir")                         \
      ->RangeMultiplier(2)                                                     \
      ->Range(8, 256)                                                          \
      ->Unit(benchmark::kMillisecond)                                          \
      ->Complexity()

RCCLX_PROVE(all_reduce_two_shot);
RCCLX_PROVE(all_reduce_one_shot);
RCCLX_PROVE(all_reduce_ring);
RCCLX_PROVE(all_gather_direct);
RCCLX_PROVE(barrier);

BENCHMARK_MAIN();
