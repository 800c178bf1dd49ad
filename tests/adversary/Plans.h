//===- Plans.h - Plans that the adversary runs ------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_ADVERSARY_PLANS_H
#define RCCLX_TESTS_ADVERSARY_PLANS_H

#include "device/HostStream.h"
#include "rcclx/Runtime/Plan.h"

#include <memory>
#include <string>
#include <vector>

namespace rcclx::adversary {

/// A plan that MakePlans wrote, with its code.
struct LoadedPlan {
  std::string name; // of its directory
  std::shared_ptr<const runtime::Plan> plan;
  std::unique_ptr<runtime::Module> module;

  const runtime::Manifest &manifest() const { return plan->manifest; }
  const runtime::PlanKind &kind() const {
    return plan->kindOf(runtime::hostTarget);
  }
  runtime::HostKernel kernel() const {
    return static_cast<const runtime::HostModule &>(*module).kernel;
  }
};

/// The plans for `world` ranks in `directory`, by name. Ends the program when
/// there is none, or one cannot be loaded.
std::vector<LoadedPlan> loadPlans(const std::string &directory, uint32_t world);

/// Ends the program: the adversary itself cannot go on.
[[noreturn]] void giveUp(const std::string &message);

} // namespace rcclx::adversary

#endif // RCCLX_TESTS_ADVERSARY_PLANS_H
