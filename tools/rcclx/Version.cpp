//===- Version.cpp - rcclx --version --------------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Commands.h"
#include "Revision.h"

#include "rcclx/Runtime/CompilerLibrary.h"
#include "rcclx/rcclx.h"

using namespace rcclx::runtime;

std::string rcclx::tool::versionText() {
  std::string text =
      fmt::format("rcclx {}.{}.{} (revision {})\n", RCCLX_VERSION_MAJOR,
                  RCCLX_VERSION_MINOR, RCCLX_VERSION_PATCH, RCCLX_REVISION);
  Expected<const Options *> options = processOptions();
  if (!options)
    return text + "compiler: " + options.status().message();
  CompilerLibrary compiler = CompilerLibrary::find(**options);
  if (compiler.absent())
    return text + "compiler: not installed";
  Expected<std::string> version = compiler.version();
  return text +
         "compiler: " + (version ? *version : version.status().message());
}
