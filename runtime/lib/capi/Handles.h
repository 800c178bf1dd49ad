//===- Handles.h - What is behind the C interface ---------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_CAPI_HANDLES_H
#define RCCLX_RUNTIME_CAPI_HANDLES_H

#include "../exec/Communicator.h"
#include "rcclx/rcclx.h"

#include <new>

struct rcclx_comm {
  std::shared_ptr<rcclx::runtime::Communicator> communicator;
};

struct rcclx_plan {
  std::shared_ptr<rcclx::runtime::PreparedPlan> prepared;
};

struct rcclx_stream {
  std::shared_ptr<rcclx::runtime::Communicator> communicator;
  std::shared_ptr<rcclx::runtime::Stream> stream;
};

namespace rcclx::runtime {

/// Makes `status` the thread's last error and returns its code.
rcclx_result report(const Status &status) noexcept;

/// Runs `body`, which returns a Status. Memory exhaustion, the one exception of
/// the standard library that is not a defect here, becomes an error.
template <typename Body> rcclx_result guarded(Body body) noexcept {
  try {
    return report(body());
  } catch (const std::bad_alloc &) {
    return RCCLX_SYSTEM_ERROR;
  } catch (...) {
    return RCCLX_INTERNAL_ERROR;
  }
}

/// Copies the part of `*params` that both sides know over the defaults.
/// InvalidArgument for null or for a size that no version has.
template <typename Params>
Status readParams(const Params *params, size_t least, Params &out) {
  if (!params)
    return Status(Code::InvalidArgument, "the parameters are null");
  if (params->struct_size < least)
    return makeError(Code::InvalidArgument,
                     "struct_size is {}; set it to sizeof the struct",
                     params->struct_size);
  size_t size = std::min(params->struct_size, sizeof(Params));
  memcpy(static_cast<void *>(&out), params, size);
  return Status();
}

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_CAPI_HANDLES_H
