//===- Status.cpp - The result of everything that can fail ----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "rcclx/Runtime/Status.h"

#include <system_error>

namespace rcclx::runtime {

const char *codeName(Code code) {
  switch (code) {
  case Code::Ok:
    return "ok";
  case Code::InvalidArgument:
    return "invalid argument";
  case Code::InvalidUsage:
    return "invalid usage";
  case Code::Schedule:
    return "schedule error";
  case Code::Unavailable:
    return "unavailable";
  case Code::System:
    return "system error";
  case Code::Remote:
    return "remote rank failed";
  case Code::Timeout:
    return "timeout";
  case Code::Aborted:
    return "aborted";
  case Code::Corrupt:
    return "damaged file";
  case Code::Internal:
    return "internal error";
  }
  return "unknown code";
}

const std::string &Status::message() const {
  static const std::string empty;
  return error ? error->message : empty;
}

Status Status::annotate(std::string_view context) const {
  if (isOk())
    return *this;
  return Status(error->code, fmt::format("{}: {}", context, error->message));
}

Status Status::join(const Status &later) const {
  if (isOk())
    return later;
  if (later.isOk())
    return *this;
  return Status(error->code, fmt::format("{} (then: {})", error->message,
                                         later.error->message));
}

Status systemError(int errnum, std::string_view what) {
  // Not strerror: it is not safe in several threads.
  return makeError(Code::System, "{}: {}", what,
                   std::generic_category().message(errnum));
}

} // namespace rcclx::runtime
