//===- BenchOptions.cpp - What `rcclx bench` is asked to do ---------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "BenchOptions.h"

#include <cctype>
#include <nlohmann/json.hpp>

namespace rcclx::tool {

using namespace runtime;

bool canBench(Contract contract) {
  return contract == Contract::AllReduce || contract == Contract::AllGather ||
         contract == Contract::ReduceScatter || contract == Contract::AllToAll;
}

/// The words of MLIR text, without comments.
static std::vector<std::string> wordsOf(const std::string &text) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0)
      i = std::min(text.find('\n', i), text.size());
    if (i < text.size() && (isalnum(text[i]) || text[i] == '_'))
      words.back() += text[i];
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

Expected<Contract> contractOf(const std::string &path,
                              const std::string &text) {
  std::vector<std::string> words = wordsOf(text);
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "implements")
      continue;
    if (auto contract = parseContract(words[i + 1]))
      return *contract;
    return makeError(Code::Schedule, "{}: error: unknown collective \"{}\"",
                     path, words[i + 1]);
  }
  return makeError(Code::Schedule,
                   "{}: error: no \"rcclx.collective ... implements\"", path);
}

std::string BenchOptions::toJson() const {
  nlohmann::json list = nlohmann::json::array();
  for (const BenchSchedule &schedule : schedules)
    list.push_back({{"path", schedule.path},
                    {"name", schedule.name},
                    // Bytes: a schedule need not be UTF-8.
                    {"text", std::vector<unsigned char>(schedule.text.begin(),
                                                        schedule.text.end())},
                    {"contract", int(schedule.contract)}});
  std::vector<int> contracts;
  for (Contract contract : collectives)
    contracts.push_back(int(contract));
  nlohmann::json json = {
      {"schedules", list},      {"collectives", contracts},
      {"sizes", sizes},         {"world", world},
      {"peers", peers},         {"warmups", warmups},
      {"sweeps", sweeps},       {"rounds", rounds},
      {"maxRounds", maxRounds}, {"milliseconds", milliseconds},
      {"array", arrayBytes},    {"pin", pin},
      {"samples", samples},     {"seed", seed},
      {"timeout", timeoutMs},   {"protocol", protocol},
      {"cache", cacheDir},      {"plans", plans}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Expected<BenchOptions> BenchOptions::fromJson(const std::string &text) {
  try {
    nlohmann::json json = nlohmann::json::parse(text);
    BenchOptions options;
    for (const nlohmann::json &schedule : json.at("schedules")) {
      std::vector<unsigned char> bytes = schedule.at("text");
      options.schedules.push_back({schedule.at("path"), schedule.at("name"),
                                   std::string(bytes.begin(), bytes.end()),
                                   Contract(int(schedule.at("contract")))});
    }
    for (int contract : json.at("collectives"))
      options.collectives.push_back(Contract(contract));
    options.sizes = json.at("sizes").get<std::vector<uint64_t>>();
    options.world = json.at("world");
    options.peers = json.at("peers").get<std::vector<std::string>>();
    options.warmups = json.at("warmups");
    options.sweeps = json.at("sweeps");
    options.rounds = json.at("rounds");
    options.maxRounds = json.at("maxRounds");
    options.milliseconds = json.at("milliseconds");
    options.arrayBytes = json.at("array");
    options.pin = json.at("pin");
    options.samples = json.at("samples");
    options.seed = json.at("seed");
    options.timeoutMs = json.at("timeout");
    options.protocol = json.at("protocol");
    options.cacheDir = json.at("cache");
    options.plans = json.at("plans");
    return options;
  } catch (const nlohmann::json::exception &) {
    return makeError(Code::Internal, "a rank's job is incomplete");
  }
}

} // namespace rcclx::tool
