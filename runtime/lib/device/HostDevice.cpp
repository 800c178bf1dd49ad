//===- HostDevice.cpp - The host as a device ------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "HostMemory.h"
#include "HostStream.h"

#include <ctime>
#include <sched.h>
#include <system_error>

namespace rcclx::runtime {

static void hostYield() { sched_yield(); }

static rcclx_u64 hostClock() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return rcclx_u64(now.tv_sec) * 1'000'000'000u + rcclx_u64(now.tv_nsec);
}

namespace {

class HostDevice final : public Device {
public:
  const char *target() const override { return hostTarget; }
  uint64_t tickNanoseconds() const override { return 1; }

  Expected<std::unique_ptr<Memory>> allocate(uint64_t bytes) override {
    return allocateHostMemory(bytes);
  }
  Expected<UniqueFd> exportMemory(const Memory &memory,
                                  MemoryName &name) override {
    return exportHostMemory(memory, name);
  }
  bool isLocal(const MemoryName &name) const override {
    return isLocalHostMemory(name);
  }
  Expected<std::unique_ptr<Memory>> importMemory(const MemoryName &name, int fd,
                                                 uint64_t offset,
                                                 uint64_t bytes) override {
    return importHostMemory(name, fd, offset, bytes);
  }

  Expected<std::unique_ptr<Module>> loadModule(const Plan &plan) override {
    const std::string candidates[] = {plan.objectPath(hostTarget)};
    RCCLX_ASSIGN_OR_RETURN(DynamicLibrary library,
                           DynamicLibrary::open("the plan's host object",
                                                candidates, Unload::OnDestroy));
    const std::string &symbol = plan.kindOf(hostTarget).kernel;
    void *kernel = library.find(symbol.c_str());
    if (!kernel)
      return makeError(Code::Corrupt, "{} has no kernel {}", candidates[0],
                       symbol);
    return std::unique_ptr<Module>(new HostModule(
        std::move(library), reinterpret_cast<HostKernel>(kernel)));
  }

  Expected<std::unique_ptr<Stream>> createStream(StreamKind kind) override {
    if (kind == StreamKind::Inline)
      return std::unique_ptr<Stream>(new HostInlineStream);
    // std::thread reports a refused thread by an exception.
    try {
      return std::unique_ptr<Stream>(new HostStream);
    } catch (const std::system_error &error) {
      return systemError(error.code().value(), "a stream's thread");
    }
  }

  rcclx_host_calls hostCalls() const override { return {hostYield, hostClock}; }

  // With a core for each rank, what a wait waits for is under way. Without,
  // it may need this core to come about. (docs/Benchmarks.md)
  uint32_t hostSpins(uint32_t ranks) const override {
    cpu_set_t cores;
    bool alone = sched_getaffinity(0, sizeof(cores), &cores) == 0 &&
                 uint32_t(CPU_COUNT(&cores)) >= ranks;
    return alone ? 1024 : 4;
  }
};

} // namespace

std::unique_ptr<Device> createHostDevice() {
  return std::make_unique<HostDevice>();
}

Expected<std::unique_ptr<Device>> createDevice(std::string_view kind) {
  if (kind == "host")
    return createHostDevice();
  if (kind == "hip" || kind == "cuda")
    return makeError(Code::Unavailable,
                     "device {} is not available: this version runs plans on "
                     "the host only",
                     kind);
  return makeError(Code::InvalidArgument,
                   "unknown device \"{}\"; known are host, hip, cuda", kind);
}

} // namespace rcclx::runtime
