//===- Arguments.cpp - Options that several commands take -----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"

#include "rcclx_params.h"

#include <algorithm>
#include <charconv>

namespace rcclx::tool {

using namespace runtime;

CLI::Option *addScheduleArgument(CLI::App &command, std::string &path) {
  return command.add_option("schedule", path, "The .mlir file")
      ->type_name(typeSchedule);
}

CLI::Option *addSymbolOption(CLI::App &command, std::string &symbol) {
  return command
      .add_option("--symbol", symbol,
                  "Which collective, where the file has several")
      ->type_name(typeText);
}

CLI::Option *addCountOption(CLI::App &command, std::string &count) {
  return command
      .add_option("--count", count,
                  "Elements, as NCCL counts them for the collective; K, M and "
                  "G are powers of 1024 [1M]")
      ->type_name(typeCount);
}

CLI::Option *addRootOption(CLI::App &command, uint32_t &root) {
  return addUnsigned(command, "--root", root,
                     "Root of a broadcast, reduce, gather or scatter [0]",
                     RCCLX_MAX_WORLD - 1);
}

CLI::Option *addPermutationOption(CLI::App &command,
                                  std::vector<uint32_t> &permutation) {
  return command
      .add_option_function<std::string>(
          "--permutation",
          [&permutation](const std::string &text) {
            permutation.clear();
            for (const std::string &entry : splitList(text))
              permutation.push_back(uint32_t(
                  parseUnsigned("--permutation", entry, RCCLX_MAX_WORLD - 1)));
          },
          "Of a permute: where each rank's input goes, as 1,2,0 [the next "
          "rank]")
      ->type_name(typeRanks);
}

CLI::Option *addProtocolOption(CLI::App &command, std::string &protocol) {
  return addChoice(command, "--protocol", protocol, protocolNames(),
                   "For the messages that it is legal for; the others keep "
                   "theirs [chosen for the size]");
}

std::vector<std::string> splitList(const std::string &text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t comma; (comma = text.find(',', begin)) != std::string::npos;
       begin = comma + 1)
    parts.push_back(text.substr(begin, comma - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

CLI::Option *addChoice(CLI::App &command, const std::string &option,
                       std::string &value,
                       std::span<const std::string_view> names,
                       const std::string &help, bool isList) {
  std::string choices;
  for (std::string_view name : names)
    choices.append(choices.empty() ? "{" : ",").append(name);
  return command
      .add_option_function<std::string>(
          option,
          [=, &value](const std::string &text) {
            std::vector<std::string> parts =
                isList ? splitList(text) : std::vector<std::string>{text};
            for (const std::string &part : parts)
              if (std::ranges::find(names, part) == names.end())
                throw CLI::ValidationError(
                    fmt::format("{} {}: unknown; known are {}", option, part,
                                joinNames(names)));
            value = text;
          },
          help)
      ->type_name(choices + (isList ? typeListEnd : "}"));
}

uint64_t parseUnsigned(const std::string &option, const std::string &text,
                       uint64_t limit) {
  uint64_t number = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && rest == end && number <= limit)
    return number;
  throw CLI::ValidationError(
      fmt::format("{} {}: not a number from 0 to {}", option, text, limit));
}

Expected<uint64_t> parseCount(const std::string &text) {
  uint64_t number = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  uint64_t unit = 1;
  if (rest != text.data() && rest + 1 == end) {
    switch (*rest) {
    case 'K':
    case 'k':
      unit = uint64_t(1) << 10;
      break;
    case 'M':
      unit = uint64_t(1) << 20;
      break;
    case 'G':
      unit = uint64_t(1) << 30;
      break;
    default:
      unit = 0;
    }
    ++rest;
  }
  if (error == std::errc::result_out_of_range ||
      (error == std::errc() && rest == end && unit != 0 &&
       __builtin_mul_overflow(number, unit, &number)))
    return makeError(Code::InvalidArgument, "--count {}: too large", text);
  if (error != std::errc() || rest != end || unit == 0)
    return makeError(Code::InvalidArgument,
                     "--count {}: not a number of elements, such as 1000, 64K "
                     "or 1M",
                     text);
  return number;
}

Expected<std::vector<uint32_t>> parseRanks(const std::string &text) {
  Status bad = makeError(Code::InvalidArgument,
                         "--ranks {}: not a list of numbers from 1 to {}, such "
                         "as 8 or 2..64",
                         text, RCCLX_MAX_WORLD);
  std::vector<uint32_t> worlds;
  std::string_view left = text;
  auto number = [&](uint32_t &out) {
    auto [rest, error] =
        std::from_chars(left.data(), left.data() + left.size(), out);
    if (error != std::errc() || out < 1 || out > RCCLX_MAX_WORLD)
      return false;
    left.remove_prefix(size_t(rest - left.data()));
    return true;
  };
  while (true) {
    uint32_t first, last;
    if (!number(first))
      return bad;
    last = first;
    if (left.starts_with("..")) {
      left.remove_prefix(2);
      if (!number(last) || last < first)
        return bad;
    }
    for (uint32_t world = first; world <= last; ++world)
      worlds.push_back(world);
    if (left.empty())
      return worlds;
    if (left[0] != ',')
      return bad;
    left.remove_prefix(1);
  }
}

} // namespace rcclx::tool
