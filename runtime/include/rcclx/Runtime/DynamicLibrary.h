//===- DynamicLibrary.h - Libraries loaded at run time ---------*- C++ -*-===//
//
// Part of rcclx.
//
// The one pattern for libraries that are not linked (HIP, hipRTC, NVRTC, the
// compiler): an X-macro lists the symbols, a struct holds them, and `resolve`
// fills it once.
//
//   #define HIP_SYMBOLS(X)                                                  \
//     X(Required, hipGetDeviceCount, int(int *))                            \
//     X(Optional, hipMemCreate, int(...))
//   struct HipSymbols { HIP_SYMBOLS(RCCLX_DECLARE_SYMBOL) };
//
//   HipSymbols s;
//   const SymbolEntry table[] = {HIP_SYMBOLS(RCCLX_SYMBOL_ENTRY)}; // uses `s`
//   RCCLX_RETURN_IF_ERROR(library.resolve(table));
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_DYNAMICLIBRARY_H
#define RCCLX_RUNTIME_DYNAMICLIBRARY_H

#include "rcclx/Runtime/Status.h"

#include <span>
#include <string>
#include <type_traits>

namespace rcclx::runtime {

enum class Presence { Required, Optional };

/// Where `resolve` stores the address of one symbol.
struct SymbolEntry {
  Presence presence;
  const char *name;
  void **slot;
};

#define RCCLX_DECLARE_SYMBOL(presence, name, ...)                              \
  std::add_pointer_t<__VA_ARGS__> name = nullptr;
#define RCCLX_SYMBOL_ENTRY(presence, name, ...)                                \
  ::rcclx::runtime::SymbolEntry{::rcclx::runtime::Presence::presence, #name,   \
                                reinterpret_cast<void **>(&s.name)},

/// What happens to the library when its DynamicLibrary is destroyed. GPU
/// run-time libraries and LLVM keep threads and thread-locals: they stay.
enum class Unload { Never, OnDestroy };

/// A library opened with RTLD_NOW | RTLD_LOCAL. Move-only.
class DynamicLibrary {
public:
  /// Opens the first of `candidates` (names for the loader's search, or paths)
  /// that loads. Unavailable, naming `what`, every candidate and the loader's
  /// reason for each, when none does.
  static Expected<DynamicLibrary> open(std::string_view what,
                                       std::span<const std::string> candidates,
                                       Unload unload = Unload::Never);

  DynamicLibrary(DynamicLibrary &&other) noexcept;
  DynamicLibrary &operator=(DynamicLibrary &&other) noexcept;
  ~DynamicLibrary();

  /// Address of `name`, or null.
  void *find(const char *name) const;
  /// Fills every slot of `table`; absent optional symbols become null.
  /// Unavailable, naming the library and all absent required symbols.
  Status resolve(std::span<const SymbolEntry> table) const;

  /// The candidate that was opened, as given.
  const std::string &path() const { return name; }

private:
  DynamicLibrary(void *handle, std::string name, Unload unload)
      : handle(handle), name(std::move(name)), unload(unload) {}

  void *handle = nullptr;
  std::string name;
  Unload unload = Unload::Never;
};

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_DYNAMICLIBRARY_H
