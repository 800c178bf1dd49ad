//===- Log.h - Messages for people ------------------------------*- C++ -*-===//
//
// Part of rcclx. Errors are returned, not logged; the log is for what no caller
// can be told: fall-backs, settings, what a watchdog saw. Nothing on the path
// of a call logs.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_LOG_H
#define RCCLX_RUNTIME_LOG_H

#include <fmt/format.h>
#include <string_view>

namespace rcclx::runtime {

enum class LogLevel : int { Off, Error, Warning, Info, Debug };

/// Receives one formatted line, without newline. Called by any thread.
using LogSink = void (*)(LogLevel level, std::string_view line);

/// Sets the most verbose level that is written. Warning at first.
void setLogLevel(LogLevel level);
/// Sets the sink; null restores the default, stderr.
void setLogSink(LogSink sink);
bool logEnabled(LogLevel level);
/// Writes one line: time, process, level, subsystem, text.
void writeLog(LogLevel level, const char *subsystem, std::string_view text);

} // namespace rcclx::runtime

/// Formats only when the level is enabled.
#define RCCLX_LOG(level, subsystem, ...)                                       \
  do {                                                                         \
    if (::rcclx::runtime::logEnabled(::rcclx::runtime::LogLevel::level))       \
      ::rcclx::runtime::writeLog(::rcclx::runtime::LogLevel::level, subsystem, \
                                 fmt::format(__VA_ARGS__));                    \
  } while (false)

#endif // RCCLX_RUNTIME_LOG_H
