//===- Log.cpp - Messages for people --------------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "rcclx/Runtime/Log.h"

#include <atomic>
#include <ctime>
#include <string>
#include <unistd.h>

namespace rcclx::runtime {

static void writeToStderr(LogLevel, std::string_view line) {
  // One write per line, so that lines of several processes do not mix.
  std::string text(line);
  text += '\n';
  [[maybe_unused]] ssize_t ignored = write(2, text.data(), text.size());
}

// Relaxed suffices: each is a lone value, and nothing else is published by it.
static std::atomic<LogLevel> currentLevel{LogLevel::Warning};
static std::atomic<LogSink> currentSink{writeToStderr};

void setLogLevel(LogLevel level) {
  currentLevel.store(level, std::memory_order_relaxed);
}

void setLogSink(LogSink sink) {
  currentSink.store(sink ? sink : writeToStderr, std::memory_order_relaxed);
}

bool logEnabled(LogLevel level) {
  return level <= currentLevel.load(std::memory_order_relaxed);
}

void writeLog(LogLevel level, const char *subsystem, std::string_view text) {
  static const char *const names[] = {"off", "error", "warning", "info",
                                      "debug"};
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  std::tm local;
  localtime_r(&now.tv_sec, &local);
  std::string line =
      fmt::format("{:02}:{:02}:{:02}.{:03} {} rcclx {} {}: {}", local.tm_hour,
                  local.tm_min, local.tm_sec, now.tv_nsec / 1'000'000, getpid(),
                  names[int(level)], subsystem, text);
  currentSink.load(std::memory_order_relaxed)(level, line);
}

} // namespace rcclx::runtime
