//===- CommandModel.cpp - What the command line can say -------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "CommandModel.h"

#include "Arguments.h"

#include <algorithm>

namespace rcclx::tool {

static ValueModel valueModel(const CLI::Option &option) {
  ValueModel value;
  std::string type = option.get_type_name();
  bool isList = type.ends_with(typeListEnd);
  if (option.get_expected_max() == 0 || type.empty()) {
    value.kind = ValueKind::None;
  } else if (type.starts_with('{')) {
    size_t end = type.find('}');
    value.choices = splitList(type.substr(1, end - 1));
    value.kind = isList ? ValueKind::List : ValueKind::Choice;
  } else if (type == typeSchedule) {
    value.kind = ValueKind::Schedule;
  } else if (type == typeDirectory) {
    value.kind = ValueKind::Directory;
  } else {
    value.kind = ValueKind::Any;
  }
  return value;
}

static CommandModel commandModel(const CLI::App &app) {
  CommandModel model;
  model.name = app.get_name();
  model.help = app.get_description();
  std::replace(model.help.begin(), model.help.end(), '\n', ' ');
  // A colon announces the details, as a period ends the sentence.
  model.help = model.help.substr(0, model.help.find_first_of(".:"));
  for (const CLI::Option *option : app.get_options()) {
    if (!option->nonpositional()) {
      model.arguments.push_back(valueModel(*option));
      continue;
    }
    OptionModel entry;
    for (const std::string &name : option->get_snames())
      entry.names.push_back("-" + name);
    for (const std::string &name : option->get_lnames())
      entry.names.push_back("--" + name);
    entry.help = option->get_description();
    entry.value = valueModel(*option);
    model.options.push_back(std::move(entry));
  }
  return model;
}

std::vector<CommandModel> commandModels(const CLI::App &app) {
  std::vector<CommandModel> models = {commandModel(app)};
  for (const CLI::App *command : app.get_subcommands({}))
    if (!command->get_group().empty()) // hidden
      models.push_back(commandModel(*command));
  return models;
}

} // namespace rcclx::tool
