//===- CApi.cpp - C interface of rcclx ------------------------------------===//
//
// Part of rcclx. Validates, calls, converts; decides nothing.
//
//===----------------------------------------------------------------------===//
#include "Group.h"

#include <algorithm>

using namespace rcclx::runtime;

static thread_local std::string lastError;

rcclx_result rcclx::runtime::report(const Status &status) noexcept {
  if (!status.isOk()) {
    try {
      lastError = status.message();
    } catch (const std::bad_alloc &) {
      lastError.clear();
    }
  }
  return rcclx_result(status.code());
}

rcclx_result rcclx::runtime::report(Code code, const char *message) noexcept {
  try {
    lastError = message;
  } catch (const std::bad_alloc &) {
    lastError.clear();
  }
  return rcclx_result(code);
}

static Status nullError(const char *what) {
  return makeError(Code::InvalidArgument, "{} is null", what);
}

uint32_t rcclx_version(void) noexcept {
  return RCCLX_VERSION_MAJOR * 10000 + RCCLX_VERSION_MINOR * 100 +
         RCCLX_VERSION_PATCH;
}

const char *rcclx_result_string(rcclx_result result) noexcept {
  return codeName(Code(result));
}

const char *rcclx_last_error(void) noexcept { return lastError.c_str(); }

/// Whether this is a forked child's copy. It is dropped as it is: its memory
/// goes with the child, and its destructors would wait for threads that only
/// the parent has, and speak for the parent to the other ranks.
template <typename Handle> static bool isInherited(const Handle &handle) {
  return handle.process != getpid();
}

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

rcclx_result rcclx_unique_id_create(rcclx_unique_id *id) noexcept {
  return guarded([&]() -> Status {
    if (!id)
      return nullError("the id");
    RCCLX_ASSIGN_OR_RETURN(UniqueId made, UniqueId::create());
    memcpy(id->bytes, &made, sizeof(id->bytes));
    return Status();
  });
}

/// Takes rank, world and the meeting point from the launcher's environment.
static Status readEnvironment(const Options &options,
                              Communicator::Settings &settings) {
  RCCLX_ASSIGN_OR_RETURN(auto job, findJob(options.launcher));
  if (!job)
    return makeError(Code::Unavailable,
                     "no unique id is given, and no launcher has told this "
                     "process its rank: {}",
                     describeSearch(options.launcher));
  if ((settings.world != 0 || settings.rank != 0) &&
      (settings.world != job->world || settings.rank != job->rank))
    return makeError(Code::InvalidArgument,
                     "rank {} of {} without a unique id, but the environment "
                     "of {} says rank {} of {}; leave both zero",
                     settings.rank, settings.world, job->launcher, job->rank,
                     job->world);
  settings.rank = job->rank;
  settings.world = job->world;
  // The ranks of a job create these in the same order; each has its own name.
  static std::atomic<uint64_t> created{0};
  settings.id = UniqueId::derive(
      fmt::format("{} {} {}", geteuid(), created.fetch_add(1), job->key));
  settings.meeting = fmt::format("by the environment of {}", job->launcher);
  return Status();
}

rcclx_result rcclx_comm_create(const rcclx_comm_params *params,
                               rcclx_comm **comm) noexcept {
  return guarded([&]() -> Status {
    rcclx_comm_params p = {};
    RCCLX_RETURN_IF_ERROR(readParams(
        params, offsetof(rcclx_comm_params, world) + sizeof(p.world), p));
    if (!comm)
      return nullError("the result");
    RCCLX_ASSIGN_OR_RETURN(const Options *options, processOptions());
    Communicator::Settings settings;
    settings.rank = p.rank;
    settings.world = p.world;
    if (p.id)
      memcpy(&settings.id, p.id->bytes, sizeof(settings.id));
    else
      RCCLX_RETURN_IF_ERROR(readEnvironment(*options, settings));
    if (p.device)
      settings.device = p.device;
    settings.options = *options;
    settings.timeoutMs = p.timeout_ms ? p.timeout_ms : options->timeoutMs.value;
    if (p.cache_dir)
      settings.options.cacheDir = p.cache_dir;
    auto create = [settings, comm]() -> Status {
      RCCLX_ASSIGN_OR_RETURN(auto made, Communicator::create(settings));
      *comm = new rcclx_comm{std::move(made)};
      return Status();
    };
    Group &group = Group::current();
    if (!group.active())
      return create();
    group.noteCreation(std::move(create));
    return Status();
  });
}

rcclx_result rcclx_comm_destroy(rcclx_comm *comm) noexcept {
  return guarded([&]() -> Status {
    if (!comm || isInherited(*comm))
      return Status();
    std::unique_ptr<rcclx_comm> owner(comm);
    return comm->communicator->leave();
  });
}

rcclx_result rcclx_comm_abort(rcclx_comm *comm) noexcept {
  return guarded([&]() -> Status {
    if (!comm)
      return nullError("the communicator");
    if (isInherited(*comm))
      return makeError(Code::InvalidUsage,
                       "the communicator is that of the parent process");
    comm->communicator->abort();
    return Status();
  });
}

rcclx_result rcclx_comm_status(rcclx_comm *comm) noexcept {
  return guarded([&]() -> Status {
    return comm ? comm->communicator->status() : nullError("the communicator");
  });
}

rcclx_result rcclx_comm_split(rcclx_comm *comm, int32_t color, int32_t key,
                              rcclx_comm **part) noexcept {
  return guarded([&]() -> Status {
    if (!comm || !part)
      return nullError(comm ? "the result" : "the communicator");
    if (isInherited(*comm))
      return makeError(Code::InvalidUsage,
                       "the communicator is that of the parent process");
    auto split = [communicator = comm->communicator, color, key,
                  part]() -> Status {
      RCCLX_ASSIGN_OR_RETURN(auto made, communicator->split(color, key));
      *part = made ? new rcclx_comm{std::move(made)} : nullptr;
      return Status();
    };
    Group &group = Group::current();
    if (!group.active())
      return split();
    group.noteCollective(comm, std::move(split));
    return Status();
  });
}

rcclx_result rcclx_comm_dump(rcclx_comm *comm, char *text,
                             size_t bytes) noexcept {
  return guarded([&]() -> Status {
    if (!comm || !text || bytes == 0)
      return nullError(comm ? "the text" : "the communicator");
    std::string dump = comm->communicator->dump();
    size_t length = std::min(dump.size(), bytes - 1);
    memcpy(text, dump.data(), length);
    text[length] = '\0';
    return Status();
  });
}

rcclx_result rcclx_comm_get_info(const rcclx_comm *comm,
                                 rcclx_comm_info *info) noexcept {
  return guarded([&]() -> Status {
    if (!comm || !info)
      return nullError(comm ? "the result" : "the communicator");
    rcclx_comm_info full = {};
    RCCLX_RETURN_IF_ERROR(checkStruct(info, offsetof(rcclx_comm_info, world) +
                                                sizeof(full.world)));
    full.struct_size = info->struct_size;
    full.rank = comm->communicator->rank();
    full.world = comm->communicator->world();
    memcpy(info, &full, std::min(info->struct_size, sizeof(full)));
    return Status();
  });
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static Status readRequest(const rcclx_plan_params &p, PlanRequest &out) {
  if (p.plan_dir) {
    if (p.schedule || p.symbol || p.element || p.reduction || p.protocol ||
        p.root || p.permutation)
      return Status(Code::InvalidArgument,
                    "a plan's directory and fields of a schedule are set; the "
                    "plan says what they would");
    out.planDirectory = p.plan_dir;
    return out.planDirectory.empty()
               ? Status(Code::InvalidArgument, "the plan's directory is empty")
               : Status();
  }
  if (!p.schedule || !p.element)
    return nullError(p.schedule ? "the element type" : "the schedule");
  out.schedule.assign(p.schedule, p.schedule_bytes);
  out.scheduleName = p.schedule_name ? p.schedule_name : "schedule";
  out.symbol = p.symbol ? p.symbol : "";
  out.protocol = p.protocol ? p.protocol : "";
  out.count = p.count;
  out.root = p.root;
  if (p.permutation_length != 0 && !p.permutation)
    return nullError("the permutation");
  constexpr uint32_t most = RCCLX_MAX_WORLD;
  if (p.permutation_length > most)
    return makeError(Code::InvalidArgument,
                     "a permutation of {} entries; expected one per rank",
                     p.permutation_length);
  out.permutation.assign(p.permutation, p.permutation + p.permutation_length);
  auto element = parseElement(p.element);
  if (!element)
    return makeError(Code::InvalidArgument,
                     "unknown element type \"{}\"; known are {}", p.element,
                     joinNames(elementNames()));
  out.element = *element;
  const char *text = p.reduction ? p.reduction : "sum";
  auto reduction = parseReduction(text);
  if (!reduction)
    return makeError(Code::InvalidArgument,
                     "unknown reduction \"{}\"; known are {}", text,
                     joinNames(reductionNames()));
  out.reduction = *reduction;
  if (!out.protocol.empty() &&
      std::ranges::find(protocolNames(), out.protocol) == protocolNames().end())
    return makeError(Code::InvalidArgument,
                     "unknown protocol \"{}\"; known are {}", out.protocol,
                     joinNames(protocolNames()));
  return Status();
}

rcclx_result rcclx_plan_prepare(rcclx_comm *comm,
                                const rcclx_plan_params *params,
                                rcclx_plan **plan) noexcept {
  return guarded([&]() -> Status {
    if (!comm || !plan)
      return nullError(comm ? "the result" : "the communicator");
    rcclx_plan_params p = {};
    RCCLX_RETURN_IF_ERROR(readParams(
        params, offsetof(rcclx_plan_params, count) + sizeof(p.count), p));
    PlanRequest request;
    RCCLX_RETURN_IF_ERROR(readRequest(p, request));
    auto prepare = [communicator = comm->communicator, request,
                    plan]() -> Status {
      RCCLX_ASSIGN_OR_RETURN(auto made,
                             Communicator::prepare(communicator, request));
      *plan = new rcclx_plan{std::move(made)};
      return Status();
    };
    Group &group = Group::current();
    if (!group.active())
      return prepare();
    group.noteCollective(comm, std::move(prepare));
    return Status();
  });
}

rcclx_result rcclx_plan_destroy(rcclx_plan *plan) noexcept {
  return guarded([&]() -> Status {
    if (!plan || isInherited(*plan))
      return Status();
    std::unique_ptr<rcclx_plan> owner(plan);
    plan->prepared->communicator->drain();
    return Status();
  });
}

rcclx_result rcclx_plan_get_info(const rcclx_plan *plan,
                                 rcclx_plan_info *info) noexcept {
  return guarded([&]() -> Status {
    if (!plan || !info)
      return nullError(plan ? "the result" : "the plan");
    const Plan &source = *plan->prepared->plan;
    rcclx_plan_info full = {};
    RCCLX_RETURN_IF_ERROR(checkStruct(info, offsetof(rcclx_plan_info, cached) +
                                                sizeof(full.cached)));
    full.struct_size = info->struct_size;
    full.hash = source.manifest.hash;
    full.max_count = source.manifest.maxCount;
    full.cached = plan->prepared->cached;
    full.manifest = source.manifestText.data();
    full.manifest_bytes = source.manifestText.size();
    memcpy(info, &full, std::min(info->struct_size, sizeof(full)));
    return Status();
  });
}

//===----------------------------------------------------------------------===//
// Streams and calls
//===----------------------------------------------------------------------===//

rcclx_result rcclx_stream_create(rcclx_comm *comm,
                                 rcclx_stream **stream) noexcept {
  return guarded([&]() -> Status {
    if (!comm || !stream)
      return nullError(comm ? "the result" : "the communicator");
    RCCLX_ASSIGN_OR_RETURN(auto made, comm->communicator->createStream());
    *stream = new rcclx_stream{comm->communicator, std::move(made)};
    return Status();
  });
}

rcclx_result rcclx_stream_destroy(rcclx_stream *stream) noexcept {
  return guarded([&]() -> Status {
    if (!stream || isInherited(*stream))
      return Status();
    stream->stream->synchronize();
    delete stream;
    return Status();
  });
}

rcclx_result rcclx_stream_synchronize(rcclx_stream *stream) noexcept {
  return guarded([&]() -> Status {
    if (!stream)
      return nullError("the stream");
    stream->stream->synchronize();
    return stream->communicator->status();
  });
}

/// What the caller points to is read at once, also in a group.
static CallArguments readArguments(const rcclx_launch_params &p) {
  CallArguments arguments{p.input, p.output, p.count, std::nullopt};
  if (p.scale) {
    Element element = p.plan->prepared->plan->manifest.element;
    arguments.scale = 0;
    memcpy(&*arguments.scale, p.scale, elementBytes(accumulator(element)));
  }
  return arguments;
}

Status rcclx::runtime::launchNow(rcclx_comm *comm, const rcclx_launch_params &p,
                                 const CallArguments &arguments) {
  if (p.stream && p.stream->communicator != comm->communicator)
    return Status(Code::InvalidUsage,
                  "the stream was made for another communicator");
  return comm->communicator->launch(*p.plan->prepared, arguments,
                                    p.stream ? p.stream->stream : nullptr);
}

rcclx_result rcclx_launch(rcclx_comm *comm,
                          const rcclx_launch_params *params) noexcept {
  return guarded([&]() -> Status {
    rcclx_launch_params p = {};
    RCCLX_RETURN_IF_ERROR(readParams(
        params, offsetof(rcclx_launch_params, stream) + sizeof(p.stream), p));
    if (!comm || !p.plan)
      return nullError(!comm ? "the communicator" : "the plan");
    Group &group = Group::current();
    if (!group.active())
      return launchNow(comm, p, readArguments(p));
    CallArguments arguments = readArguments(p);
    // It would wait for launches that the group holds back.
    if (!p.stream)
      return Status(Code::InvalidUsage,
                    "a launch in a group needs a stream: without one it waits "
                    "for the other ranks");
    RCCLX_RETURN_IF_ERROR(
        comm->communicator->check(*p.plan->prepared, arguments));
    group.noteLaunch(comm, p, arguments);
    return Status();
  });
}

rcclx_result rcclx_group_begin(void) noexcept {
  Group::current().begin();
  return RCCLX_OK;
}

rcclx_result rcclx_group_end(void) noexcept {
  return guarded([] { return Group::current().end(); });
}
