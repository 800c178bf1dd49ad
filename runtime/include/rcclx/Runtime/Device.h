//===- Device.h - What the runtime needs of a device ------------*- C++ -*-===//
//
// Part of rcclx. Few, orthogonal verbs: memory that peers can reach, modules,
// and streams on which kernels run in order.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_DEVICE_H
#define RCCLX_RUNTIME_DEVICE_H

#include "rcclx/Runtime/Plan.h"
#include "rcclx/Runtime/Status.h"
#include "rcclx/Runtime/UniqueHandle.h"
#include "rcclx_params.h"

#include <cstdint>
#include <memory>

namespace rcclx::runtime {

/// Memory that is mapped on this rank; unmapped when destroyed. Two objects may
/// share one mapping.
class Memory {
public:
  virtual ~Memory() = default;
  virtual char *data() const = 0;
};

/// Names memory to other ranks, of this process or of others. Plain data: it
/// travels through the bootstrap, with a file descriptor beside it.
struct MemoryName {
  uint64_t process[2]; // random, of the exporting process
  uint64_t key;        // within that process
  uint64_t bytes;
};

class Module {
public:
  virtual ~Module() = default;
};

/// One launch of a module's kernel. `ended` is called after the kernel,
/// before later work of the stream and before `synchronize` returns, by a
/// thread of the device.
struct Launch {
  const Module *module;
  rcclx_kernel_params params;
  // Where not null: `stageBytes` of the input are copied here before the
  // kernel, which reads the copy.
  char *stage = nullptr;
  uint64_t stageBytes = 0;
  void (*ended)(void *owner, const rcclx_kernel_params &params);
  void *owner;
};

/// Work in issue order. One thread at a time may call; destruction waits.
class Stream {
public:
  virtual ~Stream() = default;
  /// Takes what launches of up to `grid` blocks need; System when refused.
  /// Cheap when nothing is lacking.
  virtual Status reserve(unsigned grid) = 0;
  /// Enqueues a launch whose grid was reserved; waits only when the queue is
  /// full. Does not allocate. Cannot fail: what a kernel meets is reported
  /// through its control block.
  virtual void launch(const Launch &launch) = 0;
  /// What is enqueued from now on waits for all that `other`, a stream of the
  /// same device, was given so far. Does not allocate.
  virtual void waitFor(Stream &other) = 0;
  /// Waits until all that was enqueued has ended. Any thread.
  virtual void synchronize() = 0;
};

/// Who runs a stream's work.
enum class StreamKind {
  Queued, // the device, in issue order: `launch` does not wait for the kernel
  Inline  // the thread that calls `launch`, which returns when the kernel ended
};

/// A device; the kinds are chosen by name. Any thread may call.
class Device {
public:
  virtual ~Device() = default;

  /// The plan target that this device runs, such as "host-x86_64".
  virtual const char *target() const = 0;
  /// Nanoseconds per tick of the clock that its kernels read.
  virtual uint64_t tickNanoseconds() const = 0;

  /// Zeroed memory that peers can map; pages cost nothing until touched.
  virtual Expected<std::unique_ptr<Memory>> allocate(uint64_t bytes) = 0;
  /// Name and descriptor of memory that `allocate` gave.
  virtual Expected<UniqueFd> exportMemory(const Memory &memory,
                                          MemoryName &name) = 0;
  /// Whether `name` is memory of this process: no descriptor is needed then.
  virtual bool isLocal(const MemoryName &name) const = 0;
  /// Maps bytes [offset, offset + bytes) of a peer's memory. `fd` is ignored
  /// for local memory. InvalidArgument when the name does not fit.
  virtual Expected<std::unique_ptr<Memory>> importMemory(const MemoryName &name,
                                                         int fd,
                                                         uint64_t offset,
                                                         uint64_t bytes) = 0;

  virtual Expected<std::unique_ptr<Module>> loadModule(const Plan &plan) = 0;
  virtual Expected<std::unique_ptr<Stream>> createStream(StreamKind kind) = 0;
  /// What kernels of this device need of the operating system.
  virtual rcclx_host_calls hostCalls() const = 0;
  /// How often a wait looks before it gives its core away, where `ranks` ranks
  /// run on this node.
  virtual uint32_t hostSpins(uint32_t ranks) const = 0;
};

/// The host as a device: a block is a thread, peers are threads or processes.
std::unique_ptr<Device> createHostDevice();

/// The device of kind "host", "hip" or "cuda". Unavailable for kinds that this
/// build or machine lacks, InvalidArgument for unknown names.
Expected<std::unique_ptr<Device>> createDevice(std::string_view kind);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_DEVICE_H
