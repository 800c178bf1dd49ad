//===- HipRtc.h - hipRTC, loaded at run time --------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_LIB_RTC_HIPRTC_H
#define RCCLX_LIB_RTC_HIPRTC_H

#include "rcclx/Runtime/DynamicLibrary.h"
#include "rcclx/Runtime/Status.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rcclx::runtime {

/// AMD's run-time compiler. Works without a GPU. Any thread may use any object;
/// one compilation runs at a time in the process.
class HipRtc {
public:
  /// Loads `library`, or one of the usual names where it is empty.
  static Expected<std::unique_ptr<HipRtc>> load(const std::string &library);
  ~HipRtc();

  /// Whether some version of hipRTC is trusted with `arch` ("gfx90a", without
  /// target features). Loads nothing.
  static bool mayKnow(std::string_view arch);

  /// Whether this version of hipRTC is trusted with `arch`.
  bool supports(std::string_view arch) const;
  /// All that `supports` accepts.
  std::vector<std::string_view> archs() const;

  /// Compiles `source` to a code object. Unavailable for an architecture that
  /// `supports` refuses: the library is not called then.
  Expected<std::vector<char>> compile(std::string_view source,
                                      std::string_view arch) const;

  /// As hipRuntimeGetVersion tells it: 50221153 is 5.2.21153. 0: unknown.
  int version() const { return reportedVersion; }

private:
  struct Symbols;
  HipRtc(DynamicLibrary library, std::unique_ptr<Symbols> symbols);

  DynamicLibrary library;
  std::unique_ptr<Symbols> symbols;
  int reportedVersion = 0;
};

} // namespace rcclx::runtime

#endif // RCCLX_LIB_RTC_HIPRTC_H
