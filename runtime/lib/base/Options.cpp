//===- Options.cpp - Settings from the environment ------------------------===//
//
// Part of rcclx. The only file that reads the environment.
//
//===----------------------------------------------------------------------===//
#include "OptionValue.h"

#include <algorithm>
#include <unistd.h>

namespace rcclx::runtime {

/// Levenshtein distance, for short names.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

static std::string unknownVariable(std::string_view name) {
  const std::vector<OptionDoc> &docs = optionDocs();
  auto closest = std::min_element(
      docs.begin(), docs.end(), [&](const OptionDoc &a, const OptionDoc &b) {
        return editDistance(name, a.variable) < editDistance(name, b.variable);
      });
  return fmt::format("unknown environment variable {} ignored; did you mean "
                     "{}?",
                     name.substr(0, 64), closest->variable);
}

const std::vector<OptionDoc> &optionDocs() {
  static const std::vector<OptionDoc> docs = [] {
    Options defaults;
    return std::vector<OptionDoc>{
#define RCCLX_OPTION(variable, field, type, init, doc)                         \
  {variable, typeName(#type), possibleValues(defaults.field),                  \
   printValue(defaults.field), doc},
#include "rcclx/Runtime/Options.def"
#undef RCCLX_OPTION
    };
  }();
  return docs;
}

std::vector<OptionState> optionStates(const char *const *environment) {
  std::vector<OptionState> states;
  auto add = [&](const char *variable, auto value) {
    OptionState state{printValue(value), false, Status()};
    std::string prefix = std::string(variable) + "=";
    for (auto entry = environment; entry && *entry; ++entry)
      if (std::string_view(*entry).starts_with(prefix)) {
        state.value = *entry + prefix.size();
        state.isSet = true;
        state.status = parseValue(variable, state.value, value);
      }
    states.push_back(std::move(state));
  };
  Options defaults;
#define RCCLX_OPTION(variable, field, type, init, doc)                         \
  add(variable, defaults.field);
#include "rcclx/Runtime/Options.def"
#undef RCCLX_OPTION
  return states;
}

std::vector<OptionState> processOptionStates() { return optionStates(environ); }

Expected<Options> Options::parse(const char *const *environment,
                                 std::vector<std::string> &warnings) {
  Options options;
  std::string xdg, home;
  const std::vector<std::string> &launchers = launcherVariables();
  for (; environment && *environment; ++environment) {
    std::string_view entry(*environment);
    size_t equals = entry.find('=');
    if (equals == std::string_view::npos)
      continue;
    std::string_view name = entry.substr(0, equals);
    std::string_view value = entry.substr(equals + 1);
    if (name == "XDG_CACHE_HOME")
      xdg = value;
    else if (name == "HOME")
      home = value;
    if (std::find(launchers.begin(), launchers.end(), name) != launchers.end())
      options.launcher[std::string(name)] = value;
    if (!name.starts_with("RCCLX_"))
      continue;
    bool known = false;
#define RCCLX_OPTION(variable, field, type, init, doc)                         \
  if (name == variable) {                                                      \
    known = true;                                                              \
    RCCLX_RETURN_IF_ERROR(parseValue(variable, value, options.field));         \
  }
#include "rcclx/Runtime/Options.def"
#undef RCCLX_OPTION
    // RCCLX_TEST_* is for tests, and inherited by the programs that they start.
    if (!known && !name.starts_with("RCCLX_TEST_"))
      warnings.push_back(unknownVariable(name));
  }
  // The XDG specification: a relative XDG_CACHE_HOME is to be ignored.
  if (xdg.starts_with('/'))
    options.defaultCacheDir = xdg + "/rcclx";
  else if (home.starts_with('/'))
    options.defaultCacheDir = home + "/.cache/rcclx";
  return options;
}

Expected<const Options *> processOptions(bool warns) {
  static const Expected<Options> options = [warns] {
    std::vector<std::string> warnings;
    Expected<Options> parsed = Options::parse(environ, warnings);
    if (parsed)
      setLogLevel(parsed->logLevel);
    for (const std::string &warning : warnings)
      if (warns)
        RCCLX_LOG(Warning, "environment", "{}", warning);
    return parsed;
  }();
  if (!options)
    return options.status();
  return &*options;
}

} // namespace rcclx::runtime
