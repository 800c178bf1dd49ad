//===- HostStream.cpp - A queue of kernels and its thread -----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "HostStream.h"

#include "FloatEnvironment.h"

#include <cassert>
#include <cstring>
#include <new>
#include <system_error>

namespace rcclx::runtime {

BlockTeam::~BlockTeam() {
  {
    std::lock_guard lock(mutex);
    stop = true;
  }
  started.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

Status BlockTeam::reserve(unsigned wanted) {
  // The first launch of a larger grid only; later ones take no lock here.
  while (threads.size() + 1 < wanted) {
    std::lock_guard lock(mutex);
    try {
      threads.emplace_back(&BlockTeam::work, this, unsigned(threads.size() + 1),
                           generation);
    } catch (const std::system_error &error) {
      return systemError(error.code().value(), "a thread for a block");
    } catch (const std::bad_alloc &) {
      return Status(Code::System, "a thread for a block: out of memory");
    }
  }
  return Status();
}

void BlockTeam::run(HostKernel launchKernel,
                    const rcclx_kernel_params &launchParams) {
  FloatEnvironment ieee; // of block 0
  if (launchParams.grid == 1)
    return launchKernel(launchParams, 0);
  assert(threads.size() + 1 >= launchParams.grid && "not reserved");
  {
    std::lock_guard lock(mutex);
    kernel = launchKernel;
    params = &launchParams;
    grid = launchParams.grid;
    running = launchParams.grid - 1;
    ++generation;
  }
  started.notify_all();
  launchKernel(launchParams, 0);
  std::unique_lock lock(mutex);
  ended.wait(lock, [&] { return running == 0; });
}

void BlockTeam::run(const Launch &launch) {
  HostKernel run = static_cast<const HostModule *>(launch.module)->kernel;
  if (launch.stage) {
    memcpy(launch.stage, launch.params.input, launch.stageBytes);
    rcclx_kernel_params staged = launch.params;
    staged.input = launch.stage;
    this->run(run, staged);
  } else {
    this->run(run, launch.params);
  }
  launch.ended(launch.owner, launch.params);
}

void BlockTeam::work(unsigned block, uint64_t seen) {
  std::unique_lock lock(mutex);
  while (true) {
    started.wait(lock, [&] { return stop || generation != seen; });
    if (stop)
      return;
    seen = generation;
    // This thread may be late, with the launch over and its params gone.
    if (block >= grid)
      continue;
    HostKernel current = kernel;
    const rcclx_kernel_params &currentParams = *params;
    lock.unlock();
    {
      FloatEnvironment ieee;
      current(currentParams, block);
    }
    lock.lock();
    if (--running == 0)
      ended.notify_one();
  }
}

void HostStream::Progress::reach(uint64_t ticket) {
  {
    std::lock_guard lock(mutex);
    completed = ticket;
  }
  changed.notify_all();
}

void HostStream::Progress::wait(uint64_t ticket) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return completed >= ticket; });
}

HostStream::HostStream() : thread(&HostStream::run, this) {}

HostStream::~HostStream() {
  {
    std::lock_guard lock(mutex);
    stop = true;
  }
  notEmpty.notify_one();
  thread.join(); // after all that was enqueued
}

template <typename Fill> void HostStream::enqueue(Fill fill) {
  {
    std::unique_lock lock(mutex);
    notFull.wait(lock, [&] { return enqueued - dequeued < capacity; });
    fill(ring[enqueued % capacity]);
    ++enqueued;
  }
  notEmpty.notify_one();
}

void HostStream::launch(const Launch &launch) {
  enqueue([&](Item &item) { item.launch = launch; });
}

void HostStream::waitFor(Stream &other) {
  auto &source = static_cast<HostStream &>(other);
  if (&source == this)
    return;
  uint64_t ticket;
  {
    std::lock_guard lock(source.mutex);
    ticket = source.enqueued;
  }
  enqueue([&](Item &item) {
    item.after = source.progress;
    item.afterTicket = ticket;
  });
}

void HostStream::synchronize() {
  uint64_t ticket;
  {
    std::lock_guard lock(mutex);
    ticket = enqueued;
  }
  progress->wait(ticket);
}

void HostStream::run() {
  while (true) {
    Item *item;
    {
      std::unique_lock lock(mutex);
      notEmpty.wait(lock, [&] { return stop || dequeued != enqueued; });
      if (dequeued == enqueued)
        return;
      item = &ring[dequeued % capacity];
    }
    // The slot is this thread's until `dequeued` passes it.
    if (item->after) {
      item->after->wait(item->afterTicket);
      item->after.reset();
    } else {
      team.run(item->launch);
    }
    uint64_t done;
    {
      std::lock_guard lock(mutex);
      done = ++dequeued;
    }
    notFull.notify_one();
    progress->reach(done);
  }
}

} // namespace rcclx::runtime
