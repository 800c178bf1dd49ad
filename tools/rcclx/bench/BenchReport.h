//===- BenchReport.h - What `rcclx bench` prints ----------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_BENCH_BENCHREPORT_H
#define RCCLX_TOOLS_RCCLX_BENCH_BENCHREPORT_H

#include <nlohmann/json.hpp>
#include <string>

namespace rcclx::tool {

/// Collects what the jobs report, for the JSON file, and words it for people.
class BenchReport {
public:
  BenchReport(nlohmann::ordered_json machine, std::string launcher);

  /// What rank 0 of a job reported. Returns the text to print.
  std::string add(const std::string &line);
  /// The whole as one JSON object.
  std::string toJson() const;

private:
  std::string addJob(nlohmann::ordered_json job);
  std::string addPoint(const nlohmann::ordered_json &point);

  nlohmann::ordered_json whole;
  std::string table; // the collective whose rows are being printed
};

/// How many times as fast as the fastest peer rcclx was at a point; 0: no peer.
double timesBestPeer(const nlohmann::ordered_json &point);

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_BENCH_BENCHREPORT_H
