//===- Clock.h - The time of all processes ----------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_CLOCK_H
#define RCCLX_TOOLS_RCCLX_CLOCK_H

#include <cstdint>
#include <ctime>

namespace rcclx::tool {

/// Nanoseconds of the monotonic clock, which is the same for all processes.
inline uint64_t nowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000u + uint64_t(now.tv_nsec);
}

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_CLOCK_H
