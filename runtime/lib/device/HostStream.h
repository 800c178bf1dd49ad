//===- HostStream.h - A queue of kernels and its thread ---------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_DEVICE_HOSTSTREAM_H
#define RCCLX_RUNTIME_DEVICE_HOSTSTREAM_H

#include "rcclx/Runtime/Device.h"
#include "rcclx/Runtime/DynamicLibrary.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace rcclx::runtime {

using HostKernel = void (*)(const rcclx_kernel_params &params, unsigned block);

/// A shared object of a plan; unloaded with its last user.
class HostModule final : public Module {
public:
  HostModule(DynamicLibrary library, HostKernel kernel)
      : library(std::move(library)), kernel(kernel) {}

  const DynamicLibrary library;
  const HostKernel kernel;
};

/// The threads that run blocks 1, 2, ... of a launch. They are kept from launch
/// to launch; a launch of one block uses none.
class BlockTeam {
public:
  ~BlockTeam();
  /// Makes the threads for `grid` blocks. One thread at a time, also during
  /// `run`: a launch under way does not use the new ones.
  Status reserve(unsigned grid);
  /// Runs all blocks and returns when all have ended: a kernel boundary. The
  /// grid was reserved.
  void run(HostKernel kernel, const rcclx_kernel_params &params);
  /// Runs a launch: the staged copy, the kernel, what follows it.
  void run(const Launch &launch);

private:
  void work(unsigned block, uint64_t seen);

  std::vector<std::thread> threads; // only `reserve` changes it
  std::mutex mutex;                 // of all below
  std::condition_variable started, ended;
  HostKernel kernel = nullptr;
  const rcclx_kernel_params *params = nullptr; // while `running` is not 0
  unsigned grid = 0;                           // of the latest launch
  uint64_t generation = 0;
  unsigned running = 0;
  bool stop = false;
};

class HostStream final : public Stream {
public:
  HostStream();
  ~HostStream() override;
  Status reserve(unsigned grid) override { return team.reserve(grid); }
  void launch(const Launch &launch) override;
  void waitFor(Stream &other) override;
  void synchronize() override;

  /// Launches that fit in the queue; one more makes `launch` wait.
  static constexpr size_t capacity = 256;

private:
  /// Progress of a stream, which outlives it while others wait for it.
  struct Progress {
    std::mutex mutex;
    std::condition_variable changed;
    uint64_t completed = 0;
    void reach(uint64_t ticket);
    void wait(uint64_t ticket);
  };
  struct Item {
    Launch launch; // when `after` is null
    std::shared_ptr<Progress> after;
    uint64_t afterTicket = 0;
  };

  template <typename Fill> void enqueue(Fill fill);
  void run();

  std::shared_ptr<Progress> progress = std::make_shared<Progress>();
  std::vector<Item> ring{capacity};
  std::mutex mutex; // of the indices below; items belong to whom they say
  std::condition_variable notEmpty, notFull;
  uint64_t enqueued = 0;
  uint64_t dequeued = 0;
  bool stop = false;
  BlockTeam team;
  std::thread thread; // last: it uses all of the above
};

/// Runs each launch in the thread that makes it: no other thread has to wake.
class HostInlineStream final : public Stream {
public:
  Status reserve(unsigned grid) override { return team.reserve(grid); }
  void launch(const Launch &launch) override { team.run(launch); }
  void waitFor(Stream &other) override { other.synchronize(); }
  void synchronize() override {}

private:
  BlockTeam team;
};

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_DEVICE_HOSTSTREAM_H
