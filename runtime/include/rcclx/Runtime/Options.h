//===- Options.h - Settings from the environment ----------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_OPTIONS_H
#define RCCLX_RUNTIME_OPTIONS_H

#include "rcclx/Runtime/Launcher.h"
#include "rcclx/Runtime/Log.h"
#include "rcclx/Runtime/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rcclx::runtime {

/// A deadline's length. A type of its own, so that its range is checked.
struct Milliseconds {
  uint64_t value = 0;
};
using Path = std::string;                            // said in the table
inline constexpr uint64_t maxTimeoutMs = 86'400'000; // a day

/// All settings. Immutable once made; passed down, never looked up again.
struct Options {
#define RCCLX_OPTION(variable, field, type, init, doc) type field = init;
#include "rcclx/Runtime/Options.def"
#undef RCCLX_OPTION

  /// Where plans are cached when cacheDir is empty; empty when the environment
  /// has neither XDG_CACHE_HOME nor HOME.
  std::string defaultCacheDir;

  /// What launchers have set.
  LauncherVariables launcher;

  const std::string &effectiveCacheDir() const {
    return cacheDir.empty() ? defaultCacheDir : cacheDir;
  }

  /// Parses `environment` (NAME=VALUE strings, null-terminated, as environ).
  /// InvalidArgument, naming variable and value, for a value that does not
  /// parse. Unknown RCCLX_* names are reported in `warnings`, one line each,
  /// with the closest known name.
  static Expected<Options> parse(const char *const *environment,
                                 std::vector<std::string> &warnings);
};

/// One row of the table, for people.
struct OptionDoc {
  const char *variable;
  const char *type;         // "path", "text", "milliseconds", "word"
  std::string values;       // what is possible; empty: anything
  std::string defaultValue; // empty: as the documentation says
  const char *documentation;
};
/// The whole table, in its order.
const std::vector<OptionDoc> &optionDocs();

/// What a row is at present.
struct OptionState {
  std::string value;
  bool isSet;    // by the environment, else the default
  Status status; // InvalidArgument for a value that does not parse
};
/// One per row; of `environment` (as environ), or of the process.
std::vector<OptionState> optionStates(const char *const *environment);
std::vector<OptionState> processOptionStates();

/// The process's own settings: parsed at the first call, which also sets the
/// log level and, where it `warns`, logs the warnings. Later calls return the
/// same object or error. Any thread.
Expected<const Options *> processOptions(bool warns = true);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_OPTIONS_H
