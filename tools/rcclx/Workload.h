//===- Workload.h - Inputs of all ranks and what must come out --*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_WORKLOAD_H
#define RCCLX_TOOLS_RCCLX_WORKLOAD_H

#include "RunOptions.h"
#include "rcclx/Runtime/Manifest.h"

#include <memory>
#include <mutex>
#include <vector>

namespace rcclx::tool {

/// Memory between guard areas, at a chosen misalignment, filled with a pattern
/// that no result has.
class GuardedBuffer {
public:
  /// `bytes` long, starting `shift` bytes after a 64-byte boundary.
  GuardedBuffer(uint64_t bytes, uint64_t shift);
  char *data() { return storage.data() + start; }
  const char *data() const { return storage.data() + start; }
  uint64_t size() const { return bytes; }
  /// Whether nothing was written before or after the buffer.
  bool guardsIntact() const;

private:
  std::vector<char> storage;
  uint64_t start;
  uint64_t bytes;
};

/// Inputs are a pure function of (seed, rank, index), scales of (seed, rank):
/// every process makes all.
class Workload {
public:
  Workload(const RunOptions &options, const runtime::Manifest &manifest);

  std::vector<const char *> inputs() const;
  uint64_t inputSize(uint32_t rank) const { return inputData[rank].size(); }
  /// What the proof says that `rank` gets. Ranks with equal outputs share one.
  /// Any thread.
  std::shared_ptr<const std::vector<char>> expected(uint32_t rank);

  const runtime::Manifest &manifest;
  /// Of premul_sum, every rank's: bits of the accumulator. Else none.
  std::vector<uint64_t> scales;

private:
  const uint64_t count;
  std::vector<std::vector<char>> inputData;
  std::mutex mutex;
  std::vector<std::shared_ptr<const std::vector<char>>> expectedData;
};

/// The workload of a process, made by the first rank that needs it.
class WorkloadCache {
public:
  /// `manifest` must outlive the cache or be the first caller's copy: it is
  /// copied.
  Workload &get(const RunOptions &options, const runtime::Manifest &manifest);

private:
  std::once_flag once;
  runtime::Manifest copy;
  std::unique_ptr<Workload> workload;
};

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_WORKLOAD_H
