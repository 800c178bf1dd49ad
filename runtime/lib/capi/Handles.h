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
#include <unistd.h>

// Each remembers the process that made it: a forked child has copies of the
// handles, but neither their threads nor a say in the communicator.
struct rcclx_comm {
  std::shared_ptr<rcclx::runtime::Communicator> communicator;
  const pid_t process = getpid();
};

struct rcclx_plan {
  std::shared_ptr<rcclx::runtime::PreparedPlan> prepared;
  const pid_t process = getpid();
};

struct rcclx_stream {
  std::shared_ptr<rcclx::runtime::Communicator> communicator;
  std::shared_ptr<rcclx::runtime::Stream> stream;
  const pid_t process = getpid();
};

namespace rcclx::runtime {

/// Makes `status` the thread's last error and returns its code.
rcclx_result report(const Status &status) noexcept;

/// The same for an error without a Status.
rcclx_result report(Code code, const char *message) noexcept;

/// Runs `body`, which returns a Status. Memory exhaustion, the one exception of
/// the standard library that is not a defect here, becomes an error.
template <typename Body> rcclx_result guarded(Body body) noexcept {
  try {
    return report(body());
  } catch (const std::bad_alloc &) {
    return report(Code::System, "out of memory");
  } catch (const std::exception &error) {
    return report(Code::Internal, error.what());
  } catch (...) {
    return report(Code::Internal, "an unknown exception");
  }
}

/// Of any version of any struct.
inline constexpr size_t maxStructSize = 4096;

/// InvalidArgument for null or for a size that no version has.
template <typename Params>
Status checkStruct(const Params *params, size_t least) {
  if (!params)
    return Status(Code::InvalidArgument, "the parameters are null");
  if (params->struct_size < least || params->struct_size > maxStructSize)
    return makeError(Code::InvalidArgument,
                     "struct_size is {}; set it to sizeof the struct",
                     params->struct_size);
  return Status();
}

/// Copies the part of `*params` that both sides know over the defaults.
/// InvalidArgument as checkStruct, and where a field of a later version is set:
/// to ignore it would not be what the caller asked for.
template <typename Params>
Status readParams(const Params *params, size_t least, Params &out) {
  RCCLX_RETURN_IF_ERROR(checkStruct(params, least));
  auto *bytes = reinterpret_cast<const char *>(params);
  for (size_t i = sizeof(Params); i < params->struct_size; ++i)
    if (bytes[i] != 0)
      return makeError(Code::InvalidArgument,
                       "byte {} of the parameters is set; this version of "
                       "rcclx knows {}: set what is beyond to zero",
                       i, sizeof(Params));
  size_t size = std::min(params->struct_size, sizeof(Params));
  memcpy(static_cast<void *>(&out), params, size);
  return Status();
}

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_CAPI_HANDLES_H
