//===- Completion.cpp - Scripts for shells --------------------------------===//
//
// Part of rcclx. All that varies is data: names of options and choices hold
// letters, digits, dashes, dots and underscores; help texts are quoted.
//
//===----------------------------------------------------------------------===//
#include "Completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rcclx::tool {

static std::string join(const std::vector<std::string> &words,
                        std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

static std::string replaceAll(std::string text, std::string_view from,
                              std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

static std::vector<std::string> optionNames(const CommandModel &command) {
  std::vector<std::string> names;
  for (const OptionModel &option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

static std::vector<std::string>
commandNames(const std::vector<CommandModel> &models) {
  std::vector<std::string> names;
  for (size_t i = 1; i != models.size(); ++i)
    names.push_back(models[i].name);
  return names;
}

//===----------------------------------------------------------------------===//
// bash
//===----------------------------------------------------------------------===//

static std::string bashValue(const ValueModel &value) {
  switch (value.kind) {
  case ValueKind::Choice:
    return fmt::format("_rcclx_words '{}'", join(value.choices, " "));
  case ValueKind::List:
    return fmt::format("_rcclx_list '{}'", join(value.choices, " "));
  case ValueKind::Schedule:
    return "_rcclx_files mlir";
  case ValueKind::Directory:
    return "_rcclx_files";
  case ValueKind::Any:
  case ValueKind::None:
    break;
  }
  return ":";
}

static std::string bashCommand(const CommandModel &command) {
  std::string text = "    case $previous in\n";
  for (const OptionModel &option : command.options)
    if (option.value.kind != ValueKind::None)
      text += fmt::format("    {}) {}; return ;;\n", join(option.names, "|"),
                          bashValue(option.value));
  text += fmt::format("    esac\n"
                      "    case $current in\n"
                      "    -*) _rcclx_words '{}' ;;\n",
                      join(optionNames(command), " "));
  if (!command.arguments.empty())
    text += fmt::format("    *) {} ;;\n", bashValue(command.arguments[0]));
  return text + "    esac\n";
}

std::string bashCompletion(const std::vector<CommandModel> &models) {
  std::string text =
      R"(# Completion of rcclx for bash: source <(rcclx completion bash)
_rcclx_words() { COMPREPLY=($(compgen -W "$1" -- "$current")); }
_rcclx_list() {
  local before=
  [[ $current == *,* ]] && before=${current%,*},
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "${current##*,}"))
}
_rcclx_files() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -d -- "$current"))
  [[ -z ${1-} ]] || COMPREPLY+=($(compgen -f -X "!*.$1" -- "$current"))
}
_rcclx() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command= i
  # bash takes --option=value apart.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }
  done
  COMPREPLY=()
  case $command in
)";
  text += fmt::format("  '') _rcclx_words '{} {}' ;;\n",
                      join(commandNames(models), " "),
                      join(optionNames(models[0]), " "));
  for (size_t i = 1; i != models.size(); ++i)
    text += fmt::format("  {})\n{}    ;;\n", models[i].name,
                        bashCommand(models[i]));
  return text + "  esac\n}\ncomplete -F _rcclx rcclx\n";
}

//===----------------------------------------------------------------------===//
// zsh
//===----------------------------------------------------------------------===//

/// Within '...' and, for _arguments, within [...].
static std::string zshText(const std::string &text) {
  std::string escaped = replaceAll(text, "\\", "\\\\");
  for (std::string_view special : {"[", "]", ":"})
    escaped = replaceAll(escaped, special, "\\" + std::string(special));
  return replaceAll(escaped, "'", "'\\''");
}

static std::string zshValue(const ValueModel &value) {
  switch (value.kind) {
  case ValueKind::None:
    return "";
  case ValueKind::Choice:
    return fmt::format(":value:({})", join(value.choices, " "));
  case ValueKind::List:
    return fmt::format(":value:_values -s , value {}",
                       join(value.choices, " "));
  case ValueKind::Schedule:
    return ":schedule:_files -g \"*.mlir(-.)\"";
  case ValueKind::Directory:
    return ":directory:_files -/";
  case ValueKind::Any:
    break;
  }
  return ":value: ";
}

static std::string zshArguments(const CommandModel &command) {
  std::string text;
  for (const OptionModel &option : command.options)
    for (const std::string &name : option.names)
      text += fmt::format(" \\\n        '{}[{}]{}'", name, zshText(option.help),
                          zshValue(option.value));
  if (!command.arguments.empty())
    text += fmt::format(" \\\n        '*{}'", zshValue(command.arguments[0]));
  return text;
}

std::string zshCompletion(const std::vector<CommandModel> &models) {
  std::string text =
      "#compdef rcclx\n"
      "# Completion of rcclx for zsh: rcclx completion zsh >DIR/_rcclx, where "
      "DIR is in $fpath\n"
      "_rcclx() {\n"
      "  local context state line\n"
      "  typeset -A opt_args\n"
      "  local -a commands=(\n";
  for (size_t i = 1; i != models.size(); ++i)
    text +=
        fmt::format("    '{}:{}'\n", models[i].name, zshText(models[i].help));
  text += "  )\n"
          "  _arguments -C";
  for (const OptionModel &option : models[0].options)
    for (const std::string &name : option.names)
      text += fmt::format(" '{}[{}]'", name, zshText(option.help));
  text += " '1: :->command' '*:: :->argument'\n"
          "  case $state in\n"
          "  command) _describe command commands ;;\n"
          "  argument)\n"
          "    case $line[1] in\n";
  for (size_t i = 1; i != models.size(); ++i)
    text += fmt::format("    {})\n      _arguments{}\n      ;;\n",
                        models[i].name, zshArguments(models[i]));
  return text + "    esac ;;\n"
                "  esac\n"
                "}\n"
                "if [[ $funcstack[1] == _rcclx ]]; then _rcclx \"$@\"; else "
                "compdef _rcclx rcclx; fi\n";
}

//===----------------------------------------------------------------------===//
// fish
//===----------------------------------------------------------------------===//

static std::string fishText(const std::string &text) {
  return replaceAll(replaceAll(text, "\\", "\\\\"), "'", "\\'");
}

static std::string fishValue(const ValueModel &value) {
  switch (value.kind) {
  case ValueKind::None:
    return "";
  case ValueKind::Choice:
    return fmt::format(" -x -a '{}'", join(value.choices, " "));
  case ValueKind::List:
    // What stands before the last comma stays.
    return fmt::format(
        " -x -a '(set -l before (commandline -ct | string match -r \"^.*,\"); "
        "for name in {}; echo $before$name; end)'",
        join(value.choices, " "));
  case ValueKind::Schedule:
    return " -x -a '(__fish_complete_suffix .mlir)'";
  case ValueKind::Directory:
    return " -x -a '(__fish_complete_directories)'";
  case ValueKind::Any:
    break;
  }
  return " -x";
}

static std::string fishOption(const OptionModel &option,
                              std::string_view condition) {
  std::string text = fmt::format("complete -c rcclx -n '{}'", condition);
  for (const std::string &name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2)
                                   : " -s " + name.substr(1);
  return text + fishValue(option.value) +
         fmt::format(" -d '{}'\n", fishText(option.help));
}

std::string fishCompletion(const std::vector<CommandModel> &models) {
  std::string text = "# Completion of rcclx for fish: rcclx completion fish "
                     ">~/.config/fish/completions/rcclx.fish\n"
                     "complete -c rcclx -f\n";
  for (const OptionModel &option : models[0].options)
    text += fishOption(option, "__fish_use_subcommand");
  for (size_t i = 1; i != models.size(); ++i) {
    const CommandModel &command = models[i];
    text += fmt::format("complete -c rcclx -n __fish_use_subcommand -a {} -d "
                        "'{}'\n",
                        command.name, fishText(command.help));
    std::string condition = "__fish_seen_subcommand_from " + command.name;
    for (const OptionModel &option : command.options)
      text += fishOption(option, condition);
    for (const ValueModel &argument : command.arguments)
      text += fmt::format("complete -c rcclx -n '{}'{}\n", condition,
                          fishValue(argument));
  }
  return text;
}

} // namespace rcclx::tool
