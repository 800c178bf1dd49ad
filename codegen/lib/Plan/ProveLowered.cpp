//===- ProveLowered.cpp - Proof of what a schedule is lowered to ----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "ProveLowered.h"
#include "mlir/Pass/PassManager.h"
#include "rcclx/Analysis/ProveKernel.h"
#include "rcclx/CodeGen/Pipelines.h"
#include <chrono>

using namespace mlir;
using namespace rcclx;

/// Every compilation proves its kernel. For larger worlds, only what is
/// compiled by default is lowered here.
constexpr uint32_t maxEveryProtocol = 16;

static void fill(LoweringOptions &options, const rcclx_verify_request &request,
                 StringRef protocol) {
  options.world = request.world;
  options.root = request.root;
  for (uint32_t i = 0; i < request.permutation_length; ++i)
    options.permutation.push_back(int32_t(request.permutation[i]));
  options.slots = request.slots ? request.slots : 2;
  options.protocol = protocol.str();
}

LogicalResult rcclx::proveLowered(ModuleOp module,
                                  const rcclx_verify_request &request,
                                  rcclx_proof &result) {
  auto start = std::chrono::steady_clock::now();
  SmallVector<StringRef> protocols = {""};
  if (request.world <= maxEveryProtocol)
    protocols.append({"ll", "sentinel"});
  for (StringRef protocol : protocols) {
    OwningOpRef<ModuleOp> copy(module.clone());
    LoweringOptions options;
    fill(options, request, protocol);
    PassManager pm(copy->getContext());
    buildSchedulePipeline(pm, options);
    buildUnprovedKernelPipeline(pm);
    if (failed(pm.run(*copy)))
      return success();
    auto func = *copy->getOps<kernel::FuncOp>().begin();
    auto collective = *copy->getOps<CollectiveOp>().begin();
    if (failed(proveKernel(func, collective)))
      return failure();
    ++result.kernels;
  }
  result.kernel_microseconds =
      std::chrono::duration_cast<std::chrono::microseconds>(
          std::chrono::steady_clock::now() - start)
          .count();
  return success();
}
