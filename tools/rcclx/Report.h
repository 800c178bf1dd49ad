//===- Report.h - What `rcclx run` prints -----------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_REPORT_H
#define RCCLX_TOOLS_RCCLX_REPORT_H

#include "RankRun.h"

namespace rcclx::tool {

/// The table for people, or the object for programs. `wrong` is empty when all
/// checks passed. Both end with a newline.
std::string reportTable(const RunOptions &options,
                        const std::vector<RankResult> &results,
                        const std::string &wrong);
std::string reportJson(const RunOptions &options,
                       const std::vector<RankResult> &results,
                       const std::string &wrong);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_REPORT_H
