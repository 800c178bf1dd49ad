//===- HostDeviceTest.cpp - The host as a device --------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "RuntimeTesting.h"

#include "../../../runtime/lib/device/HostMemory.h"
#include "../../../runtime/lib/device/HostStream.h"

#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace rcclx::runtime;
using namespace rcclx::runtime::testing;

namespace {

/// A module whose kernel is a function of this test.
HostModule moduleOf(HostKernel kernel) {
  const std::string self[] = {RCCLX_FIXTURE_KERNEL};
  return HostModule(*DynamicLibrary::open("fixture", self, Unload::OnDestroy),
                    kernel);
}

Launch launchOf(const Module &module, unsigned grid = 1) {
  Launch launch = {};
  launch.module = &module;
  launch.params.grid = grid;
  launch.ended = [](void *, const rcclx_kernel_params &) {};
  return launch;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

void appendCount(const rcclx_kernel_params &params, unsigned) {
  reinterpret_cast<std::vector<rcclx_u64> *>(params.output)
      ->push_back(params.count);
}

TEST(HostStreamTest, runsInOrderAlsoBeyondTheQueue) {
  HostModule module = moduleOf(appendCount);
  std::vector<rcclx_u64> order;
  HostStream stream;
  Launch launch = launchOf(module);
  launch.params.output = reinterpret_cast<char *>(&order);
  constexpr size_t calls = HostStream::capacity * 3;
  for (size_t i = 0; i != calls; ++i) {
    launch.params.count = i;
    stream.launch(launch);
  }
  stream.synchronize();
  ASSERT_EQ(order.size(), calls);
  for (size_t i = 0; i != calls; ++i)
    EXPECT_EQ(order[i], i);
}

TEST(HostStreamTest, endedRunsBeforeSynchronizeReturns) {
  HostModule module = moduleOf([](const rcclx_kernel_params &, unsigned) {});
  HostStream stream;
  Launch launch = launchOf(module);
  int ended = 0; // no atomic: synchronize orders it
  launch.owner = &ended;
  launch.ended = [](void *owner, const rcclx_kernel_params &) {
    ++*static_cast<int *>(owner);
  };
  for (int i = 1; i <= 100; ++i) {
    stream.launch(launch);
    stream.synchronize();
    ASSERT_EQ(ended, i);
  }
}

TEST(HostStreamTest, waitsForAnotherStream) {
  static std::atomic<bool> open;
  open = false;
  HostModule gate = moduleOf([](const rcclx_kernel_params &, unsigned) {
    while (!open)
      std::this_thread::yield();
  });
  HostModule append = moduleOf(appendCount);
  std::vector<rcclx_u64> order;
  HostStream first, second;
  Launch launch = launchOf(append);
  launch.params.output = reinterpret_cast<char *>(&order);
  first.launch(launchOf(gate));
  launch.params.count = 1;
  first.launch(launch);
  second.waitFor(first);
  launch.params.count = 2;
  second.launch(launch);
  first.waitFor(first); // a stream follows itself
  open = true;
  second.synchronize();
  EXPECT_EQ(order, (std::vector<rcclx_u64>{1, 2}));
}

TEST(HostStreamTest, destructionWaitsAndOthersMayStillWaitForIt) {
  HostModule append = moduleOf(appendCount);
  std::vector<rcclx_u64> order;
  HostStream second;
  {
    HostStream first;
    Launch launch = launchOf(append);
    launch.params.output = reinterpret_cast<char *>(&order);
    for (int i = 0; i != 50; ++i)
      first.launch(launch);
    second.waitFor(first);
  }
  EXPECT_EQ(order.size(), 50u);
  second.synchronize();
}

void countBlock(const rcclx_kernel_params &params, unsigned block) {
  reinterpret_cast<rcclx_u64 *>(params.output)[block] += 1;
}

TEST(HostStreamTest, everyBlockRunsOnceAndLaunchesDoNotOverlap) {
  HostModule module = moduleOf(countBlock);
  std::vector<rcclx_u64> counts(8);
  HostStream stream;
  std::vector<rcclx_u64> expected(8);
  for (unsigned round = 0; round != 200; ++round) {
    unsigned grid = 1 + round % 8;
    Launch launch = launchOf(module, grid);
    ASSERT_OK(stream.reserve(grid));
    launch.params.output = reinterpret_cast<char *>(counts.data());
    stream.launch(launch);
    for (unsigned b = 0; b != grid; ++b)
      ++expected[b];
  }
  stream.synchronize();
  EXPECT_EQ(counts, expected);
}

TEST(HostStreamTest, aRefusedThreadOfABlockIsAnError) {
  HostStream stream;
  ASSERT_OK(stream.reserve(2));
  pthread_attr_t old, huge;
  ASSERT_EQ(pthread_getattr_default_np(&old), 0);
  ASSERT_EQ(pthread_attr_init(&huge), 0);
  // A stack as large as the address space.
  ASSERT_EQ(pthread_attr_setstacksize(&huge, size_t(1) << 47), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  ASSERT_OK(stream.reserve(2));
  Status refused = stream.reserve(3);
  ASSERT_EQ(pthread_setattr_default_np(&old), 0);
  EXPECT_ERROR(refused, Code::System, "a thread for a block");
  ASSERT_OK(stream.reserve(3)); // again, when there is room
  std::vector<rcclx_u64> counts(3);
  HostModule module = moduleOf(countBlock);
  Launch launch = launchOf(module, 3);
  launch.params.output = reinterpret_cast<char *>(counts.data());
  stream.launch(launch);
  stream.synchronize();
  EXPECT_EQ(counts, (std::vector<rcclx_u64>{1, 1, 1}));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST(HostMemoryTest, isZeroAndCostsNothingUntilTouched) {
  auto memory = allocateHostMemory(uint64_t(1) << 34); // 16 GiB
  ASSERT_OK(memory.status());
  EXPECT_EQ((*memory)->data()[(uint64_t(1) << 34) - 1], 0);
}

TEST(HostMemoryTest, peersOfOneProcessShareOneMapping) {
  auto memory = allocateHostMemory(65536);
  ASSERT_OK(memory.status());
  MemoryName name;
  ASSERT_OK(exportHostMemory(**memory, name).status());
  EXPECT_TRUE(isLocalHostMemory(name));
  auto part = importHostMemory(name, -1, 4096, 4096);
  ASSERT_OK(part.status());
  EXPECT_EQ((*part)->data(), (*memory)->data() + 4096);
  // The importer keeps the memory, whatever the owner does.
  char *address = (*part)->data();
  *memory = nullptr;
  address[0] = 1;
  EXPECT_EQ((*part)->data()[0], 1);
  *part = nullptr;
  EXPECT_ERROR(importHostMemory(name, -1, 0, 4096).status(),
               Code::InvalidArgument, "not there any more");
}

TEST(HostMemoryTest, boundsAreChecked) {
  auto memory = allocateHostMemory(8192);
  ASSERT_OK(memory.status());
  MemoryName name;
  ASSERT_OK(exportHostMemory(**memory, name).status());
  for (auto [offset, bytes] : {std::pair<uint64_t, uint64_t>{0, 8193},
                               {8192, 1},
                               {16384, 0},
                               {4096, ~uint64_t(0)}})
    EXPECT_FALSE(importHostMemory(name, -1, offset, bytes).isOk());
}

TEST(HostMemoryTest, foreignDescriptorsAreRefused) {
  auto memory = allocateHostMemory(8192);
  ASSERT_OK(memory.status());
  MemoryName name;
  auto fd = exportHostMemory(**memory, name);
  ASSERT_OK(fd.status());
  MemoryName stranger = name;
  stranger.process[0] ^= 1; // as if of another process
  ASSERT_OK(importHostMemory(stranger, fd->get(), 0, 4096).status());
  UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_FALSE(importHostMemory(stranger, null.get(), 0, 4096).isOk());
  // Without the seal, its owner could shrink it under a running kernel.
  UniqueFd unsealed(memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(unsealed.get(), 8192), 0);
  EXPECT_FALSE(importHostMemory(stranger, unsealed.get(), 0, 4096).isOk());
  stranger.bytes = 1 << 20; // larger than the file
  EXPECT_FALSE(importHostMemory(stranger, fd->get(), 0, 1 << 20).isOk());
}

TEST(HostMemoryTest, aForkedChildIsAnotherProcess) {
  auto memory = allocateHostMemory(4096);
  ASSERT_OK(memory.status());
  MemoryName name;
  auto fd = exportHostMemory(**memory, name);
  ASSERT_OK(fd.status());
  pid_t child = fork();
  if (child == 0) {
    bool good = !isLocalHostMemory(name);
    auto mapped = importHostMemory(name, fd->get(), 0, 4096);
    good = good && mapped;
    if (good)
      (*mapped)->data()[7] = 42;
    _exit(good ? 0 : 1);
  }
  int state;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  EXPECT_EQ(state, 0);
  EXPECT_EQ((*memory)->data()[7], 42);
}

TEST(DeviceTest, kindsAreKnownByName) {
  ASSERT_OK(createDevice("host").status());
  EXPECT_ERROR(createDevice("hip").status(), Code::Unavailable, "hip");
  EXPECT_ERROR(createDevice("").status(), Code::InvalidArgument,
               "known are host, hip, cuda");
}

} // namespace
