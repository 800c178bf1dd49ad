//===- Plan.h - A compiled plan, loaded -------------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_PLAN_H
#define RCCLX_RUNTIME_PLAN_H

#include "rcclx/Runtime/Manifest.h"

#include <memory>
#include <string>

namespace rcclx::runtime {

/// The target that the host device of this build runs.
inline constexpr const char *hostTarget = "host-x86_64";

/// A plan directory that was read and checked; immutable. Its code is not
/// loaded: that is the device's part.
struct Plan {
  std::string directory;
  std::string manifestText;
  Manifest manifest;

  /// Reads `directory` and checks the size and XXH64 of every file it lists.
  /// Never compiles. Corrupt when anything is damaged; InvalidUsage when the
  /// directory or a file may have been written by another user.
  static Expected<std::shared_ptr<const Plan>> open(std::string directory);

  /// As open; Unavailable, naming the targets that are there, when it has no
  /// object for `target`.
  static Expected<std::shared_ptr<const Plan>> load(std::string directory,
                                                    std::string_view target);

  /// For a plan that another machine may have compiled: Unavailable when the
  /// object for `target` is for another processor than this, or may be.
  Status checkProcessor(std::string_view target) const;

  /// Path of the object for `target`, and how it is mapped. `target` must be
  /// the one that the plan was loaded for.
  std::string objectPath(std::string_view target) const;
  const PlanKind &kindOf(std::string_view target) const;
};

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_PLAN_H
