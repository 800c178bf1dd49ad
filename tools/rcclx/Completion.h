//===- Completion.h - Scripts for shells ------------------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_COMPLETION_H
#define RCCLX_TOOLS_RCCLX_COMPLETION_H

#include "CommandModel.h"

namespace rcclx::tool {

/// The script that lets a shell complete the command line of `models`, which
/// has the program first.
std::string bashCompletion(const std::vector<CommandModel> &models);
std::string zshCompletion(const std::vector<CommandModel> &models);
std::string fishCompletion(const std::vector<CommandModel> &models);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_COMPLETION_H
