//===- Aliasing.h - Calls in place ------------------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_LIB_EXEC_ALIASING_H
#define RCCLX_LIB_EXEC_ALIASING_H

#include "rcclx/Runtime/Manifest.h"
#include "rcclx/Runtime/Status.h"

namespace rcclx::runtime {

/// Whether a call of `rank` is in place: its input and output are the same
/// memory, or the smaller of the two is the rank's own block of the larger.
/// InvalidArgument for buffers that overlap in any other way. A buffer that the
/// rank does not have is not looked at.
Expected<bool> isInPlace(const Manifest &manifest, uint32_t rank,
                         const void *input, const void *output, uint64_t count);

} // namespace rcclx::runtime

#endif // RCCLX_LIB_EXEC_ALIASING_H
