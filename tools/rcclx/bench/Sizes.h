//===- Sizes.h - Numbers and lists of a command line ------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_BENCH_SIZES_H
#define RCCLX_TOOLS_RCCLX_BENCH_SIZES_H

#include "rcclx/Runtime/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rcclx::tool {

/// Bytes of "4K,1M" or "4K..64M" (every power of two times the first) or
/// "4K..64M*4" (every power of four); K, M and G are powers of 1024.
/// InvalidArgument, naming `option`, for anything else, for 0, and above 1 GiB.
runtime::Expected<std::vector<uint64_t>> parseSizes(const std::string &option,
                                                    const std::string &text);

/// "4K", "3M", "1000".
std::string sizeText(uint64_t bytes);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_BENCH_SIZES_H
