//===- Library.h - What rcclx bench measures --------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_BENCH_LIBRARY_H
#define RCCLX_TOOLS_RCCLX_BENCH_LIBRARY_H

#include "BenchOptions.h"
#include "Meeting.h"

#include <memory>
#include <string>
#include <vector>

namespace rcclx::tool {

/// The buffers of a call: plain memory, which no library has seen before.
struct CallMemory {
  CallShape shape;
  const float *input;
  float *output;
};

/// A call that is repeated. All functions are collective.
class Operation {
public:
  virtual ~Operation() = default;
  virtual runtime::Status run() = 0;
};

/// A way to run a collective.
struct Variant {
  std::string library;
  std::string name;
};

/// One library, connected with its counterparts on the other ranks.
class Library {
public:
  virtual ~Library() = default;
  virtual std::string name() const = 0;
  /// Version and settings.
  virtual std::string describe() const = 0;
  /// Names of the ways to make a call; the same on all ranks.
  virtual std::vector<std::string> variants(const CallShape &shape) const = 0;
  virtual runtime::Expected<std::unique_ptr<Operation>>
  open(const std::string &variant, const CallMemory &memory) = 0;
};

/// rcclx itself, through its C interface; its variants are the schedules.
runtime::Expected<std::unique_ptr<Library>>
createRcclx(const BenchOptions &options, Meeting &meeting);

/// A library behind rcclx_bench_peer.h. `name` is that of a module
/// librcclx_peer_NAME.so beside the program or in ../lib, or a path.
runtime::Expected<std::unique_ptr<Library>>
createPeer(const std::string &name, const BenchOptions &options,
           Meeting &meeting);

/// What no library can beat: every rank copies the bytes of the larger side
/// within its own memory, once.
std::unique_ptr<Library> createCopy();

/// Files in which the module of a peer is looked for.
std::vector<std::string> peerCandidates(const std::string &name);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_BENCH_LIBRARY_H
