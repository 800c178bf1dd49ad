//===- ProofBenchmark.cpp - How long proofs of shipped schedules take -----===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "rcclx/Analysis/Proof.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include <benchmark/benchmark.h>

using namespace rcclx;

/// One proof on state.range(0) ranks, with 2 slots; parsing is not measured.
static void prove(benchmark::State &state, const char *file) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<RcclxDialect, mlir::arith::ArithDialect,
                      mlir::scf::SCFDialect>();
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

#define RCCLX_PROVE(name)                                                      \
  BENCHMARK_CAPTURE(prove, name, #name ".mlir")                                \
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
