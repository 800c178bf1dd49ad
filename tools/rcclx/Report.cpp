//===- Report.cpp - What `rcclx run` prints -------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Report.h"

#include "bench/Statistics.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rcclx::tool {

using namespace runtime;

namespace {
/// Latency is that of the slowest rank; bandwidths are in bytes per second, by
/// the convention of nccl-tests.
struct Speed {
  uint64_t latencyNs = 0;
  double algorithm = 0;
  double bus = 0;
};
} // namespace

static Speed speedOf(const RunOptions &options,
                     const std::vector<RankResult> &results) {
  Speed speed;
  for (const RankResult &result : results)
    speed.latencyNs = std::max(speed.latencyNs, result.medianNs);
  auto contract = parseContract(results[0].contract);
  if (!contract || speed.latencyNs == 0)
    return speed;
  double world = options.ranks;
  double bytes = double(options.count) * elementBytes(options.element) *
                 std::max(inputBlocks(*contract, options.ranks),
                          outputBlocks(*contract, options.ranks));
  speed.algorithm = bytes / (double(speed.latencyNs) * 1e-9);
  speed.bus = speed.algorithm * busFactor(*contract, options.ranks);
  return speed;
}

/// A barrier has no count, type, op or buffers, whatever the options say.
static bool hasData(const RankResult &result) {
  return result.contract != name(Contract::Barrier);
}

static std::string bandwidthText(double bytesPerSecond) {
  return bytesPerSecond >= 1e9
             ? fmt::format("{:.2f} GB/s", bytesPerSecond * 1e-9)
             : fmt::format("{:.2f} MB/s", bytesPerSecond * 1e-6);
}

static std::string compileText(const RunOptions &options,
                               const RankResult &first) {
  double prepare = double(first.prepareNs) * 1e-6;
  if (!options.plan.empty())
    return fmt::format("ahead of time; prepared in {:.1f} ms", prepare);
  if (first.cached)
    return fmt::format("cached; prepared in {:.1f} ms", prepare);
  std::string text;
  for (const CompileStage &stage : first.compile)
    text += fmt::format("{} {:.1f}, ", stage.stage,
                        double(stage.microseconds) * 1e-3);
  return fmt::format("{}prepared in {:.1f} ms", text, prepare);
}

static std::string checkedText(const RunOptions &options,
                               const std::vector<RankResult> &results) {
  const RankResult &first = results[0];
  if (!hasData(first))
    return "no rank left before all had entered";
  std::string text = "every element of every rank equals the proof's "
                     "arithmetic, bit for bit";
  if (first.referenceChecked) {
    double largest = 0;
    for (const RankResult &result : results)
      largest = std::max(largest, result.largestError);
    text +=
        largest > 0
            ? fmt::format("; independent reference: largest error {:.2f} of "
                          "what rounding explains",
                          largest)
            : "; equal to the independent reference";
  } else {
    text += "; no independent reference for this contract";
  }
  if (first.contract == "all_reduce")
    text += "; ranks identical";
  return text +
         (options.inPlace ? "; guards intact" : "; inputs and guards intact");
}

std::string reportTable(const RunOptions &options,
                        const std::vector<RankResult> &results,
                        const std::string &wrong) {
  const RankResult &first = results[0];
  std::string text =
      fmt::format("{}: {}, {} rank{} ({})", first.planName, first.contract,
                  options.ranks, options.ranks == 1 ? "" : "s",
                  !options.launcher.empty() ? "processes of " + options.launcher
                  : options.procs           ? "processes"
                                            : "threads");
  if (hasData(first))
    text += fmt::format(", {} x {}, {}, {}", options.count,
                        name(options.element), name(options.reduction),
                        options.inPlace ? "in place" : "out of place");
  if (auto contract = parseContract(first.contract);
      contract && hasRoot(*contract))
    text += fmt::format(", root {}", options.root);
  text += "\n";
  auto row = [&](const char *title, const std::string &value) {
    text += fmt::format("  {:<11}{}\n", title, value);
  };
  row("proved",
      fmt::format("{} rank{}, {} operations, {} messages, at least {} "
                  "slot{} ({:.1f} ms)",
                  first.proof.ranks, first.proof.ranks == 1 ? "" : "s",
                  first.proof.operations, first.proof.messages,
                  first.proof.leastSlots,
                  first.proof.leastSlots == 1 ? "" : "s",
                  double(first.proof.microseconds) * 1e-3));
  row("compiled", compileText(options, first));
  row("mapped", first.mapping);
  row("checked",
      wrong.empty() ? checkedText(options, results) : "WRONG: " + wrong);
  if (options.iterations == 0)
    return text;
  Speed speed = speedOf(options, results);
  row("latency",
      fmt::format("median {:.1f} us over {} calls",
                  double(speed.latencyNs) * 1e-3, options.iterations));
  if (speed.algorithm > 0)
    row("bandwidth",
        fmt::format("algorithm {}, bus {}", bandwidthText(speed.algorithm),
                    bandwidthText(speed.bus)));
  return text;
}

std::string reportJson(const RunOptions &options,
                       const std::vector<RankResult> &results,
                       const std::string &wrong) {
  const RankResult &first = results[0];
  Speed speed = speedOf(options, results);
  nlohmann::ordered_json stages;
  for (const CompileStage &stage : first.compile)
    stages[stage.stage] = stage.microseconds;
  nlohmann::ordered_json json = {
      {"plan", first.planName},
      {"contract", first.contract},
      {"ranks", options.ranks},
      {"processes", options.procs || !options.launcher.empty()}};
  if (hasData(first)) {
    json["count"] = options.count;
    json["type"] = name(options.element);
    json["op"] = name(options.reduction);
    json["in_place"] = options.inPlace;
    json["root"] = options.root;
  }
  json["mapping"] = first.mapping;
  json["proof"] = {{"operations", first.proof.operations},
                   {"messages", first.proof.messages},
                   {"least_slots", first.proof.leastSlots},
                   {"microseconds", first.proof.microseconds}};
  json["cached"] = first.cached;
  json["prepare_us"] = double(first.prepareNs) * 1e-3;
  json["compile_us"] = stages;
  json["correct"] = wrong.empty();
  json["reference_checked"] = first.referenceChecked;
  json["iterations"] = options.iterations;
  // null: not measured, or nothing to divide by.
  auto measured = [](bool known, double value) {
    return known ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  bool timed = options.iterations != 0;
  json["latency_us"] = measured(timed, double(speed.latencyNs) * 1e-3);
  json["algorithm_bytes_per_second"] =
      measured(timed && hasData(first), speed.algorithm);
  json["bus_bytes_per_second"] = measured(timed && hasData(first), speed.bus);
  if (!wrong.empty())
    json["wrong"] = wrong;
  return json.dump(2) + "\n";
}

} // namespace rcclx::tool
