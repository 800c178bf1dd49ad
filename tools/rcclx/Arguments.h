//===- Arguments.h - Options that several commands take ---------*- C++ -*-===//
//
// Part of rcclx. Each is defined once, so that it means, says and completes
// the same everywhere.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_ARGUMENTS_H
#define RCCLX_TOOLS_RCCLX_ARGUMENTS_H

#include "rcclx/Runtime/Status.h"
#include "rcclx/Runtime/Types.h"

#include <CLI/CLI.hpp>
#include <concepts>
#include <limits>
#include <span>

namespace rcclx::tool {

// What an option's or argument's value is; completion offers files for some.
inline constexpr char typeSchedule[] = "SCHEDULE";
inline constexpr char typeDirectory[] = "DIR";
inline constexpr char typeRanks[] = "RANKS";
inline constexpr char typeCount[] = "COUNT";
inline constexpr char typeUnsigned[] = "UINT";
inline constexpr char typeText[] = "TEXT";
// A choice's type is "{one,of,these}"; that of a list of them ends so.
inline constexpr char typeListEnd[] = "},...";

CLI::Option *addScheduleArgument(CLI::App &command, std::string &path);
CLI::Option *addSymbolOption(CLI::App &command, std::string &symbol);
CLI::Option *addCountOption(CLI::App &command, std::string &count);
CLI::Option *addRootOption(CLI::App &command, uint32_t &root);
CLI::Option *addPermutationOption(CLI::App &command,
                                  std::vector<uint32_t> &permutation);
CLI::Option *addProtocolOption(CLI::App &command, std::string &protocol);

/// Adds an option that is one of `names`; with `isList`, several of them with
/// commas between. What follows `values` is an error that lists them.
CLI::Option *addChoice(CLI::App &command, const std::string &option,
                       std::string &value,
                       std::span<const std::string_view> names,
                       const std::string &help, bool isList = false);

/// Parses a decimal number of [0, limit]; throws CLI::ValidationError, naming
/// the option, for anything else (CLI11 itself wraps -1).
uint64_t parseUnsigned(const std::string &option, const std::string &text,
                       uint64_t limit);

/// Adds an option that is a number of [0, limit].
template <std::unsigned_integral T>
CLI::Option *addUnsigned(CLI::App &command, const std::string &option, T &value,
                         const std::string &help,
                         uint64_t limit = std::numeric_limits<T>::max()) {
  return command
      .add_option_function<std::string>(
          option,
          [option, &value, limit](const std::string &text) {
            value = T(parseUnsigned(option, text, limit));
          },
          help)
      ->type_name(typeUnsigned);
}

/// A number with an optional binary suffix: 1K is 1024.
runtime::Expected<uint64_t> parseCount(const std::string &text);

/// "8", "2..64", or several of these with commas between.
runtime::Expected<std::vector<uint32_t>> parseRanks(const std::string &text);

/// The parts between commas; an empty text has one, which is empty.
std::vector<std::string> splitList(const std::string &text);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_ARGUMENTS_H
