//===- Rtc.cpp - Run-time compilers that the runtime lends ----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "rcclx/Runtime/Rtc.h"
#include "HipRtc.h"
#include "NvRtc.h"
#include "rcclx/Runtime/Options.h"

#include <cstdlib>
#include <cstring>
#include <exception>

namespace rcclx::runtime {

/// Loads one compiler for the process. An absent one is looked for once.
template <typename Rtc>
static const Expected<std::unique_ptr<Rtc>> &
instance(std::string Options::*library) {
  static const Expected<std::unique_ptr<Rtc>> rtc =
      [&]() -> Expected<std::unique_ptr<Rtc>> {
    RCCLX_ASSIGN_OR_RETURN(const Options *options, processOptions());
    return Rtc::load(options->*library);
  }();
  return rtc;
}

static const Expected<std::unique_ptr<HipRtc>> &hipRtc() {
  return instance<HipRtc>(&Options::hipLibrary);
}
static const Expected<std::unique_ptr<NvRtc>> &nvRtc() {
  return instance<NvRtc>(&Options::nvrtcLibrary);
}

bool rtcSupports(const char *target) {
  std::string_view arch = target ? target : "";
  if (HipRtc::mayKnow(arch))
    return hipRtc() && (*hipRtc())->supports(arch);
  if (arch.starts_with("sm_"))
    return nvRtc() && (*nvRtc())->supports(arch);
  return false;
}

static Expected<std::vector<char>> compile(std::string_view target,
                                           std::string_view source) {
  if (HipRtc::mayKnow(target)) {
    if (!hipRtc())
      return hipRtc().status();
    return (*hipRtc())->compile(source, target);
  }
  if (target.starts_with("sm_")) {
    if (!nvRtc())
      return nvRtc().status();
    return (*nvRtc())->compile(source, target);
  }
  return makeError(Code::Unavailable,
                   "no run-time compiler is trusted with target '{}'", target);
}

/// A copy that the caller frees; one byte more: messages are NUL-terminated.
static void give(std::string_view bytes, char **object, size_t *objectBytes) {
  char *copy = static_cast<char *>(std::malloc(bytes.size() + 1));
  *object = copy;
  *objectBytes = copy ? bytes.size() : 0;
  if (!copy)
    return;
  std::memcpy(copy, bytes.data(), bytes.size());
  copy[bytes.size()] = '\0';
}

int rtcCompile(void *, const char *target, const char *source,
               size_t sourceBytes, char **object, size_t *objectBytes) {
  // Called from C: nothing may be thrown.
  try {
    Expected<std::vector<char>> code =
        compile(target ? target : "", {source, sourceBytes});
    if (code) {
      give({code->data(), code->size()}, object, objectBytes);
      return *object ? 0 : 1;
    }
    give(code.status().message(), object, objectBytes);
  } catch (const std::exception &error) {
    give(error.what(), object, objectBytes);
  }
  return 1;
}

} // namespace rcclx::runtime
