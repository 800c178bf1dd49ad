//===- Report.cpp - What a rank tells the others of a collective ----------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Report.h"

#include <charconv>

namespace rcclx::runtime {

// Diagnostics and a path; 255 short blobs beside it fit in one message.
static constexpr size_t maxBlob = 16u << 10;

std::string Report::encode(uint32_t rank) const {
  if (status.isOk())
    return "+" + value.substr(0, maxBlob);
  // Only one rank's long text travels: the others' are cut.
  size_t limit = rank == compilingRank ? maxBlob : 200;
  return fmt::format("-{} {}", int(status.code()),
                     std::string_view(status.message()).substr(0, limit));
}

Report Report::decode(std::string_view text) {
  Report report;
  if (text.starts_with('+')) {
    report.value = text.substr(1);
    return report;
  }
  int code = 0;
  size_t space = text.find(' ');
  if (text.starts_with('-') && space != std::string_view::npos)
    std::from_chars(text.data() + 1, text.data() + space, code);
  if (code <= 0 || code > int(Code::Internal))
    report.status = makeError(Code::Remote, "a malformed report");
  else
    report.status = Status(Code(code), std::string(text.substr(space + 1)));
  return report;
}

Expected<std::vector<Report>> decodeAll(const std::vector<std::string> &blobs,
                                        const Report &own, uint32_t rank) {
  RCCLX_RETURN_IF_ERROR(own.status);
  std::vector<Report> reports;
  for (uint32_t r = 0; r != blobs.size(); ++r) {
    reports.push_back(Report::decode(blobs[r]));
    if (!reports.back().status.isOk() && r != rank)
      return reports.back().status.annotate(fmt::format("rank {}", r));
  }
  return reports;
}

} // namespace rcclx::runtime
