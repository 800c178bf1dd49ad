//===- DynamicLibrary.cpp - Libraries that are loaded at run time ---------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "rcclx/Runtime/DynamicLibrary.h"

#include <dlfcn.h>

namespace rcclx::runtime {

Expected<DynamicLibrary>
DynamicLibrary::open(std::string_view what,
                     std::span<const std::string> candidates, Unload unload) {
  std::string tried;
  for (const std::string &candidate : candidates) {
    dlerror(); // forget older errors of this thread
    if (void *handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL))
      return DynamicLibrary(handle, candidate, unload);
    const char *reason = dlerror();
    tried += fmt::format("\n  {}: {}", candidate, reason ? reason : "unknown");
  }
  return makeError(Code::Unavailable, "{} cannot be loaded; tried:{}", what,
                   tried.empty() ? " nothing" : tried);
}

DynamicLibrary::DynamicLibrary(DynamicLibrary &&other) noexcept
    : handle(std::exchange(other.handle, nullptr)), name(std::move(other.name)),
      unload(other.unload) {}

DynamicLibrary &DynamicLibrary::operator=(DynamicLibrary &&other) noexcept {
  std::swap(handle, other.handle);
  std::swap(name, other.name);
  std::swap(unload, other.unload);
  return *this;
}

DynamicLibrary::~DynamicLibrary() {
  if (handle && unload == Unload::OnDestroy)
    dlclose(handle);
}

void *DynamicLibrary::find(const char *symbol) const {
  return handle ? dlsym(handle, symbol) : nullptr;
}

Status DynamicLibrary::resolve(std::span<const SymbolEntry> table) const {
  std::string missing;
  for (const SymbolEntry &entry : table) {
    *entry.slot = find(entry.name);
    if (!*entry.slot && entry.presence == Presence::Required)
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", entry.name);
  }
  if (missing.empty())
    return Status();
  return makeError(Code::Unavailable, "{} lacks required symbols: {}", name,
                   missing);
}

} // namespace rcclx::runtime
