//===- Sizes.cpp - Numbers and lists of a command line --------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Sizes.h"

#include "Arguments.h"

#include <optional>
#include <string_view>

namespace rcclx::tool {

using namespace runtime;

static constexpr uint64_t maxBytes = uint64_t(1) << 30;

/// Of 1 to maxBytes.
static std::optional<uint64_t> parseBytes(std::string_view text) {
  Expected<uint64_t> bytes = parseCount(std::string(text));
  if (!bytes || *bytes == 0 || *bytes > maxBytes)
    return std::nullopt;
  return *bytes;
}

Expected<std::vector<uint64_t>> parseSizes(const std::string &option,
                                           const std::string &text) {
  auto fail = [&](std::string_view part) {
    return makeError(Code::InvalidArgument,
                     "{} {}: \"{}\" is not a size of 1 to 1G bytes, such as "
                     "4K, nor a range such as 4K..64M or 4K..64M*4",
                     option, text, part);
  };
  std::vector<uint64_t> sizes;
  for (const std::string &part : splitList(text)) {
    size_t dots = part.find("..");
    if (dots == std::string::npos) {
      auto size = parseBytes(part);
      if (!size)
        return fail(part);
      sizes.push_back(*size);
      continue;
    }
    std::string_view last = std::string_view(part).substr(dots + 2);
    std::optional<uint64_t> factor = 2;
    if (size_t star = last.find('*'); star != last.npos) {
      factor = parseBytes(last.substr(star + 1));
      last = last.substr(0, star);
    }
    auto begin = parseBytes(std::string_view(part).substr(0, dots));
    auto end = parseBytes(last);
    if (!begin || !end || *begin > *end || !factor || *factor < 2)
      return fail(part);
    for (uint64_t size = *begin; size <= *end; size *= *factor)
      sizes.push_back(size);
  }
  return sizes;
}

std::string sizeText(uint64_t bytes) {
  const char *unit = "";
  for (const char *next : {"K", "M", "G"}) {
    if (bytes < 1024 || bytes % 1024 != 0)
      break;
    bytes /= 1024;
    unit = next;
  }
  return fmt::format("{}{}", bytes, unit);
}

} // namespace rcclx::tool
