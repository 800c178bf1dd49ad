//===- PlanOutput.h - Where `rcclx compile` writes --------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_PLANOUTPUT_H
#define RCCLX_TOOLS_RCCLX_PLANOUTPUT_H

#include "rcclx/Runtime/PlanCache.h"

namespace rcclx::tool {

/// A plan that is being made, in a folder beside its place: the place holds all
/// of the new plan, or what it held before.
class PlanOutput {
public:
  /// Creates an empty directory in `parent`.
  static runtime::Expected<PlanOutput> create(const std::string &parent);

  /// To be filled.
  const std::string &directory() const { return temporary.get(); }

  /// Moves the plan to `place`, in one step. InvalidArgument when something
  /// that is no plan is there.
  runtime::Status publish(const std::string &place);

private:
  explicit PlanOutput(std::string directory)
      : temporary(std::move(directory)) {}

  runtime::TemporaryDirectory temporary;
};

/// InvalidArgument when something that is no plan is at `place`, so that a plan
/// does not replace it. A damaged plan is one.
runtime::Status checkReplaceable(const std::string &place);

/// The folder that `place` lies in, "." for a plain name.
std::string parentOf(const std::string &place);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_PLANOUTPUT_H
