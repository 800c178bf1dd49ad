//===- NvRtc.h - NVRTC, loaded at run time ----------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_LIB_RTC_NVRTC_H
#define RCCLX_LIB_RTC_NVRTC_H

#include "rcclx/Runtime/DynamicLibrary.h"
#include "rcclx/Runtime/Status.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rcclx::runtime {

/// NVIDIA's run-time compiler. Works without a GPU. Any number of threads may
/// compile at once.
class NvRtc {
public:
  /// Loads `library`, or one of the usual names where it is empty.
  static Expected<std::unique_ptr<NvRtc>> load(const std::string &library);
  ~NvRtc();

  /// Whether this version of NVRTC compiles for `arch` ("sm_90", "sm_90a").
  bool supports(std::string_view arch) const;

  /// Compiles `source` to a cubin. Unavailable where `supports` says no.
  Expected<std::vector<char>> compile(std::string_view source,
                                      std::string_view arch) const;

private:
  struct Symbols;
  NvRtc(DynamicLibrary library, std::unique_ptr<Symbols> symbols,
        std::vector<int> archs);

  DynamicLibrary library;
  std::unique_ptr<Symbols> symbols;
  std::vector<int> archs; // 90 for sm_90
};

} // namespace rcclx::runtime

#endif // RCCLX_LIB_RTC_NVRTC_H
