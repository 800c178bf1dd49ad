//===- CommandTest.cpp - What the rcclx command says of itself ------------===//
//
// Part of rcclx. Environment, version, help and the errors of the parser.
//
//===----------------------------------------------------------------------===//
#include "Process.h"

#include "rcclx/Runtime/Options.h"
#include "rcclx/rcclx.h"

#include <nlohmann/json.hpp>

using namespace rcclx::testing;
using namespace rcclx::runtime;
using rcclx::runtime::testing::Scratch;
using rcclx::runtime::testing::writeFile;

namespace {

struct Outcome {
  int status;
  std::string output, errors;
};

Outcome run(std::vector<std::string> arguments,
            std::vector<std::string> environment = {}) {
  Process process(std::move(arguments), std::move(environment));
  int status = process.wait();
  return {status, process.output(), process.errors()};
}

size_t countOf(const std::string &text, const std::string &word) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at)
    ++count;
  return count;
}

TEST(EnvCommandTest, showsEveryVariable) {
  Outcome table = run({"env"}, {"RCCLX_TIMEOUT_MS=4321"});
  EXPECT_EQ(table.status, 0) << table.errors;
  EXPECT_EQ(table.errors, "");
  nlohmann::json rows = nlohmann::json::parse(
      run({"env", "--json"}, {"RCCLX_TIMEOUT_MS=4321"}).output);
  ASSERT_EQ(rows.size(), optionDocs().size());
  for (size_t i = 0; i != rows.size(); ++i) {
    const OptionDoc &doc = optionDocs()[i];
    EXPECT_EQ(rows[i]["name"], doc.variable);
    EXPECT_EQ(rows[i]["default"], doc.defaultValue);
    EXPECT_EQ(rows[i]["meaning"], doc.documentation);
    EXPECT_FALSE(rows[i]["type"].get<std::string>().empty());
    bool isSet = doc.variable == std::string("RCCLX_TIMEOUT_MS");
    EXPECT_EQ(rows[i]["source"], isSet ? "environment" : "default");
    std::string value = isSet ? "4321" : doc.defaultValue;
    EXPECT_EQ(rows[i]["value"], value);
    EXPECT_EQ(
        countOf(table.output, fmt::format("{}={}  ({})\n", doc.variable, value,
                                          isSet ? "set" : "default")),
        1u)
        << table.output;
  }
}

TEST(EnvCommandTest, documentationDependsOnNoValue) {
  Outcome plain = run({"env", "--markdown"});
  EXPECT_EQ(plain.status, 0);
  EXPECT_EQ(
      run({"env", "--markdown"}, {"RCCLX_TIMEOUT_MS=5", "RCCLX_LOG=nonsense"})
          .output,
      plain.output);
}

TEST(EnvCommandTest, whatIsRefusedIsShownAndSaid) {
  for (const char *setting :
       {"RCCLX_TIMEOUT_MS=0", "RCCLX_TIMEOUT_MS=86400001",
        "RCCLX_TIMEOUT_MS=-1", "RCCLX_TIMEOUT_MS=", "RCCLX_LOG=Debug"}) {
    std::string name(setting, std::string_view(setting).find('='));
    for (const char *format : {"env", "run"}) {
      // A command that needs the settings says the same.
      Outcome outcome = format == std::string("env")
                            ? run({"env"}, {setting})
                            : run({"run", "/dev/null"}, {setting});
      EXPECT_EQ(outcome.status, 2);
      EXPECT_TRUE(outcome.errors.starts_with("rcclx: error: " + name + "=\""))
          << outcome.errors;
    }
    EXPECT_NE(run({"env"}, {setting})
                  .output.find(std::string(setting) + "  (refused)"),
              std::string::npos);
  }
  Outcome json = run({"env", "--json"}, {"RCCLX_LOG=\xff"});
  EXPECT_EQ(json.status, 2);
  EXPECT_EQ(countOf(json.output, "\"error\": "), 1u) << json.output;
}

TEST(EnvCommandTest, unknownNamesAreWarnedOfOnce) {
  Scratch scratch;
  writeFile(scratch / "good.mlir", "fixture\n");
  std::vector<std::string> environment = {
      "RCCLX_COMPILER_LIBRARY=" RCCLX_FAKE_COMPILER,
      "RCCLX_CACHE_DIR=" + (scratch / "cache"), "RCCLX_TIMEOUT=5"};
  for (const std::vector<std::string> &arguments :
       {std::vector<std::string>{"env"},
        {"run", scratch / "good.mlir", "--ranks", "3", "--count", "9"},
        {"run", scratch / "good.mlir", "--ranks", "3", "--count", "9",
         "--procs", "--timeout-ms", "20000"}}) {
    Outcome outcome = run(arguments, environment);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(countOf(outcome.errors, "RCCLX_TIMEOUT ignored; did you mean "
                                      "RCCLX_TIMEOUT_MS?"),
              1u)
        << outcome.errors;
  }
}

TEST(VersionTest, saysWhatTheCompilerIs) {
  std::string version =
      fmt::format("rcclx {}.{}.{} (revision ", RCCLX_VERSION_MAJOR,
                  RCCLX_VERSION_MINOR, RCCLX_VERSION_PATCH);
  Outcome absent =
      run({"--version"}, {"RCCLX_COMPILER_LIBRARY=/dev/null/none"});
  EXPECT_EQ(absent.status, 0);
  EXPECT_TRUE(absent.output.starts_with(version)) << absent.output;
  EXPECT_TRUE(absent.output.ends_with("compiler: not installed\n"))
      << absent.output;
  Outcome fake =
      run({"--version"}, {"RCCLX_COMPILER_LIBRARY=" RCCLX_FAKE_COMPILER});
  EXPECT_NE(fake.output.find("compiler: " RCCLX_FAKE_COMPILER ", "),
            std::string::npos)
      << fake.output;
  EXPECT_EQ(fake.errors, "");
}

TEST(HelpTest, groupsTheCommands) {
  Outcome help = run({"--help"});
  EXPECT_EQ(help.status, 0);
  size_t schedules = help.output.find("\nSchedules and plans:\n");
  size_t installation = help.output.find("\nThis installation:\n");
  ASSERT_NE(installation, std::string::npos) << help.output;
  EXPECT_LT(schedules, help.output.find("\n  run "));
  EXPECT_LT(help.output.find("\n  compile "), installation);
  EXPECT_GT(help.output.find("\n  env "), installation);
  EXPECT_EQ(help.output.find("\n  rank"), std::string::npos);
}

TEST(HelpTest, unknownCommandsGiveTheList) {
  Outcome unknown = run({"rum"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.output, "");
  for (const char *command : {"\"rum\"", "run", "verify", "compile", "env"})
    EXPECT_NE(unknown.errors.find(command), std::string::npos)
        << unknown.errors;
  EXPECT_EQ(unknown.errors.find("rank"), std::string::npos);
}

} // namespace
