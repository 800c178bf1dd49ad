//===- Machine.h - What a bench ran on --------------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_BENCH_MACHINE_H
#define RCCLX_TOOLS_RCCLX_BENCH_MACHINE_H

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace rcclx::tool {

/// Processor, caches, kernel, and settings that move such figures. What cannot
/// be found out is "unknown".
nlohmann::ordered_json describeMachine();

/// The same in a few lines for people.
std::string machineText(const nlohmann::ordered_json &machine);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_BENCH_MACHINE_H
