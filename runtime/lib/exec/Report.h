//===- Report.h - What a rank tells the others of a collective --*- C++ -*-===//
//
// Part of rcclx. Whatever fails on one rank, all ranks take part in the
// exchange that follows, and all return the error.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_EXEC_REPORT_H
#define RCCLX_RUNTIME_EXEC_REPORT_H

#include "rcclx/Runtime/Status.h"

#include <cstdint>
#include <vector>

namespace rcclx::runtime {

/// The host's ranks are all on one node: one of them compiles. Its texts travel
/// in full, since they are diagnostics.
inline constexpr uint32_t compilingRank = 0;

/// An error, or a value.
struct Report {
  Status status;
  std::string value;

  std::string encode(uint32_t rank) const;
  static Report decode(std::string_view text);
};

/// Everyone's reports, or the first error of them, by rank; this rank's own in
/// full and before the others'.
Expected<std::vector<Report>> decodeAll(const std::vector<std::string> &blobs,
                                        const Report &own, uint32_t rank);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_EXEC_REPORT_H
