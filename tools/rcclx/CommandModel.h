//===- CommandModel.h - What the command line can say -----------*- C++ -*-===//
//
// Part of rcclx. Read off the parser, which is the one definition of commands
// and options; shells complete by it.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_COMMANDMODEL_H
#define RCCLX_TOOLS_RCCLX_COMMANDMODEL_H

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace rcclx::tool {

/// What a shell offers for a value.
enum class ValueKind {
  None,      // a flag has no value
  Any,       // a number, a name: nothing to offer
  Choice,    // one of `choices`
  List,      // several of `choices`, with commas between
  Schedule,  // a .mlir file
  Directory, // a plan, a cache
};

struct ValueModel {
  ValueKind kind = ValueKind::None;
  std::vector<std::string> choices;
};

struct OptionModel {
  std::vector<std::string> names; // "-o", "--output"
  std::string help;
  ValueModel value;
};

struct CommandModel {
  std::string name;
  std::string help; // its first sentence
  std::vector<OptionModel> options;
  std::vector<ValueModel> arguments; // that are no options
};

/// The program itself first, then its commands; none that is hidden.
std::vector<CommandModel> commandModels(const CLI::App &app);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_COMMANDMODEL_H
