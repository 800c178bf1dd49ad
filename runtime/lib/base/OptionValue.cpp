//===- OptionValue.cpp - Values of environment variables ------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "OptionValue.h"

#include <charconv>
#include <iterator>

namespace rcclx::runtime {

static constexpr std::string_view logLevels[] = {"off", "error", "warning",
                                                 "info", "debug"};

Status parseValue(const char *, std::string_view value, std::string &out) {
  out = value;
  return Status();
}

Status parseValue(const char *variable, std::string_view value,
                  Milliseconds &out) {
  uint64_t number = 0;
  const char *end = value.data() + value.size();
  auto [rest, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || rest != end || number < 1 ||
      number > maxTimeoutMs)
    return makeError(Code::InvalidArgument,
                     "{}=\"{}\" is not a number of milliseconds from {}",
                     variable, value, possibleValues(Milliseconds()));
  out.value = number;
  return Status();
}

Status parseValue(const char *variable, std::string_view value, LogLevel &out) {
  for (size_t i = 0; i != std::size(logLevels); ++i)
    if (value == logLevels[i]) {
      out = LogLevel(i);
      return Status();
    }
  return makeError(Code::InvalidArgument, "{}=\"{}\" is not one of {}",
                   variable, value, possibleValues(LogLevel()));
}

std::string printValue(const std::string &value) { return value; }
std::string printValue(Milliseconds value) {
  return fmt::format("{}", value.value);
}
std::string printValue(LogLevel value) {
  return std::string(logLevels[int(value)]);
}

std::string possibleValues(const std::string &) { return ""; }
std::string possibleValues(Milliseconds) {
  return fmt::format("1 to {}", maxTimeoutMs);
}
std::string possibleValues(LogLevel) {
  return fmt::format("{}", fmt::join(logLevels, ", "));
}

const char *typeName(std::string_view type) {
  if (type == "Path")
    return "path";
  if (type == "Milliseconds")
    return "milliseconds";
  if (type == "LogLevel")
    return "word";
  return "text";
}

} // namespace rcclx::runtime
