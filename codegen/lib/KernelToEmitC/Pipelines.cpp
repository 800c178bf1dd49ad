//===- Pipelines.cpp - The one place that orders passes -------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/CodeGen/Pipelines.h"
#include "mlir/Transforms/Passes.h"
#include "rcclx/CodeGen/Passes.h"
#include "rcclx/Dialect/Kernel/Kernel.h"
#include "rcclx/Passes/Passes.h"

using namespace mlir;
using namespace rcclx;

void rcclx::buildSchedulePipeline(OpPassManager &pm,
                                  const LoweringOptions &options) {
  ArrayRef<int32_t> permutation = options.permutation;
  pm.addPass(
      createSpecialize({options.world, options.element, options.reduction,
                        options.root, llvm::to_vector(permutation)}));
  // Before any simplification, so that what is proved is what was written.
  pm.addPass(createVerifySchedule({options.world, options.slots, false}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createFormStages());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(
      createSelectProtocol({options.protocol, options.kind, options.count}));
  pm.addPass(createMapToBlocks({options.kind, options.count, options.maxTile,
                                options.maxDepth, options.grid}));
}

void rcclx::buildUnprovedKernelPipeline(OpPassManager &pm) {
  pm.addPass(createConvertRcclxToKernel());
  // Not the schedule beside it: it is proved once more, as it is.
  OpPassManager &kernel = pm.nest<kernel::FuncOp>();
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  // Slots, buffers and ranges leave the element loops.
  kernel.addPass(createLoopInvariantCodeMotionPass());
  kernel.addPass(createCSEPass());
}

void rcclx::buildKernelPipeline(OpPassManager &pm) {
  buildUnprovedKernelPipeline(pm);
  // After all that changes a kernel: what is proved is what is printed.
  pm.addPass(createVerifyKernel());
  pm.addPass(createConvertKernelToEmitC());
}

void rcclx::buildLoweringPipeline(OpPassManager &pm,
                                  const LoweringOptions &options) {
  buildSchedulePipeline(pm, options);
  buildKernelPipeline(pm);
}

void rcclx::registerRcclxPipelines() {
  PassPipelineRegistration<LoweringOptions>(
      "rcclx-prepare", "from a schedule to a proved, staged and mapped one",
      buildSchedulePipeline);
  PassPipelineRegistration<>("rcclx-to-kernel",
                             "from there to kernels, which are not proved yet",
                             buildUnprovedKernelPipeline);
  PassPipelineRegistration<LoweringOptions>(
      "rcclx-lower", "from a schedule to EmitC", buildLoweringPipeline);
}
