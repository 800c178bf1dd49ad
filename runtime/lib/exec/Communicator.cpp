//===- Communicator.cpp - Ranks that run plans together -------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Communicator.h"

#include "Aliasing.h"
#include "KernelFailure.h"
#include "rcclx/Runtime/Log.h"

namespace rcclx::runtime {

// The control block has a page of its own: the watchdog writes it.
static constexpr uint64_t controlBytes = 4096;
static constexpr uint64_t callWordBytes = 8 * RCCLX_MAX_BLOCKS; // of one peer

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<Communicator>>
Communicator::create(Settings settings) {
  if (settings.world < 1 || settings.world > RCCLX_MAX_WORLD)
    return makeError(Code::InvalidArgument, "{} ranks; 1 to {} are possible",
                     settings.world, RCCLX_MAX_WORLD);
  if (settings.rank >= settings.world)
    return makeError(Code::InvalidArgument, "rank {} of {} ranks",
                     settings.rank, settings.world);
  if (settings.timeoutMs < 1 || settings.timeoutMs > maxTimeoutMs)
    return makeError(Code::InvalidArgument,
                     "a timeout of {} ms; 1 to {} are possible",
                     settings.timeoutMs, maxTimeoutMs);
  RCCLX_RETURN_IF_ERROR(settings.id.check());
  std::shared_ptr<Communicator> self(new Communicator(std::move(settings)));
  Status status = self->connect();
  if (status.isOk())
    return self;
  if (!self->settings.meeting.empty())
    status = status.annotate("ranks " + self->settings.meeting);
  // What this machine refused, the others cannot know. What they have is given
  // back first, so that there is a descriptor for the message.
  if (status.code() == Code::System && self->rank() != 0 && !self->control) {
    Control::Settings link;
    link.id = self->settings.id;
    link.rank = self->rank();
    link.world = self->world();
    self.reset();
    Control::giveUp(link, status);
  }
  return status;
}

Status Communicator::connect() {
  RCCLX_ASSIGN_OR_RETURN(device, createDevice(settings.device));
  RCCLX_ASSIGN_OR_RETURN(
      shared, device->allocate(RCCLX_WINDOW_BYTES +
                               uint64_t(world()) * RCCLX_REGION_BYTES));
  RCCLX_ASSIGN_OR_RETURN(
      own, device->allocate(controlBytes + world() * callWordBytes));
  controlBlock = reinterpret_cast<rcclx_control *>(own->data());
  controlBlock->timeout_ticks =
      settings.timeoutMs * 1'000'000 / device->tickNanoseconds();
  peers.resize(world());

  Control::Settings link;
  link.id = settings.id;
  link.rank = rank();
  link.world = world();
  link.timeoutMs = settings.timeoutMs;
  RCCLX_ASSIGN_OR_RETURN(UniqueFd memory,
                         device->exportMemory(*shared, link.memory));
  if (rank() == 0) {
    RCCLX_ASSIGN_OR_RETURN(
        hub, Hub::start(settings.id, world(), settings.timeoutMs));
  }
  RCCLX_ASSIGN_OR_RETURN(
      control,
      Control::connect(link, memory.get(),
                       [&](uint32_t peer, const MemoryName &name, int fd) {
                         return mapPeer(peer, name, fd);
                       }));
  return control->watch(*this);
}

Status Communicator::mapPeer(uint32_t peer, const MemoryName &name, int fd) {
  auto annotated = [&](const Status &status) {
    return status.annotate(fmt::format("memory of rank {}", peer));
  };
  auto window = device->importMemory(name, fd, 0, RCCLX_WINDOW_BYTES);
  if (!window)
    return annotated(window.status());
  auto region = device->importMemory(
      name, fd, RCCLX_WINDOW_BYTES + uint64_t(rank()) * RCCLX_REGION_BYTES,
      RCCLX_REGION_BYTES);
  if (!region)
    return annotated(region.status());
  peers[peer].in =
      shared->data() + RCCLX_WINDOW_BYTES + uint64_t(peer) * RCCLX_REGION_BYTES;
  peers[peer].out = (*region)->data();
  peers[peer].window = (*window)->data();
  peers[peer].call = reinterpret_cast<rcclx_u64 *>(own->data() + controlBytes +
                                                   peer * callWordBytes);
  imported.push_back(*std::move(window));
  imported.push_back(*std::move(region));
  return Status();
}

Communicator::~Communicator() {
  Status left = leave();
  (void)left; // leaving twice is no error here
  lastStream.reset();
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

Status Communicator::Entry::status() const {
  if (mine)
    return Status();
  return makeError(Code::InvalidUsage,
                   "two threads are in one communicator at the same time");
}

Expected<std::shared_ptr<Stream>> Communicator::createStream() {
  Entry entry(entered);
  RCCLX_RETURN_IF_ERROR(entry.status());
  RCCLX_RETURN_IF_ERROR(status());
  RCCLX_ASSIGN_OR_RETURN(std::unique_ptr<Stream> made,
                         device->createStream(StreamKind::Queued));
  std::shared_ptr<Stream> stream(std::move(made));
  std::lock_guard lock(mutex);
  std::erase_if(streams, [](auto &other) { return other.expired(); });
  streams.push_back(stream);
  return stream;
}

static Status checkBuffer(const char *what, const void *buffer, uint32_t blocks,
                          uint32_t elementSize) {
  if (blocks == 0)
    return Status(); // this rank has none: whatever is given is ignored
  if (!buffer)
    return makeError(Code::InvalidArgument, "the {} buffer is null", what);
  if (reinterpret_cast<uintptr_t>(buffer) % elementSize != 0)
    return makeError(Code::InvalidArgument,
                     "the {} buffer is not aligned to its elements of {} bytes",
                     what, elementSize);
  return Status();
}

Status Communicator::check(const PreparedPlan &prepared,
                           const CallArguments &arguments) const {
  const Manifest &manifest = prepared.plan->manifest;
  uint64_t count = arguments.count;
  if (!countFits(count, manifest.world, manifest.element))
    return makeError(Code::InvalidArgument,
                     "{} elements of {} for {} ranks exceed 2^63 bytes", count,
                     name(manifest.element), manifest.world);
  if (count > manifest.maxCount)
    return makeError(Code::InvalidArgument,
                     "{} elements; this plan of {} takes at most {}: prepare "
                     "one for this count",
                     count, manifest.name, manifest.maxCount);
  const bool scales = manifest.reduction == Reduction::PremulSum;
  if (scales && !arguments.scale)
    return makeError(Code::InvalidArgument,
                     "the plan of {} is for premul_sum, but the call has no "
                     "scale: point to one {}",
                     manifest.name, name(accumulator(manifest.element)));
  if (!scales && arguments.scale)
    return makeError(
        Code::InvalidArgument,
        "the call has a scale, but the plan of {} is for {}: leave "
        "it NULL, or prepare a plan for premul_sum",
        manifest.name, name(manifest.reduction));
  if (count == 0)
    return Status();
  uint32_t size = elementBytes(manifest.element);
  RCCLX_RETURN_IF_ERROR(checkBuffer("input", arguments.input,
                                    manifest.inputBlocksOf(rank()), size));
  return checkBuffer("output", arguments.output,
                     manifest.outputBlocksOf(rank()), size);
}

/// Memory of a plan that all its calls share: they run in issue order. It grows
/// with the first call that needs more, when none is under way that uses it.
void Communicator::reserve(std::vector<char> &memory, uint64_t bytes) {
  if (memory.size() >= bytes)
    return;
  if (lastStream)
    lastStream->synchronize();
  memory.resize(bytes);
}

Status Communicator::launch(PreparedPlan &prepared,
                            const CallArguments &arguments,
                            const std::shared_ptr<Stream> &queue) {
  Entry entry(entered);
  RCCLX_RETURN_IF_ERROR(entry.status());
  if (dead.load(std::memory_order_acquire))
    return status();
  if (prepared.communicator.get() != this)
    return makeError(Code::InvalidUsage,
                     "the plan was prepared for another communicator");
  RCCLX_RETURN_IF_ERROR(check(prepared, arguments));

  RCCLX_ASSIGN_OR_RETURN(
      bool inPlace, isInPlace(prepared.plan->manifest, rank(), arguments.input,
                              arguments.output, arguments.count));
  const Manifest &manifest = prepared.plan->manifest;
  uint64_t stageBytes = 0;
  if (inPlace && manifest.stagedInPlace) {
    stageBytes = manifest.inputBlocksOf(rank()) * arguments.count *
                 elementBytes(manifest.element);
    reserve(prepared.stage, stageBytes);
  }
  if (manifest.hasScratch) {
    // Blocks of whole granules of 16 bytes, as the kernel lays them out.
    uint64_t block =
        (arguments.count * elementBytes(manifest.element) + 15) / 16 * 16;
    reserve(prepared.scratch, manifest.world * block);
  }

  // Without a stream, the calling thread runs the kernel.
  if (!queue && !inlineStream) {
    RCCLX_ASSIGN_OR_RETURN(inlineStream,
                           device->createStream(StreamKind::Inline));
  }
  const std::shared_ptr<Stream> &stream = queue ? queue : inlineStream;
  // The last that can fail: from here on, the call counts.
  RCCLX_RETURN_IF_ERROR(stream->reserve(prepared.params.grid));

  // Sequentially consistent, as in onLeave: of a launch and a leave at the same
  // time, at least one sees the other.
  uint64_t calls = callsIssued.fetch_add(1) + 1;
  if (calls > callsOfLeaver.load()) {
    failWithoutRank(leaver.load(), callsOfLeaver.load());
    return status();
  }
  recent.issue(calls, manifest.hash, arguments.count);
  if (lastStream != stream) {
    if (lastStream)
      stream->waitFor(*lastStream);
    lastStream = stream;
  }
  Launch launch;
  launch.module = prepared.module.get();
  launch.params = prepared.params;
  launch.params.input = static_cast<const char *>(arguments.input);
  launch.params.output = static_cast<char *>(arguments.output);
  launch.params.count = arguments.count;
  launch.params.scratch = prepared.scratch.data();
  launch.params.scale = arguments.scale.value_or(0);
  launch.stage = stageBytes ? prepared.stage.data() : nullptr;
  launch.stageBytes = stageBytes;
  launch.ended = kernelEnded;
  launch.owner = &prepared;
  stream->launch(launch);
  if (queue)
    return Status();
  lastStream = nullptr; // nothing is under way any more
  return status();
}

void Communicator::drain() {
  // A copy: the lock is not held while waiting.
  std::vector<std::shared_ptr<Stream>> live;
  {
    std::lock_guard lock(mutex);
    for (auto &stream : streams)
      if (auto strong = stream.lock())
        live.push_back(std::move(strong));
  }
  for (auto &stream : live)
    stream->synchronize();
}

//===----------------------------------------------------------------------===//
// Failure
//===----------------------------------------------------------------------===//

bool Communicator::die(const Status &status) {
  {
    std::lock_guard lock(mutex);
    if (!sticky.isOk())
      return false;
    sticky = status;
    // Under the lock: whoever comes second finds the communicator dead.
    dead.store(true, std::memory_order_release);
  }
  // Relaxed: a hint to stop; kernels read no data because of it.
  if (controlBlock)
    __atomic_store_n(&controlBlock->abort, 1, __ATOMIC_RELAXED);
  if (control)
    control->interrupt(status);
  return true;
}

Status Communicator::status() const {
  if (!dead.load(std::memory_order_acquire))
    return Status(); // without the lock: every synchronize asks
  std::lock_guard lock(mutex);
  return sticky;
}

std::string Communicator::dump() const {
  Status now = status();
  std::string calls = recent.describe(CallRing::size, "\n");
  return fmt::format("rank {} of {}: {}\n{} calls issued, {} ended\n{}{}",
                     rank(), world(), now.isOk() ? "alive" : now.message(),
                     callsIssued.load(), recent.endedCalls(), calls,
                     calls.empty() ? "" : "\n");
}

void Communicator::abort() {
  Status own = makeError(Code::Aborted, "rank {}: aborted by its user", rank());
  if (die(own))
    control->sendFailure(
        rank(),
        makeError(Code::Remote, "rank {} was aborted by its user", rank()));
}

Status Communicator::leave() {
  {
    std::lock_guard lock(mutex);
    if (std::exchange(hasLeft, true))
      return makeError(Code::InvalidUsage, "the communicator was left before");
  }
  // Told first: those that wait for calls which this rank never made need not
  // wait any longer, and no call can be made any more.
  uint64_t calls = callsIssued.load();
  if (control)
    control->sendLeave(calls);
  drain();
  Status before = status();
  if (control) {
    if (Status bye = control->sayBye(); !bye.isOk())
      RCCLX_LOG(Info, "communicator", "rank {}: {}", rank(), bye.message());
    std::unique_ptr<Hub> last;
    {
      std::lock_guard lock(mutex);
      departed = true;
      last = std::move(hub);
    }
    last.reset(); // it goes on in another rank's process
    control->stop();
  }
  hub.reset(); // of a start-up that failed
  die(makeError(Code::InvalidUsage, "the communicator was destroyed"));
  return before;
}

void Communicator::onFailure(const Status &status) {
  if (die(status.annotate(fmt::format("rank {}", rank()))))
    RCCLX_LOG(Info, "watchdog", "rank {}: {}", rank(), status.message());
}

void Communicator::onLeave(uint32_t who, uint64_t calls) {
  if (who == rank() || calls >= callsOfLeaver.load())
    return; // only the watchdog's thread writes: no race between the two
  leaver.store(who);
  callsOfLeaver.store(calls);
  if (callsIssued.load() > calls)
    failWithoutRank(who, calls);
  else
    control->interrupt(makeError(Code::Remote,
                                 "rank {}: rank {} has left the communicator",
                                 rank(), who));
}

Status Communicator::onHandover(Hub::Handover handover) {
  std::lock_guard lock(mutex);
  if (departed)
    return makeError(Code::Remote, "rank {} leaves itself", rank());
  RCCLX_ASSIGN_OR_RETURN(hub, Hub::adopt(std::move(handover), world()));
  return Status();
}

void Communicator::failWithoutRank(uint32_t who, uint64_t calls) {
  die(makeError(Code::Remote,
                "rank {}: rank {} left the communicator after {} calls; this "
                "rank has issued {}",
                rank(), who, calls, callsIssued.load()));
}

void Communicator::kernelEnded(void *owner, const rcclx_kernel_params &params) {
  auto &plan = *static_cast<PreparedPlan *>(owner);
  // Relaxed: written by the kernel's threads, which have ended before this.
  if (__atomic_load_n(&params.control->failure, __ATOMIC_RELAXED) !=
      RCCLX_FAILURE_NONE)
    plan.communicator->kernelFailed(plan, params);
  plan.communicator->recent.end();
}

void Communicator::kernelFailed(const PreparedPlan &plan,
                                const rcclx_kernel_params &params) {
  // A kernel that saw the abort word was stopped by an error that is known.
  if (dead.load(std::memory_order_acquire))
    return;
  KernelFailure failure = describeKernelFailure(
      params, peers, plan.plan->manifest, settings.timeoutMs);
  Status status(failure.status.code(),
                failure.status.message() +
                    "; recent calls: " + recent.describe(3, ", "));
  if (die(status))
    control->sendFailure(failure.culprit, status);
}

} // namespace rcclx::runtime
