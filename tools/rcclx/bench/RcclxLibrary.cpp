//===- RcclxLibrary.cpp - rcclx as a library to measure -------------------===//
//
// Part of rcclx. A user of the C interface like any other.
//
//===----------------------------------------------------------------------===//
#include "Handles.h"
#include "Library.h"
#include "rcclx/Runtime/Manifest.h"

namespace rcclx::tool {

using namespace runtime;

namespace {
class RcclxOperation : public Operation {
public:
  RcclxOperation(rcclx_comm *comm, PlanHandle plan, const CallMemory &memory)
      : comm(comm), plan(std::move(plan)) {
    launch.struct_size = sizeof(launch);
    launch.plan = this->plan.get();
    launch.input = memory.input;
    launch.output = memory.output;
    launch.count = memory.shape.count;
  }

  Status run() override {
    // Without a stream: the calling thread runs it, as in the other libraries.
    return statusOf(rcclx_launch(comm, &launch));
  }

private:
  rcclx_comm *comm;
  PlanHandle plan;
  rcclx_launch_params launch = {};
};

class RcclxLibrary : public Library {
public:
  RcclxLibrary(const BenchOptions &options, Comm comm)
      : options(options), comm(std::move(comm)) {}

  std::string name() const override { return "rcclx"; }
  std::string describe() const override {
    uint32_t version = rcclx_version();
    return fmt::format(
        "rcclx {}.{}.{}{}", version / 10000, version / 100 % 100, version % 100,
        options.protocol.empty() ? "" : ", protocol " + options.protocol);
  }
  std::vector<std::string> variants(const CallShape &shape) const override {
    std::vector<std::string> names;
    for (const BenchSchedule &schedule : options.schedules)
      if (schedule.contract == shape.contract)
        names.push_back(schedule.name);
    return names;
  }
  Expected<std::unique_ptr<Operation>> open(const std::string &variant,
                                            const CallMemory &memory) override {
    for (const BenchSchedule &schedule : options.schedules)
      if (schedule.contract == memory.shape.contract &&
          schedule.name == variant) {
        RCCLX_ASSIGN_OR_RETURN(PlanHandle plan,
                               prepare(schedule, memory.shape));
        return std::unique_ptr<Operation>(
            new RcclxOperation(comm.get(), std::move(plan), memory));
      }
    return makeError(Code::Internal, "no schedule {}", variant);
  }

private:
  Expected<PlanHandle> prepare(const BenchSchedule &schedule,
                               const CallShape &shape) {
    rcclx_plan_params params = {};
    params.struct_size = sizeof(params);
    std::string plan;
    if (!options.plans.empty()) {
      plan = fmt::format("{}/{}-{}-{}", options.plans, schedule.name,
                         shape.world, shape.count);
      params.plan_dir = plan.c_str();
    } else {
      params.schedule = schedule.text.data();
      params.schedule_bytes = schedule.text.size();
      params.schedule_name = schedule.path.c_str();
      params.element = "f32";
      params.reduction = "sum";
      params.count = shape.count;
      if (!options.protocol.empty())
        params.protocol = options.protocol.c_str();
    }
    rcclx_plan *raw = nullptr;
    RCCLX_RETURN_IF_ERROR(
        statusOf(rcclx_plan_prepare(comm.get(), &params, &raw)));
    PlanHandle handle(raw);
    rcclx_plan_info info = {};
    info.struct_size = sizeof(info);
    RCCLX_RETURN_IF_ERROR(statusOf(rcclx_plan_get_info(raw, &info)));
    RCCLX_ASSIGN_OR_RETURN(
        Manifest manifest,
        Manifest::parse({info.manifest, info.manifest_bytes}));
    // Buffers were made for what the text says, and f32.
    if (manifest.contract != shape.contract ||
        manifest.element != Element::F32 ||
        manifest.reduction != Reduction::Sum)
      return makeError(Code::Schedule,
                       "{}: error: expected a plan for {} of f32, sum, found "
                       "{} of {}, {}",
                       schedule.path, runtime::name(shape.contract),
                       runtime::name(manifest.contract),
                       runtime::name(manifest.element),
                       runtime::name(manifest.reduction));
    return handle;
  }

  const BenchOptions &options;
  Comm comm;
};
} // namespace

Expected<std::unique_ptr<Library>> createRcclx(const BenchOptions &options,
                                               Meeting &meeting) {
  rcclx_unique_id ids[maxBenchWorld] = {};
  rcclx_unique_id id = {};
  if (meeting.rank() == 0)
    RCCLX_RETURN_IF_ERROR(statusOf(rcclx_unique_id_create(&id)));
  RCCLX_RETURN_IF_ERROR(meeting.exchange(&id, sizeof(id), ids));
  rcclx_comm_params params = {};
  params.struct_size = sizeof(params);
  params.id = &ids[0];
  params.rank = meeting.rank();
  params.world = meeting.world();
  params.timeout_ms = options.timeoutMs;
  params.cache_dir =
      options.cacheDir.empty() ? nullptr : options.cacheDir.c_str();
  rcclx_comm *comm = nullptr;
  RCCLX_RETURN_IF_ERROR(statusOf(rcclx_comm_create(&params, &comm)));
  return std::unique_ptr<Library>(new RcclxLibrary(options, Comm(comm)));
}

} // namespace rcclx::tool
