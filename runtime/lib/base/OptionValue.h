//===- OptionValue.h - Values of environment variables ----------*- C++ -*-===//
//
// Part of rcclx. For every type of the table: how it is parsed, printed and
// described.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_BASE_OPTIONVALUE_H
#define RCCLX_RUNTIME_BASE_OPTIONVALUE_H

#include "rcclx/Runtime/Options.h"

namespace rcclx::runtime {

/// InvalidArgument, naming variable, value and what is possible.
Status parseValue(const char *variable, std::string_view value,
                  std::string &out);
Status parseValue(const char *variable, std::string_view value,
                  Milliseconds &out);
Status parseValue(const char *variable, std::string_view value, LogLevel &out);

std::string printValue(const std::string &value);
std::string printValue(Milliseconds value);
std::string printValue(LogLevel value);

/// What is possible; empty: anything.
std::string possibleValues(const std::string &);
std::string possibleValues(Milliseconds);
std::string possibleValues(LogLevel);

/// The name for people of a type of the table.
const char *typeName(std::string_view type);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_BASE_OPTIONVALUE_H
