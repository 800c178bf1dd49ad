//===- RankBench.cpp - One rank of `rcclx bench` --------------------------===//
//
// Part of rcclx. All decisions follow from times that all ranks know, so that
// the ranks agree on them.
//
//===----------------------------------------------------------------------===//
#include "RankBench.h"

#include "Bandwidth.h"
#include "Clock.h"
#include "Library.h"
#include "Sizes.h"
#include "Statistics.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <unistd.h>

namespace rcclx::tool {

using namespace runtime;

namespace {
/// What one variant of one library did at one point.
struct Candidate {
  Library *library;
  std::string variant;
  std::unique_ptr<Operation> operation;
  bool checked = true; // its output is the collective's
  std::vector<uint64_t> sweep = {};
  std::vector<uint64_t> times = {}; // of measured rounds
};

struct Free {
  void operator()(float *memory) const { free(memory); }
};
using Buffer = std::unique_ptr<float, Free>;

/// One collective at one size.
class Point {
public:
  Point(const BenchOptions &options, Meeting &meeting, CallShape shape)
      : options(options), meeting(meeting), shape(shape) {}

  Status measure(const std::vector<std::unique_ptr<Library>> &libraries);
  std::string toJson() const;

private:
  Status allocate();
  Status open(Library &library);
  /// One round of all `candidates`, each with the same fresh data; starts with
  /// another one each time.
  Status round(std::vector<uint64_t> Candidate::*times);
  Expected<uint64_t> timedCall(Candidate &candidate, uint64_t seed);
  Status check(const Candidate &candidate) const;
  /// Keeps those that are at most `factor` times as slow as the fastest of
  /// their library, by `figure` of the sweep; of equals by factor 1 the first.
  void keep(double factor, double Summary::*figure);

  const BenchOptions &options;
  Meeting &meeting;
  const CallShape shape;
  Buffer input, output, expected;
  std::vector<Candidate> candidates;
  /// What decided about all variants: a least time, or a median.
  nlohmann::ordered_json tried = nlohmann::ordered_json::object();
  uint64_t rounds = 0; // measured
  uint64_t roundsSoFar = 0;
};
} // namespace

/// Sums of times, beyond which the rounds before the
/// measured ones end early: large sizes vary little.
static constexpr uint64_t enoughNs = 1'500'000'000;

static std::string title(const CallShape &shape, const Candidate &candidate) {
  return fmt::format("{} of {} bytes by {} ({})", name(shape.contract),
                     shape.bytes(), candidate.library->name(),
                     candidate.variant);
}

Status Point::allocate() {
  // At least one element: malloc(0) may be null.
  auto make = [](uint64_t elements) {
    return Buffer(static_cast<float *>(
        malloc(std::max<uint64_t>(elements, 1) * sizeof(float))));
  };
  input = make(shape.inputElements());
  output = make(shape.outputElements());
  expected = make(shape.outputElements());
  if (input && output && expected)
    return Status();
  return makeError(Code::System, "out of memory for buffers of {} bytes",
                   shape.bytes());
}

Status Point::open(Library &library) {
  for (std::string &variant : library.variants(shape)) {
    Candidate candidate = {&library, variant, nullptr};
    candidate.checked = library.name() != "copy";
    meeting.setActivity("opens " + title(shape, candidate));
    RCCLX_ASSIGN_OR_RETURN(
        candidate.operation,
        library.open(variant, {shape, input.get(), output.get()}));
    candidates.push_back(std::move(candidate));
  }
  return Status();
}

Status Point::check(const Candidate &candidate) const {
  uint64_t elements = shape.outputElements();
  if (memcmp(output.get(), expected.get(), elements * sizeof(float)) == 0)
    return Status();
  uint64_t wrong = 0;
  while (memcmp(&output.get()[wrong], &expected.get()[wrong], sizeof(float)) ==
         0)
    ++wrong;
  return makeError(Code::Remote,
                   "wrong result: {}: rank {}, element {} of {} is {}, "
                   "expected {}",
                   title(shape, candidate), meeting.rank(), wrong, elements,
                   output.get()[wrong], expected.get()[wrong]);
}

Expected<uint64_t> Point::timedCall(Candidate &candidate, uint64_t seed) {
  // Every candidate finds the same state: input and output just written by
  // their own rank.
  fillInput(seed, meeting.rank(), input.get(), shape.inputElements());
  memset(output.get(), 0xA7, shape.outputElements() * sizeof(float));
  meeting.setActivity(title(shape, candidate));
  RCCLX_RETURN_IF_ERROR(meeting.barrier());
  uint64_t start = nowNs();
  Status status = candidate.operation->run();
  uint64_t end = nowNs();
  RCCLX_RETURN_IF_ERROR(status.annotate(title(shape, candidate)));
  if (candidate.checked)
    RCCLX_RETURN_IF_ERROR(check(candidate));
  return meeting.span(start, end);
}

Status Point::round(std::vector<uint64_t> Candidate::*times) {
  // Fresh data each time, and another candidate first.
  uint64_t number = roundsSoFar++;
  uint64_t seed = options.seed + number;
  fillExpected(shape, seed, meeting.rank(), expected.get());
  for (size_t i = 0; i != candidates.size(); ++i) {
    Candidate &candidate = candidates[(i + number) % candidates.size()];
    RCCLX_ASSIGN_OR_RETURN(uint64_t time, timedCall(candidate, seed));
    (candidate.*times).push_back(time);
  }
  return Status();
}

void Point::keep(double factor, double Summary::*figure) {
  std::vector<double> times;
  for (const Candidate &candidate : candidates) {
    times.push_back(summarize(candidate.sweep).*figure);
    tried[candidate.library->name()][candidate.variant] = times.back() * 1e-3;
  }
  // What goes is closed when its vector is: on all ranks in the same order.
  std::vector<Candidate> kept;
  for (size_t i = 0; i != candidates.size(); ++i) {
    bool stays = true;
    for (size_t j = 0; j != candidates.size(); ++j)
      if (candidates[j].library == candidates[i].library)
        stays &= factor > 1
                     ? times[i] <= factor * times[j]
                     : times[i] < times[j] || (times[i] == times[j] && i <= j);
    if (stays)
      kept.push_back(std::move(candidates[i]));
  }
  candidates = std::move(kept);
}

Status Point::measure(const std::vector<std::unique_ptr<Library>> &libraries) {
  RCCLX_RETURN_IF_ERROR(allocate());
  for (const std::unique_ptr<Library> &library : libraries)
    RCCLX_RETURN_IF_ERROR(open(*library));

  auto spent = [&] {
    uint64_t sum = 0;
    for (const Candidate &candidate : candidates)
      for (uint64_t time : candidate.sweep)
        sum += time;
    return sum;
  };
  for (uint32_t i = 0; i != options.warmups && spent() < enoughNs; ++i)
    RCCLX_RETURN_IF_ERROR(round(&Candidate::sweep));
  if (options.warmups != 0)
    keep(3, &Summary::least); // first calls may be slow
  for (Candidate &candidate : candidates)
    candidate.sweep.clear();
  for (uint32_t i = 0; i < std::max(options.sweeps, 1u) && spent() < enoughNs;
       ++i)
    RCCLX_RETURN_IF_ERROR(round(&Candidate::sweep));
  keep(1, &Summary::median);

  uint64_t start = nowNs();
  // Rank 0's clock decides for all.
  for (uint64_t enough = 0; !enough; ++rounds) {
    RCCLX_RETURN_IF_ERROR(round(&Candidate::times));
    uint64_t done = rounds + 1;
    if (meeting.rank() == 0 && done >= options.rounds)
      enough = nowNs() - start > options.milliseconds * 1'000'000 ||
               done >= options.maxRounds;
    RCCLX_ASSIGN_OR_RETURN(enough, meeting.largest(enough));
  }
  // Closing is collective: in one order.
  for (Candidate &candidate : candidates)
    candidate.operation.reset();
  return meeting.barrier();
}

std::string Point::toJson() const {
  nlohmann::ordered_json libraries = nlohmann::ordered_json::array();
  const auto bytes = double(shape.bytes());
  for (const Candidate &candidate : candidates) {
    Summary summary = summarize(candidate.times);
    double speed = bytes / summary.median; // bytes per ns are GB/s
    nlohmann::ordered_json entry = {
        {"library", candidate.library->name()},
        {"variant", candidate.variant},
        // A second entry, "registered", is for memory that a library gave.
        {"memory", "malloc"},
        {"us",
         {{"median", summary.median * 1e-3},
          {"p10", summary.p10 * 1e-3},
          {"p90", summary.p90 * 1e-3},
          {"min", summary.least * 1e-3}}},
        {"algorithm_gbs", speed},
        {"bus_gbs", speed * busFactor(shape.contract, shape.world)},
        {"tried_us", tried.value(candidate.library->name(),
                                 nlohmann::ordered_json::object())}};
    if (options.samples) {
      entry["samples_us"] = nlohmann::ordered_json::array();
      for (uint64_t time : candidate.times)
        entry["samples_us"].push_back(double(time) * 1e-3);
    }
    libraries.push_back(std::move(entry));
  }
  nlohmann::ordered_json json = {{"collective", name(shape.contract)},
                                 {"ranks", shape.world},
                                 {"bytes", shape.bytes()},
                                 {"count", shape.count},
                                 {"rounds", rounds},
                                 {"results", std::move(libraries)}};
  return json.dump();
}

/// Binds the process to one of the processors that it may use.
static Status pinTo(uint32_t rank) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return systemError(errno, "the processors of a rank");
  uint32_t index = rank % uint32_t(CPU_COUNT(&allowed));
  for (int cpu = 0; cpu != CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed) && index-- == 0) {
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      if (sched_setaffinity(0, sizeof(one), &one) != 0)
        return systemError(errno, fmt::format("pinning to processor {}", cpu));
      return Status();
    }
  return Status();
}

static std::string
describeJob(const BenchOptions &options, const Bandwidth &bandwidth,
            const std::vector<std::unique_ptr<Library>> &libraries) {
  nlohmann::ordered_json json = {
      {"ranks", options.world},
      {"pinning",
       options.pin ? "rank r on the r-th allowed processor" : "none"},
      {"process_vm_readv", bandwidth.refusal.empty()
                               ? "permitted"
                               : "refused: " + bandwidth.refusal},
      {"memory_gbs",
       {{"array_bytes", options.arrayBytes},
        {"copy", bandwidth.copy * 1e-9},
        {"triad", bandwidth.triad * 1e-9},
        {"shared_copy", bandwidth.shared * 1e-9},
        {"process_vm_readv", bandwidth.remote * 1e-9}}}};
  for (const std::unique_ptr<Library> &library : libraries)
    json["libraries"][library->name()] = library->describe();
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

[[noreturn]] static void giveUp(Meeting &meeting, const Status &status) {
  meeting.fail(status);
  _exit(1);
}

void benchRank(const BenchOptions &options, Meeting &meeting,
               const std::function<void(std::string)> &report) {
  auto must = [&](const Status &status) {
    if (!status.isOk())
      giveUp(meeting, status);
  };
  must(meeting.claimRank());
  // Before any library starts a thread: they all inherit it.
  if (options.pin)
    must(pinTo(meeting.rank()));
  meeting.setActivity("starts");
  must(meeting.barrier());
  Expected<Bandwidth> bandwidth = measureBandwidth(meeting, options.arrayBytes);
  must(bandwidth.status());

  std::vector<std::unique_ptr<Library>> libraries;
  auto add = [&](Expected<std::unique_ptr<Library>> library) {
    must(library.status());
    libraries.push_back(*std::move(library));
  };
  meeting.setActivity("connects rcclx");
  add(createRcclx(options, meeting));
  for (const std::string &peer : options.peers) {
    meeting.setActivity("connects " + peer);
    add(createPeer(peer, options, meeting));
  }
  libraries.push_back(createCopy());
  if (meeting.rank() == 0)
    report(describeJob(options, *bandwidth, libraries));

  for (Contract contract : options.collectives)
    for (uint64_t bytes : options.sizes) {
      Point point(options, meeting, shapeOf(contract, options.world, bytes));
      must(point.measure(libraries));
      if (meeting.rank() == 0)
        report(point.toJson());
    }
  meeting.setActivity("ends");
  must(meeting.barrier());
  // MPI's end is collective.
  for (std::unique_ptr<Library> &library : libraries)
    library.reset();
}

} // namespace rcclx::tool
