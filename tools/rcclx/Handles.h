//===- Handles.h - Owners of what the C interface returns -------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_HANDLES_H
#define RCCLX_TOOLS_RCCLX_HANDLES_H

#include "rcclx/Runtime/Status.h"
#include "rcclx/rcclx.h"

#include <memory>

namespace rcclx::tool {

template <typename T, rcclx_result (*destroy)(T *)> struct Destroy {
  void operator()(T *handle) const { destroy(handle); }
};
using Comm =
    std::unique_ptr<rcclx_comm, Destroy<rcclx_comm, rcclx_comm_destroy>>;
using PlanHandle =
    std::unique_ptr<rcclx_plan, Destroy<rcclx_plan, rcclx_plan_destroy>>;
using StreamHandle =
    std::unique_ptr<rcclx_stream, Destroy<rcclx_stream, rcclx_stream_destroy>>;

/// What the call that has just returned `result` says.
inline runtime::Status statusOf(rcclx_result result) {
  if (result == RCCLX_OK)
    return runtime::Status();
  return runtime::Status(runtime::Code(result), rcclx_last_error());
}

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_HANDLES_H
