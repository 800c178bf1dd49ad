//===- Forms.cpp - A schedule and its kernels, to be mutated --------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "rcclx/Analysis/ProveKernel.h"
#include "rcclx/Analysis/TraceSchedule.h"
#include "rcclx/CodeGen/HipSource.h"
#include "rcclx/CodeGen/Passes.h"
#include "rcclx/CodeGen/Pipelines.h"
#include "rcclx/CodeGen/Register.h"
#include "rcclx/Passes/Passes.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace rcclx;
using namespace rcclx::mutants;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

namespace {
/// Keeps the first error and prints nothing.
class FirstError {
public:
  explicit FirstError(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (text.empty() &&
              diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text = diagnostic.str();
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

Program::Program() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.printOpOnDiagnostic(false);
}

CollectiveOp Program::getCollective(ModuleOp module) {
  return *module.getOps<CollectiveOp>().begin();
}

uint32_t Program::getRoot(uint32_t world) {
  // Not 0: what forgets the root would go there.
  return hasRoot(getContract()) ? world - 1 : 0;
}

std::vector<int32_t> Program::getPermutation(uint32_t world) {
  std::vector<int32_t> permutation;
  if (getContract() != Contract::Permute)
    return permutation;
  // The last rank keeps its own; the others go round. Two exchange.
  if (world == 2)
    return {1, 0};
  for (uint32_t rank = 0; rank + 1 < world; ++rank)
    permutation.push_back(int32_t((rank + 1) % (world - 1)));
  permutation.push_back(int32_t(world) - 1);
  return permutation;
}

llvm::Expected<std::unique_ptr<Program>> Program::open(StringRef path) {
  std::unique_ptr<Program> program(new Program);
  program->name = llvm::sys::path::stem(path);
  FirstError errors(&program->context);
  program->module = parseSourceFile<ModuleOp>(path, &program->context);
  if (!program->module)
    return llvm::createStringError(path + ": " + errors.text);
  auto collectives = program->module->getOps<CollectiveOp>();
  if (!llvm::hasSingleElement(collectives))
    return llvm::createStringError(path + ": expected one rcclx.collective");
  (*collectives.begin()).setSymName("mutant");
  return program;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

LogicalResult Program::bind(ModuleOp target, uint32_t world) {
  SpecializeOptions options;
  options.world = world;
  options.element = element;
  options.reduction = reduction;
  options.root = getRoot(world);
  options.permutation = llvm::to_vector(getPermutation(world));
  PassManager pm(&context);
  pm.addPass(createSpecialize(std::move(options)));
  return pm.run(target);
}

std::vector<Mutation> Program::findScheduleMutations() {
  return findMutations(getCollective(*module));
}

std::optional<Compiled> Program::compileSchedule(const Setting &setting,
                                                 const Mutation *mutation) {
  FirstError errors(&context);
  OwningOpRef<ModuleOp> mutant(module->clone());
  if (mutation && !applyMutation(getCollective(*mutant), *mutation))
    return std::nullopt;
  errors.text.clear();

  Compiled result;
  OwningOpRef<ModuleOp> bound(mutant->clone());
  FailureOr<Proof> proof = failure();
  if (succeeded(bind(*bound, setting.world)))
    proof = proveSchedule(getCollective(*bound), setting.world, /*slots=*/2);
  result.proved = succeeded(proof);
  if (result.proved) {
    result.edges = proof->edges;
    result.readers = proof->readers;
    result.lowered = succeeded(lowerProved(*mutant, setting, result));
  } else {
    result.refusal = errors.text;
    // Nobody knows the edges.
    std::vector<uint32_t> all(setting.world);
    for (uint32_t rank = 0; rank < setting.world; ++rank)
      all[rank] = rank;
    result.edges.assign(setting.world, all);
    result.readers = result.edges;
    result.lowered = succeeded(lowerRefused(*mutant, setting, result));
  }
  if (result.refusal.empty())
    result.refusal = errors.text;
  return result;
}

static std::unique_ptr<LoweringOptions>
makeOptions(const Setting &setting, uint32_t root,
            ArrayRef<int32_t> permutation) {
  auto options = std::make_unique<LoweringOptions>();
  options->world = setting.world;
  options->element = std::string(element);
  options->reduction = std::string(reduction);
  options->root = root;
  options->permutation = permutation;
  options->protocol = setting.protocol;
  options->maxTile = tileGroups;
  options->maxDepth = depth;
  return options;
}

LogicalResult Program::lowerProved(ModuleOp mutant, const Setting &setting,
                                   Compiled &result) {
  std::unique_ptr<LoweringOptions> options = makeOptions(
      setting, getRoot(setting.world), getPermutation(setting.world));
  PassManager pm(&context);
  buildSchedulePipeline(pm, *options);
  if (failed(pm.run(mutant)))
    return failure();
  result.grid = getCollective(mutant).getMappingAttr().getGrid();
  PassManager kernelPasses(&context);
  buildUnprovedKernelPipeline(kernelPasses);
  kernelPasses.addPass(createVerifyKernel());
  return failed(kernelPasses.run(mutant)) ? failure() : emit(mutant, result);
}

/// One more than the largest tag; a guess where the schedule has no trace.
static uint32_t countTags(CollectiveOp collective, uint32_t world) {
  FailureOr<TracedSchedule> traced = traceSchedule(collective, world);
  if (failed(traced))
    return 4 * world;
  uint32_t tags = 1;
  for (const RankTrace &rank : traced->trace.ranks)
    for (const Event &event : rank.getEvents())
      if (event.isSend() || event.isReceive())
        tags = std::max(tags, std::min<uint32_t>(event.tag, 1 << 10) + 1);
  return tags;
}

LogicalResult Program::lowerRefused(ModuleOp mutant, const Setting &setting,
                                    Compiled &result) {
  if (failed(bind(mutant, setting.world)))
    return failure();
  PassManager pm(&context);
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createFormStages(FormStagesOptions{/*prove=*/false}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (failed(pm.run(mutant)))
    return failure();
  CollectiveOp collective = getCollective(mutant);
  // Always legal, and a message that nobody takes leaves its trace.
  auto ll = ProtocolAttr::get(&context, Protocol::LL);
  collective.walk([&](Operation *op) {
    if (auto send = dyn_cast<SendOp>(op))
      send.setProtocolAttr(ll);
    if (auto recv = dyn_cast<RecvOp>(op))
      recv.setProtocolAttr(ll);
  });
  collective.setMappingAttr(MappingAttr::get(
      &context, /*grid=*/1, /*groups=*/1, /*threads=*/1, tileGroups, depth,
      countTags(collective, setting.world), /*rows=*/1));
  PassManager kernelPasses(&context);
  buildUnprovedKernelPipeline(kernelPasses);
  return failed(kernelPasses.run(mutant)) ? failure() : emit(mutant, result);
}

LogicalResult Program::emit(ModuleOp mutant, Compiled &result) {
  PassManager pm(&context);
  pm.addPass(createConvertKernelToEmitC());
  if (failed(pm.run(mutant)))
    return failure();
  FailureOr<std::string> source = emitHip(mutant);
  if (failed(source))
    return failure();
  result.source = std::move(*source);
  return success();
}

//===----------------------------------------------------------------------===//
// What survivors do
//===----------------------------------------------------------------------===//

/// The operations of all ranks, one line each. A value is named by what made
/// it.
static std::vector<std::string> listEvents(const ScheduleTrace &trace) {
  std::vector<std::string> lines;
  for (auto [rank, ofRank] : llvm::enumerate(trace.ranks)) {
    std::vector<size_t> values(ofRank.getNumValues());
    for (const Event &e : ofRank.getEvents()) {
      const Interval *interval = e.place.interval == IntervalTable::everywhere
                                     ? nullptr
                                     : &trace.intervals[e.place.interval];
      std::string line = llvm::formatv(
          "{0}: {1} {2} {3} {4} {5} {6} {7} {8} {9}", rank, unsigned(e.kind),
          e.isRemote, unsigned(e.place.memory), e.place.block,
          interval ? interval->begin : 0, interval ? interval->length : 0,
          interval ? interval->denominator : 0, e.peer, e.tag);
      switch (e.kind) {
      case EventKind::Store:
      case EventKind::Send:
        line += llvm::formatv(" {0}", values[e.value]);
        break;
      case EventKind::Signal:
      case EventKind::Wait:
        break;
      case EventKind::Reduce:
        line += llvm::formatv(" {0} {1}", values[e.acc], values[e.chunk]);
        values[e.value] = llvm::hash_value(line);
        break;
      case EventKind::Round:
      case EventKind::Finish:
        line += llvm::formatv(" {0}", values[e.acc]);
        values[e.value] = llvm::hash_value(line);
        break;
      case EventKind::Load:
      case EventKind::Recv:
      case EventKind::Identity:
        values[e.value] = llvm::hash_value(line);
        break;
      }
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::string Program::compareTraces(ArrayRef<uint32_t> worlds,
                                   const Mutation &mutation) {
  FirstError errors(&context);
  bool same = true, reordered = true;
  for (uint32_t world : worlds) {
    OwningOpRef<ModuleOp> original(module->clone()), mutant(module->clone());
    if (!applyMutation(getCollective(*mutant), mutation) ||
        failed(bind(*original, world)) || failed(bind(*mutant, world)))
      return "";
    FailureOr<TracedSchedule> before =
        traceSchedule(getCollective(*original), world);
    FailureOr<TracedSchedule> after =
        traceSchedule(getCollective(*mutant), world);
    if (failed(before) || failed(after))
      return "";
    std::vector<std::string> a = listEvents(before->trace);
    std::vector<std::string> b = listEvents(after->trace);
    same &= a == b;
    llvm::sort(a);
    llvm::sort(b);
    reordered &= a == b;
  }
  if (same)
    return "every rank does the same, step by step";
  return reordered ? "every rank does the same in another order" : "";
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static kernel::FuncOp getKernel(ModuleOp module) {
  return *module.getOps<kernel::FuncOp>().begin();
}

llvm::Error Program::lowerToKernel(const Setting &setting) {
  FirstError errors(&context);
  kernel = OwningOpRef<ModuleOp>(module->clone());
  kernelPlan = Compiled();
  std::unique_ptr<LoweringOptions> options = makeOptions(
      setting, getRoot(setting.world), getPermutation(setting.world));
  PassManager pm(&context);
  buildSchedulePipeline(pm, *options);
  if (failed(pm.run(*kernel)))
    return llvm::createStringError(name + ": " + errors.text);
  CollectiveOp collective = getCollective(*kernel);
  FailureOr<Proof> proof = proveSchedule(collective, setting.world, UINT32_MAX);
  if (failed(proof))
    return llvm::createStringError(name + ": " + errors.text);
  kernelPlan.edges = proof->edges;
  kernelPlan.readers = proof->readers;
  kernelPlan.grid = collective.getMappingAttr().getGrid();
  PassManager kernelPasses(&context);
  buildUnprovedKernelPipeline(kernelPasses);
  if (failed(kernelPasses.run(*kernel)))
    return llvm::createStringError(name + ": " + errors.text);
  return llvm::Error::success();
}

std::vector<Mutation> Program::findKernelMutations() {
  return findMutations(getKernel(*kernel));
}

std::optional<Compiled> Program::compileKernel(const Mutation *mutation) {
  FirstError errors(&context);
  OwningOpRef<ModuleOp> mutant(kernel->clone());
  if (mutation && !applyMutation(getKernel(*mutant), *mutation))
    return std::nullopt;
  errors.text.clear();
  Compiled result = kernelPlan;
  // A proof that crashes is a finding, not the end.
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  result.crashed = !recovery.RunSafely([&] {
    result.proved =
        succeeded(proveKernel(getKernel(*mutant), getCollective(*mutant)));
  });
  result.lowered = succeeded(emit(*mutant, result));
  result.refusal = result.crashed ? "the proof crashes" : errors.text;
  return result;
}
