//===- CompletionCommand.cpp - rcclx completion ---------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "Commands.h"
#include "Completion.h"

#include <cstdio>

namespace rcclx::tool {

static constexpr std::string_view shells[] = {"bash", "zsh", "fish"};

static const char *const description =
    "Prints a script that lets a shell complete commands, options, their "
    "values "
    "and files.";

static const char *const examples =
    "Examples:\n"
    "  source <(rcclx completion bash)          in ~/.bashrc\n"
    "  rcclx completion zsh >DIR/_rcclx         where DIR is in $fpath\n"
    "  rcclx completion fish >~/.config/fish/completions/rcclx.fish\n\n";

static runtime::Status print(const CLI::App &app, const std::string &shell) {
  std::vector<CommandModel> models = commandModels(app);
  std::string script = shell == "bash"  ? bashCompletion(models)
                       : shell == "zsh" ? zshCompletion(models)
                                        : fishCompletion(models);
  fputs(script.c_str(), stdout);
  return flushOutput();
}

void addCompletionCommand(CLI::App &app, int &exitStatus) {
  auto shell = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand("completion", description);
  command->group(groupInstallation);
  command->footer(std::string(examples) + exitStatusHelp);
  addChoice(*command, "shell", *shell, shells, "The shell")->required();
  command->callback([shell, &app, &exitStatus] {
    runtime::Status status = print(app, *shell);
    exitStatus = status.isOk() ? exitOk : printError(status);
  });
}

} // namespace rcclx::tool
