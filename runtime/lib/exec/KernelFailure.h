//===- KernelFailure.h - What a kernel reports, in words --------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_EXEC_KERNELFAILURE_H
#define RCCLX_RUNTIME_EXEC_KERNELFAILURE_H

#include "rcclx/Runtime/Manifest.h"

#include <vector>

namespace rcclx::runtime {

struct KernelFailure {
  Status status;
  uint32_t culprit; // the rank to blame, as far as this rank can tell
};

/// Reads the control block and the `started` words after a kernel gave up.
/// The rank that is waited for need not be the one that lags: it may itself
/// wait. So all peers' `started` words are compared with this rank's.
KernelFailure describeKernelFailure(const rcclx_kernel_params &params,
                                    const std::vector<rcclx_peer> &peers,
                                    const Manifest &manifest,
                                    uint64_t timeoutMs);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_EXEC_KERNELFAILURE_H
