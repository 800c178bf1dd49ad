//===- Bandwidth.h - What the machine's memory gives ------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_BENCH_BANDWIDTH_H
#define RCCLX_TOOLS_RCCLX_BENCH_BANDWIDTH_H

#include "Meeting.h"

namespace rcclx::tool {

/// In bytes per second of all ranks together, which run at the same time, over
/// arrays of one size. As STREAM counts: what is read and what is
/// written, without what a cache reads before it is written.
struct Bandwidth {
  double copy = 0;     // memcpy, private memory
  double triad = 0;    // a = b + s * c, private memory
  double shared = 0;   // memcpy from memory that the next rank wrote and shares
  double remote = 0;   // process_vm_readv of the next rank; 0 where refused
  std::string refusal; // of process_vm_readv; empty where it is permitted
};

/// Collective. Arrays have the size of the meeting's scratch memory.
runtime::Expected<Bandwidth> measureBandwidth(Meeting &meeting,
                                              size_t arrayBytes);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_BENCH_BANDWIDTH_H
