//===- Rtc.h - Run-time compilers that the runtime lends --------*- C++ -*-===//
//
// Part of rcclx. hipRTC and NVRTC, each loaded at its first use and never
// unloaded. Neither needs a GPU. Any thread.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_RTC_H
#define RCCLX_RUNTIME_RTC_H

#include <cstddef>

namespace rcclx::runtime {

/// Whether an installed run-time compiler is trusted with `target` ("gfx90a",
/// "sm_90"). False for every other string, null and empty ones included. hipRTC
/// is not loaded for an architecture that no version of it is trusted with.
bool rtcSupports(const char *target);

/// The `rtc` callback of rcclx_compile_request: compiles `source` for `target`
/// with hipRTC or NVRTC, whichever knows it. Returns 0 and a malloc'ed object
/// in
/// `*object`, or non-zero and a malloc'ed, NUL-terminated message there, of
/// `*objectBytes` characters. `data` is the request's `rtc_data`; unused.
int rtcCompile(void *data, const char *target, const char *source,
               size_t sourceBytes, char **object, size_t *objectBytes);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_RTC_H
