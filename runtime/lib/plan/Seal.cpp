//===- Seal.cpp - The manifest's own checksum -----------------------------===//
//
// Part of rcclx. The last member of manifest.json is the XXH64 of all text
// before it. It finds damage, not malice: that is kept out by the directory's
// owner and mode.
//
//===----------------------------------------------------------------------===//
#include "rcclx/Runtime/Manifest.h"

#include "Hash.h"

namespace rcclx::runtime {

static std::string sealOf(std::string_view body) {
  return fmt::format(",\n  \"xxh64\": \"{:016x}\"\n}}\n", xxh64(body));
}

static const size_t sealBytes = sealOf("").size();

Status checkSeal(std::string_view text) {
  if (text.size() < sealBytes)
    return makeError(Code::Corrupt, "manifest.json has {} bytes only",
                     text.size());
  std::string_view body = text.substr(0, text.size() - sealBytes);
  if (text.substr(body.size()) != sealOf(body))
    return makeError(Code::Corrupt,
                     "manifest.json differs from its checksum, or has none");
  return Status();
}

std::string sealManifest(std::string_view text) {
  if (checkSeal(text).isOk())
    text.remove_suffix(sealBytes);
  else
    text = text.substr(0, text.rfind('}'));
  while (!text.empty() && text.back() == '\n')
    text.remove_suffix(1);
  return std::string(text) + sealOf(text);
}

} // namespace rcclx::runtime
