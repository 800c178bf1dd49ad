//===- Plans.cpp - Plans that the adversary runs --------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Plans.h"

#include "rcclx/Runtime/Device.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace rcclx::adversary {

using namespace runtime;

void giveUp(const std::string &message) {
  fmt::print(stderr, "adversary: error: {}\n", message);
  exit(2);
}

std::vector<LoadedPlan> loadPlans(const std::string &directory,
                                  uint32_t world) {
  std::unique_ptr<Device> device = createHostDevice();
  std::vector<std::string> names;
  std::error_code error;
  for (auto &entry : std::filesystem::directory_iterator(directory, error))
    names.push_back(entry.path().filename());
  if (error)
    giveUp(fmt::format("{}: {}", directory, error.message()));
  std::sort(names.begin(), names.end());
  std::vector<LoadedPlan> result;
  for (const std::string &name : names) {
    auto plan = Plan::load(directory + "/" + name, hostTarget);
    if (!plan)
      giveUp(plan.status().message());
    if ((*plan)->manifest.world != world)
      continue;
    auto module = device->loadModule(**plan);
    if (!module)
      giveUp(module.status().message());
    result.push_back({name, *std::move(plan), *std::move(module)});
  }
  if (result.empty())
    giveUp(fmt::format("{} has no plan for {} ranks", directory, world));
  return result;
}

} // namespace rcclx::adversary
