//===- BenchReport.cpp - What `rcclx bench` prints ------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "BenchReport.h"

#include "Machine.h"
#include "Sizes.h"

#include <algorithm>
#include <fmt/format.h>

namespace rcclx::tool {

using Json = nlohmann::ordered_json;

BenchReport::BenchReport(Json machine, std::string launcher) {
  whole = {
      {"format", 1},
      {"machine", std::move(machine)},
      {"launcher", std::move(launcher)},
      {"element", "f32"},
      {"reduction", "sum"},
      {"bytes", "of the larger side of one rank, as nccl-tests count"},
      {"time", "from when the first rank leaves a barrier of the harness until "
               "the last rank has its result; calls of "
               "one point alternate in the same processes"},
      {"state", "plain malloc memory; before each call every rank has written "
                "its input, then its output"},
      {"jobs", Json::array()}};
}

double timesBestPeer(const Json &point) {
  double own = 0, peer = 0;
  for (const Json &result : point["results"]) {
    const std::string library = result["library"];
    double median = result["us"]["median"];
    if (library == "rcclx")
      own = median;
    else if (library != "copy")
      peer = peer == 0 ? median : std::min(peer, median);
  }
  return own == 0 ? 0 : peer / own;
}

std::string BenchReport::addJob(Json job) {
  std::string text =
      fmt::format("\n{} processes; pinning: {}; process_vm_readv {}\n",
                  job["ranks"].get<int>(), job["pinning"].get<std::string>(),
                  job["process_vm_readv"].get<std::string>());
  for (const auto &[name, description] : job["libraries"].items())
    text += fmt::format("  {:<8} {}\n", name, description.get<std::string>());
  const Json &memory = job["memory_gbs"];
  text +=
      fmt::format("  memory of all ranks, GB/s: copy {:.1f}, triad {:.1f}, "
                  "copy from shared {:.1f}, process_vm_readv {:.1f}\n",
                  memory["copy"].get<double>(), memory["triad"].get<double>(),
                  memory["shared_copy"].get<double>(),
                  memory["process_vm_readv"].get<double>());
  job["points"] = Json::array();
  whole["jobs"].push_back(std::move(job));
  table.clear();
  return text;
}

std::string BenchReport::addPoint(const Json &point) {
  std::string text;
  const std::string collective = point["collective"];
  if (collective != table) {
    table = collective;
    text +=
        fmt::format("{}, {} processes: median us, (p10..p90)\n{:>6} {:>6}",
                    collective, point["ranks"].get<int>(), "bytes", "rounds");
    for (const Json &result : point["results"])
      text += fmt::format("  {:<41}", result["library"].get<std::string>());
    text += fmt::format("  {:>9}  {}\n", "bus GB/s", "x best peer");
  }
  text += fmt::format("{:>6} {:>6}", sizeText(point["bytes"].get<uint64_t>()),
                      point["rounds"].get<uint64_t>());
  double bus = 0;
  for (const Json &result : point["results"]) {
    const Json &us = result["us"];
    std::string spread = fmt::format(
        "({:.1f}..{:.1f})", us["p10"].get<double>(), us["p90"].get<double>());
    text +=
        fmt::format("  {:>9.1f} {:<18} {:<12.12}", us["median"].get<double>(),
                    spread, result["variant"].get<std::string>());
    if (result["library"] == "rcclx")
      bus = result["bus_gbs"];
  }
  double times = timesBestPeer(point);
  text += fmt::format("  {:>9.2f}  {}\n", bus,
                      times == 0 ? "-" : fmt::format("{:.2f}", times));
  whole["jobs"].back()["points"].push_back(point);
  return text;
}

std::string BenchReport::add(const std::string &line) {
  // Rank 0 is this program: the line is whole.
  Json json = Json::parse(line);
  return json.contains("collective") ? addPoint(json) : addJob(std::move(json));
}

std::string BenchReport::toJson() const { return whole.dump(1) + "\n"; }

} // namespace rcclx::tool
