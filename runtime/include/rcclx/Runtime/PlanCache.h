//===- PlanCache.h - Compiled plans on disk ---------------------*- C++ -*-===//
//
// Part of rcclx. One directory per plan, `KEY.STAMP`: KEY hashes all that the
// plan is made of, STAMP identifies the compiler's file. Where no compiler is
// installed, an entry of any stamp serves.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_PLANCACHE_H
#define RCCLX_RUNTIME_PLANCACHE_H

#include "rcclx/Runtime/CompilerLibrary.h"
#include "rcclx/Runtime/Plan.h"

#include <memory>
#include <string>

namespace rcclx::runtime {

/// A directory that is removed, with what is in it, at the end of its scope.
class TemporaryDirectory {
public:
  TemporaryDirectory() = default;
  explicit TemporaryDirectory(std::string path) : path(std::move(path)) {}
  TemporaryDirectory(TemporaryDirectory &&other) noexcept
      : path(std::exchange(other.path, {})) {}
  TemporaryDirectory &operator=(TemporaryDirectory &&other) noexcept {
    std::swap(path, other.path);
    return *this;
  }
  ~TemporaryDirectory();

  /// The directory now belongs to somebody else.
  void release() { path.clear(); }
  const std::string &get() const { return path; }

private:
  std::string path;
};

/// A plan, and where it came from.
struct CachedPlan {
  std::shared_ptr<const Plan> plan;
  /// False: compiled by this call.
  bool cached = false;
  /// Set when the plan could not be stored: its files go away with this.
  TemporaryDirectory uncached;
};

/// A cache directory. Several processes may use one at the same time; the last
/// writer of an entry wins, and all writers write the same.
class PlanCache {
public:
  /// `directory` is created, private, when it is absent. InvalidUsage when
  /// another user owns it, or may write to it or replace it; InvalidArgument
  /// when it is no directory: the user has to choose another. What killed
  /// processes left in it is removed. A directory that cannot be created or
  /// read, or is empty (""), gives a cache that stores nothing, with a warning
  /// in the log: plans then go to a private temporary directory.
  static Expected<PlanCache> open(const std::string &directory);

  /// The plan for `request`: from the cache or, when it is absent or damaged,
  /// compiled and stored. Errors as CompilerLibrary::compile, and System when
  /// not even a temporary directory can be written.
  Expected<CachedPlan> get(const PlanRequest &request,
                           const CompilerLibrary &compiler) const;

  /// 32 hex digits over everything that decides what the compiler writes,
  /// except the compiler.
  static std::string key(const PlanRequest &request);

private:
  /// Null when no entry serves. Damaged entries are removed.
  Expected<std::shared_ptr<const Plan>> lookup(const PlanRequest &request,
                                               const std::string &key,
                                               const std::string &stamp) const;
  Expected<CachedPlan> compile(const PlanRequest &request,
                               const CompilerLibrary &compiler,
                               const std::string &entry) const;

  std::string directory; // absolute; empty: stores nothing
};

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_PLANCACHE_H
