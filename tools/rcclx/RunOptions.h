//===- RunOptions.h - What `rcclx run` is asked to do -----------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_RUNOPTIONS_H
#define RCCLX_TOOLS_RCCLX_RUNOPTIONS_H

#include "rcclx/Runtime/Types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rcclx::tool {

struct RunOptions {
  std::string scheduleName;
  std::string schedule; // the text
  std::string plan;     // a directory; empty: the schedule is compiled
  std::string symbol;
  uint32_t ranks = 8;
  uint64_t count = 1u << 20;
  runtime::Element element = runtime::Element::F32;
  runtime::Reduction reduction = runtime::Reduction::Sum;
  std::string protocol;
  uint32_t root = 0;
  std::vector<uint32_t> permutation; // empty: to the next rank
  std::string device = "host";
  std::string cacheDir;
  uint64_t timeoutMs = 0; // 0: of the environment
  uint64_t seed = 1;
  uint64_t offset = 0; // elements by which buffers are misaligned
  uint32_t iterations = 20;
  bool inPlace = false;
  bool special = false; // NaN, infinities, signed zeros, denormals
  bool procs = false;
  std::string launcher; // that started this rank's process; empty: none
  bool json = false;
};

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_RUNOPTIONS_H
