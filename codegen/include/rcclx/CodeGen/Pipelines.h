//===- Pipelines.h - The one place that orders passes -----------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_CODEGEN_PIPELINES_H
#define RCCLX_CODEGEN_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include <string>

namespace rcclx {

/// What a schedule is lowered for.
struct LoweringOptions : public mlir::PassPipelineOptions<LoweringOptions> {
  Option<uint32_t> world{*this, "world", llvm::cl::desc("number of ranks"),
                         llvm::cl::init(2)};
  Option<std::string> element{
      *this, "element", llvm::cl::desc("element type, as of rcclx-specialize"),
      llvm::cl::init("f32")};
  Option<std::string> reduction{
      *this, "reduction", llvm::cl::desc("reduction, as of rcclx-specialize"),
      llvm::cl::init("sum")};
  Option<uint32_t> root{*this, "root",
                        llvm::cl::desc("root, as of rcclx-specialize"),
                        llvm::cl::init(0)};
  ListOption<int32_t> permutation{
      *this, "permutation",
      llvm::cl::desc("permutation, as of rcclx-specialize")};
  Option<uint64_t> count{*this, "count",
                         llvm::cl::desc("elements of a block of the call"),
                         llvm::cl::init(1)};
  Option<std::string> kind{*this, "kind",
                           llvm::cl::desc("kind of device: host or gpu"),
                           llvm::cl::init("host")};
  Option<std::string> protocol{
      *this, "protocol",
      llvm::cl::desc("ll, sentinel or flag wherever legal; empty: choose"),
      llvm::cl::init("")};
  Option<uint32_t> slots{
      *this, "slots",
      llvm::cl::desc("message slots of a pair that the proof allows"),
      llvm::cl::init(2)};
  Option<uint32_t> maxTile{*this, "max-tile",
                           llvm::cl::desc("element groups of a tile at most"),
                           llvm::cl::init(0)};
  Option<uint32_t> maxDepth{*this, "max-depth",
                            llvm::cl::desc("tiles in flight at most"),
                            llvm::cl::init(0)};
  Option<uint32_t> grid{*this, "grid", llvm::cl::desc("blocks of the kernel"),
                        llvm::cl::init(0)};
};

/// From a schedule to a proved, staged and mapped one.
void buildSchedulePipeline(mlir::OpPassManager &pm,
                           const LoweringOptions &options);

/// From there to the kernel that is printed. For who proves it by himself, and
/// for tests that run wrong ones.
void buildUnprovedKernelPipeline(mlir::OpPassManager &pm);

/// The same, proved, and on to EmitC.
void buildKernelPipeline(mlir::OpPassManager &pm);

/// Both: `-rcclx-lower`.
void buildLoweringPipeline(mlir::OpPassManager &pm,
                           const LoweringOptions &options);

void registerRcclxPipelines();

} // namespace rcclx

#endif // RCCLX_CODEGEN_PIPELINES_H
