//===- Prepare.cpp - Agreeing on a plan and loading it --------------------===//
//
// Part of rcclx. Three exchanges: do all want the same; has the one rank that
// compiles succeeded (not for a plan that was compiled before); have all loaded
// the same. Whatever fails on one rank, all ranks take part in the exchange
// that follows, and all return the error.
//
//===----------------------------------------------------------------------===//
#include "Communicator.h"

#include "Report.h"

namespace rcclx::runtime {

// The ranks that wait for the one that compiles allow it this much more.
static constexpr uint64_t compileMs = 120'000;

Expected<std::vector<std::string>> Communicator::exchange(std::string_view blob,
                                                          uint64_t timeoutMs) {
  Expected<std::vector<std::string>> blobs = control->gather(blob, timeoutMs);
  // A rank that is out of step with the others cannot go on.
  if (!blobs)
    die(blobs.status());
  return blobs;
}

rcclx_kernel_params Communicator::makeParams(const Plan &plan) const {
  rcclx_kernel_params params = {};
  params.version = RCCLX_PARAMS_VERSION;
  params.rank = rank();
  params.world = world();
  params.grid = plan.kindOf(device->target()).grid;
  params.plan_hash = plan.manifest.hash;
  params.window = shared->data();
  params.control = controlBlock;
  params.host = device->hostCalls();
  params.host_spins = device->hostSpins(world());
  for (size_t i = 0; i != RCCLX_MAX_WORLD / 64; ++i) {
    params.edges[i] = plan.manifest.edges[rank()][i];
    params.readers[i] = plan.manifest.readers[rank()][i];
  }
  if (world() <= RCCLX_INLINE_PEERS)
    std::copy(peers.begin(), peers.end(), params.peers);
  params.peer_table = peers.data();
  return params;
}

/// What can be said of a request before its schedule is read.
static Status checkRequest(const PlanRequest &request) {
  uint32_t world = request.world;
  if (!countFits(request.count, world, request.element))
    return makeError(Code::InvalidArgument,
                     "{} elements of {} for {} ranks exceed 2^63 bytes",
                     request.count, name(request.element), world);
  if (request.root >= world)
    return makeError(Code::InvalidArgument,
                     "root {}; expected a rank within 0 to {}", request.root,
                     world - 1);
  if (!request.permutation.empty() && request.permutation.size() != world)
    return makeError(Code::InvalidArgument,
                     "a permutation of {} entries; expected one per rank, {}",
                     request.permutation.size(), world);
  std::vector<bool> seen(world);
  for (uint32_t rank : request.permutation) {
    if (rank >= world || seen[rank])
      return makeError(Code::InvalidArgument,
                       "the permutation has {} {}; expected each rank within "
                       "0 to {} once",
                       rank, rank < world ? "twice" : "in it", world - 1);
    seen[rank] = true;
  }
  return Status();
}

/// On the rank that compiles: the plan, from the cache or new.
Expected<CachedPlan> Communicator::obtain(const PlanRequest &request) {
  RCCLX_ASSIGN_OR_RETURN(PlanCache cache,
                         PlanCache::open(settings.options.effectiveCacheDir()));
  return cache.get(request, CompilerLibrary::find(settings.options));
}

/// The plan that request.planDirectory names; fills in what it says.
Expected<std::shared_ptr<const Plan>>
Communicator::open(PlanRequest &request) const {
  RCCLX_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                         Plan::load(request.planDirectory, request.target));
  RCCLX_RETURN_IF_ERROR(plan->checkProcessor(request.target));
  if (plan->manifest.world != request.world)
    return makeError(Code::InvalidArgument,
                     "{}: the plan is for {} ranks; the communicator has {}",
                     request.planDirectory, plan->manifest.world,
                     request.world);
  request.root = plan->manifest.root;
  request.permutation = plan->manifest.permutation;
  request.element = plan->manifest.element;
  request.reduction = plan->manifest.reduction;
  return plan;
}

/// All ranks: the place of a plan that one rank has compiled, which has it in
/// out.plan. `obtained` keeps its files, which may be temporary.
Expected<std::string> Communicator::obtainTogether(const PlanRequest &request,
                                                   PreparedPlan &out,
                                                   CachedPlan &obtained) {
  Report compiled;
  if (rank() == compilingRank) {
    Expected<CachedPlan> got = obtain(request);
    if (got) {
      obtained = *std::move(got);
      compiled.value = (obtained.cached ? "c" : "n") + obtained.plan->directory;
    } else {
      compiled.status = got.status();
    }
  }
  RCCLX_ASSIGN_OR_RETURN(
      std::vector<std::string> blobs,
      exchange(compiled.encode(rank()), settings.timeoutMs + compileMs));
  RCCLX_ASSIGN_OR_RETURN(std::vector<Report> all,
                         decodeAll(blobs, compiled, rank()));
  const std::string &place = all[compilingRank].value;
  out.cached = place.starts_with('c');
  out.plan = obtained.plan;
  return place.substr(std::min<size_t>(1, place.size()));
}

/// Loads out.plan's code.
Status Communicator::load(const PlanRequest &request, PreparedPlan &out) {
  const Manifest &manifest = out.plan->manifest;
  if (manifest.world != world() || manifest.element != request.element ||
      manifest.reduction != request.reduction ||
      manifest.root != request.root ||
      manifest.permutation != request.permutation)
    return makeError(Code::Corrupt, "{} is not the plan that was asked for",
                     out.plan->directory);
  RCCLX_ASSIGN_OR_RETURN(out.module, device->loadModule(*out.plan));
  out.params = makeParams(*out.plan);
  return Status();
}

Expected<std::shared_ptr<PreparedPlan>>
Communicator::prepare(const std::shared_ptr<Communicator> &self,
                      PlanRequest request) {
  Communicator &c = *self;
  Entry entry(c.entered);
  RCCLX_RETURN_IF_ERROR(entry.status());
  RCCLX_RETURN_IF_ERROR(c.status());
  const uint64_t timeoutMs = c.settings.timeoutMs;
  request.world = c.world();
  request.target = c.device->target();

  auto prepared = std::make_shared<PreparedPlan>();
  prepared->communicator = self;
  Report wanted;
  if (!request.planDirectory.empty()) {
    auto plan = c.open(request);
    if (plan) {
      prepared->plan = *std::move(plan);
      prepared->cached = true;
      wanted.value = fmt::format("plan {:016x}", prepared->plan->manifest.hash);
    } else {
      wanted.status = plan.status();
    }
  } else {
    wanted.status = checkRequest(request);
    // The root again, in clear: for the message where ranks differ in it.
    wanted.value =
        fmt::format("{} of root {}", PlanCache::key(request), request.root);
  }
  RCCLX_ASSIGN_OR_RETURN(std::vector<std::string> blobs,
                         c.exchange(wanted.encode(c.rank()), timeoutMs));
  RCCLX_ASSIGN_OR_RETURN(std::vector<Report> all,
                         decodeAll(blobs, wanted, c.rank()));
  for (uint32_t r = 1; r != all.size(); ++r)
    if (all[r].value != all[0].value)
      return makeError(Code::InvalidUsage,
                       "rank {} prepares another plan ({}) than rank 0 ({}); "
                       "schedule, type, reduction, root, permutation, size "
                       "class and protocol must agree, or be of plans with the "
                       "same hash",
                       r, all[r].value, all[0].value);

  CachedPlan obtained; // until all have loaded
  Report loaded;
  if (!prepared->plan) {
    RCCLX_ASSIGN_OR_RETURN(std::string place,
                           c.obtainTogether(request, *prepared, obtained));
    if (!prepared->plan) {
      auto plan = Plan::load(place, request.target);
      if (plan)
        prepared->plan = *std::move(plan);
      else
        loaded.status = plan.status();
    }
  }
  if (loaded.status.isOk())
    loaded.status = c.load(request, *prepared);
  if (loaded.status.isOk())
    loaded.value = fmt::format("{:016x}", prepared->plan->manifest.hash);
  RCCLX_ASSIGN_OR_RETURN(blobs, c.exchange(loaded.encode(c.rank()), timeoutMs));
  RCCLX_ASSIGN_OR_RETURN(all, decodeAll(blobs, loaded, c.rank()));
  for (uint32_t r = 1; r != all.size(); ++r)
    if (all[r].value != all[0].value)
      return makeError(Code::InvalidUsage,
                       "rank {} loaded plan {}, rank 0 plan {}", r,
                       all[r].value, all[0].value);
  return prepared;
}

} // namespace rcclx::runtime
