//===- PlanCompiler.cpp - From schedule text to a plan --------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "rcclx/CodeGen/PlanCompiler.h"
#include "ProveLowered.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "rcclx/Analysis/Stages.h"
#include "rcclx/CodeGen/Compile.h"
#include "rcclx/CodeGen/HipSource.h"
#include "rcclx/CodeGen/Pipelines.h"
#include "rcclx/CodeGen/Register.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>
#include <set>

using namespace mlir;
using namespace rcclx;

using Clock = std::chrono::steady_clock;

static uint64_t microsecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() -
                                                               start)
      .count();
}

namespace {
/// One schedule in a context of its own, with its diagnostics as text.
class Session {
public:
  Session(StringRef text, StringRef name, std::string &diagnostics)
      : stream(diagnostics),
        context(makeRegistry(), MLIRContext::Threading::DISABLED),
        handler(sources, &context, stream) {
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                               llvm::SMLoc());
    // A schedule is small: the operation that it ends in helps nobody.
    context.printOpOnDiagnostic(false);
  }

  /// The collective named `symbol`, or the only one where it is empty; null,
  /// with a diagnostic, where there is none. All others are dropped.
  CollectiveOp parse(StringRef symbol) {
    context.loadAllAvailableDialects();
    module = parseSourceFile<ModuleOp>(sources, &context);
    if (!module)
      return nullptr;
    CollectiveOp found;
    std::string names;
    unsigned matching = 0;
    for (auto collective : module->getOps<CollectiveOp>()) {
      names += (names.empty() ? "@" : ", @") + collective.getSymName().str();
      if (!symbol.empty() && collective.getSymName() != symbol)
        continue;
      found = collective;
      ++matching;
    }
    if (matching != 1) {
      StringRef file = sources.getMemoryBuffer(sources.getMainFileID())
                           ->getBufferIdentifier();
      stream << file << ": error: expected "
             << (symbol.empty() ? "one rcclx.collective"
                                : ("rcclx.collective @" + symbol).str())
             << ", found " << (names.empty() ? "none" : names) << "\n";
      return nullptr;
    }
    for (Operation &op : llvm::make_early_inc_range(*module->getBody()))
      if (&op != found.getOperation())
        op.erase();
    return found;
  }

  ModuleOp getModule() { return *module; }
  MLIRContext &getContext() { return context; }

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  llvm::raw_string_ostream stream;
  llvm::SourceMgr sources;
  MLIRContext context;
  SourceMgrDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
};
} // namespace

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static StringRef getKind(StringRef target) {
  return target.starts_with("host-") ? "host" : "gpu";
}

/// The most elements of a block for which arrival counters do not overflow:
/// tiles * tags < 2^24 (position() in the device header).
static uint64_t getMaxCount(MappingAttr mapping, Type element) {
  uint64_t tiles = ((uint64_t(1) << 24) - 2) / mapping.getTags();
  uint64_t perGroup = 16 / (element.getIntOrFloatBitWidth() / 8);
  // Slice boundaries are products of granules and parts, of which there are at
  // most 2^31.
  uint64_t granules =
      std::min<uint64_t>(tiles * mapping.getTile(), uint64_t(1) << 32);
  return granules * perGroup;
}

static std::vector<std::string> getProtocols(CollectiveOp collective) {
  std::set<std::string> names;
  collective.walk([&](Operation *op) {
    if (auto send = dyn_cast<SendOp>(op))
      names.insert(stringifyProtocol(*send.getProtocol()).str());
    if (auto load = dyn_cast<LoadOp>(op); load && load.getAt())
      names.insert("direct");
    if (isa<SignalOp, BarrierOp>(op))
      names.insert("flag");
  });
  return {names.begin(), names.end()};
}

/// Lowers a copy of `module` for one kind of device.
static LogicalResult lowerKind(ModuleOp module, StringRef kind,
                               const rcclx_compile_request &request,
                               const PlanVariant &variant, Plan &plan) {
  Clock::time_point start = Clock::now();
  OwningOpRef<ModuleOp> copy(module.clone());
  LoweringOptions options;
  options.world = request.world;
  options.element = std::string(request.element);
  options.reduction = std::string(request.reduction);
  options.kind = kind.str();
  // A plan serves a size class: equal for all counts up to a power of two.
  options.root = request.root;
  for (uint32_t i = 0; i < request.permutation_length; ++i)
    options.permutation.push_back(int32_t(request.permutation[i]));
  options.count = llvm::bit_ceil(std::max<uint64_t>(request.count, 1));
  options.protocol = std::string(request.protocol ? request.protocol : "");
  options.maxTile = variant.maxTile;
  options.maxDepth = variant.maxDepth;
  options.grid = variant.grid;

  PassManager schedule(copy->getContext());
  buildSchedulePipeline(schedule, options);
  if (failed(schedule.run(*copy)))
    return failure();
  auto collective = *copy->getOps<CollectiveOp>().begin();
  // The kernel is proved to give what the staged form does: the very terms that
  // the plan carries.
  FailureOr<Proof> staged =
      proveSchedule(collective, request.world, /*slots=*/UINT32_MAX);
  if (failed(staged))
    return failure();
  if (!haveSameResults(*staged, plan.proof))
    return collective.emitOpError(
        "gives other results in stages than as it was written: a defect of "
        "rcclx-form-stages, not of the schedule");
  MappingAttr mapping = collective.getMappingAttr();
  KindArtifact artifact{kind.str(),
                        "rcclx_" + collective.getSymName().str(),
                        "",
                        mapping.getGrid(),
                        mapping.getThreads(),
                        mapping.getTile(),
                        mapping.getDepth(),
                        mapping.getTags(),
                        getProtocols(collective)};
  FailureOr<bool> inPlace = isSafeInPlace(collective, request.world);
  if (failed(inPlace))
    return failure();
  plan.safeInPlace &= *inPlace;
  uint64_t maxCount =
      getMaxCount(mapping, collective.getSpecAttr().getElement());
  plan.maxCount =
      plan.kinds.empty() ? maxCount : std::min(plan.maxCount, maxCount);

  PassManager kernel(copy->getContext());
  buildKernelPipeline(kernel);
  if (failed(kernel.run(*copy)))
    return failure();
  FailureOr<std::string> source = emitHip(*copy);
  if (failed(source))
    return failure();
  artifact.source = std::move(*source);
  plan.kinds.push_back(std::move(artifact));
  plan.times.push_back({"lower " + kind.str(), microsecondsSince(start)});
  return success();
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// Calls the runtime's hipRTC or NVRTC. On failure `object.bytes` is empty and
/// `message` says why.
static bool compileByRtc(const rcclx_compile_request &request,
                         const std::string &source, ObjectArtifact &object,
                         std::string &message) {
  char *bytes = nullptr;
  size_t size = 0;
  int status = request.rtc(request.rtc_data, object.target.c_str(),
                           source.c_str(), source.size(), &bytes, &size);
  auto release = llvm::scope_exit([&] { free(bytes); });
  if (status != 0 || !bytes) {
    message = bytes ? bytes : "out of memory";
    return false;
  }
  object.bytes.assign(bytes, bytes + size);
  object.compiler = object.target[0] == 's' ? "nvrtc" : "hiprtc";
  return true;
}

/// hipRTC compiles what it is known to; clang 22 all other AMD GPUs, and those
/// too where no hipRTC is installed. The manifest says which one it was.
static bool compileObject(const rcclx_compile_request &request,
                          const PlanVariant &variant, std::string source,
                          ObjectArtifact &object, std::string &message) {
  StringRef target = object.target;
  if (target.starts_with("sm_")) {
    if (request.rtc)
      return compileByRtc(request, source, object, message);
    message = "needs NVRTC, which was not loaded";
    return false;
  }
  if ((target == "gfx90a" || target == "gfx1030") && request.rtc &&
      compileByRtc(request, source, object, message))
    return true;
  HostCompileOptions host;
  host.cpu = request.host_cpu ? request.host_cpu : "";
  host.threadSanitizer = variant.threadSanitizer;
  if (object.kind == "host" && variant.edit)
    if (llvm::Error error = variant.edit(source)) {
      message = llvm::toString(std::move(error));
      return false;
    }
  llvm::Expected<std::vector<char>> bytes = object.kind == "host"
                                                ? compileHost(source, host)
                                                : compileAmdgpu(source, target);
  if (!bytes) {
    message = llvm::toString(bytes.takeError());
    return false;
  }
  object.bytes = std::move(*bytes);
  object.compiler = "clang-22";
  if (object.kind == "host")
    object.cpu = request.host_cpu ? request.host_cpu : hostCpuKey().str();
  return true;
}

static std::string getObjectName(StringRef target) {
  StringRef suffix = target.starts_with("host-") ? ".so"
                     : target.starts_with("sm_") ? ".cubin"
                                                 : ".co";
  return (target + suffix).str();
}

static bool isTarget(StringRef target) {
  return target == "host-x86_64" || llvm::is_contained(amdgpuArchs(), target) ||
         (target.consume_front("sm_") && target.size() <= 4 &&
          !target.empty() && llvm::all_of(target, llvm::isAlnum));
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

static std::string checkWorld(uint32_t world) {
  if (world >= 1 && world <= 256)
    return "";
  return "error: expected 1 to 256 ranks, found " + std::to_string(world) +
         "\n";
}

/// Why no call of the request's ranks can have its root and permutation.
template <typename Request>
static std::string checkRoles(const Request &request) {
  SmallVector<int32_t> permutation(
      request.permutation, request.permutation + request.permutation_length);
  std::string wrong =
      rcclx::checkRoles(request.world, request.root, permutation);
  return wrong.empty() ? "" : "error: " + wrong + "\n";
}

/// The same for what `collective` implements.
template <typename Request>
static std::string checkRoles(const Request &request, CollectiveOp collective) {
  std::string wrong = rcclx::checkRoles(collective.getContract(), request.root,
                                        request.permutation_length != 0);
  return wrong.empty() ? "" : "error: " + wrong + "\n";
}

template <typename Request> static Roles getRoles(const Request &request) {
  return Roles(
      request.world, request.root,
      {request.permutation, request.permutation + request.permutation_length});
}

static std::string checkNames(const rcclx_compile_request &request) {
  auto unknown = [](StringRef what, StringRef name, StringRef expected) {
    return ("error: unknown " + what + " '" + name + "'; expected " + expected +
            "\n")
        .str();
  };
  std::string errors;
  if (!isElementName(request.element))
    errors += unknown("element type", request.element, listElements());
  if (!symbolizeReduction(request.reduction))
    errors += unknown("reduction", request.reduction, listReductions());
  if (request.protocol) {
    std::optional<Protocol> protocol = symbolizeProtocol(request.protocol);
    if (!protocol || *protocol == Protocol::Direct)
      errors += unknown("protocol", request.protocol, "ll, sentinel or flag");
  }
  return errors;
}

CompileStatus rcclx::compilePlan(const rcclx_compile_request &request,
                                 std::string &diagnostics,
                                 const PlanVariant &variant) {
  diagnostics += checkWorld(request.world);
  if (diagnostics.empty())
    diagnostics += checkRoles(request);
  diagnostics += checkNames(request);
  constexpr uint64_t maxCount = uint64_t(1) << 44;
  if (request.count > maxCount)
    diagnostics += "error: expected a count of at most " +
                   std::to_string(maxCount) + " elements, found " +
                   std::to_string(request.count) + "\n";
  if (request.num_targets == 0)
    diagnostics += "error: expected a target\n";
  for (size_t i = 0; i < request.num_targets; ++i)
    if (llvm::is_contained(llvm::ArrayRef(request.targets, i),
                           StringRef(request.targets[i])))
      diagnostics += "error: target '" + std::string(request.targets[i]) +
                     "' is named twice\n";
    else if (!isTarget(request.targets[i]))
      diagnostics += "error: unknown target '" +
                     std::string(request.targets[i]) +
                     "'; expected host-x86_64, sm_NN or one of " +
                     llvm::join(amdgpuArchs(), ", ") + "\n";
  if (request.host_cpu &&
      !llvm::is_contained(hostCpuLevels(), StringRef(request.host_cpu)))
    diagnostics += "error: unknown CPU '" + std::string(request.host_cpu) +
                   "'; expected one of " + llvm::join(hostCpuLevels(), ", ") +
                   "\n";
  if (!diagnostics.empty())
    return CompileStatus::Request;

  Plan plan;
  Clock::time_point start = Clock::now();
  Session session(StringRef(request.schedule, request.schedule_bytes),
                  request.schedule_name, diagnostics);
  CollectiveOp collective = session.parse(request.symbol ? request.symbol : "");
  if (!collective)
    return CompileStatus::Schedule;
  diagnostics += checkRoles(request, collective);
  if (!diagnostics.empty())
    return CompileStatus::Request;
  plan.times.push_back({"parse", microsecondsSince(start)});

  start = Clock::now();
  FailureOr<Proof> proof =
      proveSchedule(collective, request.world, /*slots=*/2, getRoles(request));
  if (failed(proof))
    return CompileStatus::Schedule;
  plan.proof = std::move(*proof);
  plan.proofMicroseconds = microsecondsSince(start);
  plan.times.push_back({"prove", plan.proofMicroseconds});
  plan.name = collective.getSymName();
  plan.contract = stringifyContract(collective.getContract());
  plan.world = request.world;
  plan.root = request.root;
  plan.permutation.assign(request.permutation,
                          request.permutation + request.permutation_length);
  plan.element = request.element;
  plan.reduction = request.reduction;

  collective.walk([&](BufferOp buffer) {
    plan.hasScratch |= buffer.getBuffer() == BufferKind::Scratch;
  });

  for (StringRef kind : {"host", "gpu"}) {
    bool wanted = false;
    for (size_t i = 0; i < request.num_targets; ++i)
      wanted |= getKind(request.targets[i]) == kind;
    if (wanted &&
        failed(lowerKind(session.getModule(), kind, request, variant, plan)))
      return CompileStatus::Schedule;
  }

  for (size_t i = 0; i < request.num_targets; ++i) {
    start = Clock::now();
    StringRef target = request.targets[i];
    ObjectArtifact object{
        target.str(), getKind(target).str(), getObjectName(target), "", "", {}};
    const KindArtifact &kind =
        *llvm::find_if(plan.kinds, [&](const KindArtifact &k) {
          return k.kind == object.kind;
        });
    std::string message;
    if (!compileObject(request, variant,
                       withDeviceHeader(kind.source, kind.kind + ".hip.cpp"),
                       object, message)) {
      diagnostics += "error: " + target.str() + ": " + message + "\n";
      return CompileStatus::Machine;
    }
    plan.objects.push_back(std::move(object));
    plan.times.push_back({"compile " + target.str(), microsecondsSince(start)});
  }
  return writePlan(plan, request.directory, diagnostics);
}

CompileStatus rcclx::verifySchedule(const rcclx_verify_request &given,
                                    rcclx_proof &result,
                                    std::string &diagnostics) {
  rcclx_verify_request request = given;
  bool everyRoot = request.root == RCCLX_EVERY_ROOT;
  if (everyRoot)
    request.root = 0;
  diagnostics += checkWorld(request.world);
  if (diagnostics.empty())
    diagnostics += checkRoles(request);
  if (!diagnostics.empty())
    return CompileStatus::Request;
  Session session(StringRef(request.schedule, request.schedule_bytes),
                  request.schedule_name, diagnostics);
  CollectiveOp collective = session.parse(request.symbol ? request.symbol : "");
  if (!collective)
    return CompileStatus::Schedule;
  diagnostics += checkRoles(request, collective);
  if (!diagnostics.empty())
    return CompileStatus::Request;
  size_t known = result.struct_size;
  result = {};
  result.struct_size = known;
  bool rooted = hasRoot(collective.getContract());
  uint32_t end = everyRoot && rooted ? request.world : request.root + 1;
  Clock::time_point start = Clock::now();
  for (; request.root < end; ++request.root) {
    FailureOr<Proof> proof =
        proveSchedule(collective, request.world,
                      request.slots ? request.slots : 2, getRoles(request));
    if (failed(proof))
      return CompileStatus::Schedule;
    result.operations = std::max(result.operations, proof->operations);
    result.messages = std::max(result.messages, proof->messages);
    result.least_slots = std::max(result.least_slots, proof->leastSlots);
    result.roots += rooted;
  }
  result.microseconds = microsecondsSince(start);
  --request.root; // the last one
  if (!request.schedule_only &&
      failed(proveLowered(session.getModule(), request, result)))
    return CompileStatus::Schedule;
  return CompileStatus::Ok;
}
