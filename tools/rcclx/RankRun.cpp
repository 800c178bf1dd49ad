//===- RankRun.cpp - One rank of `rcclx run` ------------------------------===//
//
// Part of rcclx. A user of the C interface like any other.
//
//===----------------------------------------------------------------------===//
#include "RankRun.h"

#include "Check.h"
#include "Clock.h"
#include "Handles.h"

#include <algorithm>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

namespace rcclx::tool {

using namespace runtime;

static std::string mappingOf(const Manifest &manifest) {
  const PlanKind *kind = manifest.findKind("host");
  if (!kind)
    return "";
  std::string protocols;
  for (const std::string &protocol : kind->protocols)
    protocols += (protocols.empty() ? "" : ", ") + protocol;
  return fmt::format("{}; {} block{} of {} thread{}",
                     protocols.empty() ? "no messages" : protocols, kind->grid,
                     kind->grid == 1 ? "" : "s", kind->threads,
                     kind->threads == 1 ? "" : "s");
}

static Expected<Comm> join(const RunOptions &options, const rcclx_unique_id *id,
                           uint32_t rank) {
  rcclx_comm_params params = {};
  params.struct_size = sizeof(params);
  params.id = id;
  params.rank = rank;
  params.world = options.ranks;
  params.device = options.device.c_str();
  params.timeout_ms = options.timeoutMs;
  params.cache_dir =
      options.cacheDir.empty() ? nullptr : options.cacheDir.c_str();
  rcclx_comm *comm = nullptr;
  RCCLX_RETURN_IF_ERROR(statusOf(rcclx_comm_create(&params, &comm)));
  return Comm(comm);
}

static Expected<PlanHandle> prepare(rcclx_comm *comm,
                                    const rcclx_plan_params &params) {
  rcclx_plan *plan = nullptr;
  RCCLX_RETURN_IF_ERROR(statusOf(rcclx_plan_prepare(comm, &params, &plan)));
  return PlanHandle(plan);
}

static Expected<PlanHandle> prepare(const RunOptions &options,
                                    rcclx_comm *comm) {
  const std::string element(name(options.element));
  const std::string reduction(name(options.reduction));
  rcclx_plan_params params = {};
  params.struct_size = sizeof(params);
  if (!options.plan.empty()) {
    params.plan_dir = options.plan.c_str();
    return prepare(comm, params);
  }
  params.schedule = options.schedule.data();
  params.schedule_bytes = options.schedule.size();
  params.schedule_name = options.scheduleName.c_str();
  params.symbol = options.symbol.empty() ? nullptr : options.symbol.c_str();
  params.element = element.c_str();
  params.reduction = reduction.c_str();
  params.count = options.count;
  params.protocol =
      options.protocol.empty() ? nullptr : options.protocol.c_str();
  params.root = options.root;
  params.permutation_length = uint32_t(options.permutation.size());
  params.permutation = options.permutation.data();
  return prepare(comm, params);
}

static Expected<Manifest> describe(rcclx_plan *plan, RankResult &result) {
  rcclx_plan_info info = {};
  info.struct_size = sizeof(info);
  RCCLX_RETURN_IF_ERROR(statusOf(rcclx_plan_get_info(plan, &info)));
  RCCLX_ASSIGN_OR_RETURN(Manifest manifest,
                         Manifest::parse({info.manifest, info.manifest_bytes}));
  result.cached = info.cached != 0;
  result.planName = manifest.name;
  result.contract = name(manifest.contract);
  result.mapping = mappingOf(manifest);
  result.proof = manifest.proof;
  result.compile = manifest.compile;
  return manifest;
}

static Status run(const RunOptions &options, const rcclx_unique_id *id,
                  uint32_t rank, WorkloadCache &workloads, RankResult &result) {
  RCCLX_ASSIGN_OR_RETURN(Comm comm, join(options, id, rank));
  uint64_t before = nowNs();
  RCCLX_ASSIGN_OR_RETURN(PlanHandle plan, prepare(options, comm.get()));
  result.prepareNs = nowNs() - before;
  RCCLX_ASSIGN_OR_RETURN(Manifest manifest, describe(plan.get(), result));
  rcclx_stream *rawStream = nullptr;
  RCCLX_RETURN_IF_ERROR(statusOf(rcclx_stream_create(comm.get(), &rawStream)));
  StreamHandle stream(rawStream);

  Workload &workload = workloads.get(options, manifest);
  CallBuffers buffers(options, manifest, rank, workload.inputs()[rank]);
  rcclx_launch_params launch = {};
  launch.struct_size = sizeof(launch);
  launch.plan = plan.get();
  launch.input = buffers.input();
  launch.output = buffers.output();
  launch.count = options.count;
  launch.stream = stream.get();
  if (!workload.scales.empty())
    launch.scale = &workload.scales[rank];
  auto call = [&]() -> Status {
    RCCLX_RETURN_IF_ERROR(statusOf(rcclx_launch(comm.get(), &launch)));
    return statusOf(rcclx_stream_synchronize(stream.get()));
  };

  // Ranks enter one after the other, so that a barrier has something to hold.
  if (manifest.contract == Contract::Barrier) {
    timespec pause = {0, long(rank % 8) * 500'000};
    nanosleep(&pause, nullptr);
  }
  result.enteredNs = nowNs();
  RCCLX_RETURN_IF_ERROR(call());
  result.leftNs = nowNs();
  checkCall(options, workload, rank, buffers, result);

  std::vector<uint64_t> times(options.iterations);
  for (uint64_t &time : times) {
    uint64_t start = nowNs();
    RCCLX_RETURN_IF_ERROR(call());
    time = nowNs() - start;
  }
  if (times.empty())
    return Status();
  std::nth_element(times.begin(), times.begin() + int64_t(times.size() / 2),
                   times.end());
  result.medianNs = times[times.size() / 2];
  // In place, the calls after the first had other inputs.
  if (!options.inPlace)
    checkCall(options, workload, rank, buffers, result);
  return Status();
}

RankResult runRank(const RunOptions &options, const rcclx_unique_id *id,
                   uint32_t rank, WorkloadCache &workloads) {
  RankResult result;
  result.status = run(options, id, rank, workloads, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Between processes
//===----------------------------------------------------------------------===//

std::string RankResult::toJson() const {
  nlohmann::json stages = nlohmann::json::array();
  for (const CompileStage &stage : compile)
    stages.push_back({stage.stage, stage.microseconds});
  nlohmann::json json = {{"code", int(status.code())},
                         {"message", status.message()},
                         {"wrong", wrong},
                         {"plan", planName},
                         {"contract", contract},
                         {"mapping", mapping},
                         {"proof",
                          {proof.ranks, proof.operations, proof.messages,
                           proof.leastSlots, proof.microseconds}},
                         {"compile", stages},
                         {"cached", cached},
                         {"times", {prepareNs, medianNs, enteredNs, leftNs}},
                         {"referenceChecked", referenceChecked},
                         {"largestError", largestError},
                         {"digest", outputDigest}};
  // Diagnostics may quote a file that is not UTF-8.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Expected<RankResult> RankResult::fromJson(const std::string &text) {
  // The writer is this program: what does not fit is a process that was cut
  // off, and the reader's exceptions say so.
  try {
    nlohmann::json json = nlohmann::json::parse(text);
    RankResult result;
    if (int code = json.at("code"); code != 0)
      result.status = Status(Code(code), json.at("message"));
    result.wrong = json.at("wrong");
    result.planName = json.at("plan");
    result.contract = json.at("contract");
    result.mapping = json.at("mapping");
    const nlohmann::json &p = json.at("proof");
    result.proof = {p.at(0), p.at(1), p.at(2), p.at(3), p.at(4)};
    for (const nlohmann::json &stage : json.at("compile"))
      result.compile.push_back({stage.at(0), stage.at(1)});
    result.cached = json.at("cached");
    const nlohmann::json &times = json.at("times");
    result.prepareNs = times.at(0);
    result.medianNs = times.at(1);
    result.enteredNs = times.at(2);
    result.leftNs = times.at(3);
    result.referenceChecked = json.at("referenceChecked");
    result.largestError = json.at("largestError");
    result.outputDigest = json.at("digest");
    return result;
  } catch (const nlohmann::json::exception &) {
    return makeError(Code::Internal, "a rank's report is incomplete");
  }
}

} // namespace rcclx::tool
