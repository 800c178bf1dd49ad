//===- FaultRank.cpp - One rank of a job that meets with faults -----------===//
//
// Part of rcclx. A process that creates a communicator, prepares, calls, splits
// and leaves, says on stdout how far it came, and dies or is refused on the way
// if it is told to. Arguments are NAME=VALUE:
//
//   id       128 bytes in hex; absent: of the environment
//   rank, world, timeout, cache
//   kill, yield, fail, failfrom    faults::Plan
//   hold     stays until stdin ends, or the communicator has died
//   next     id of a communicator of the survivors, made after an error
//   victim   the rank that is not one of them
//   value    added to what this rank contributes
//   comms    communicators that are made of the environment, one after another
//
//===----------------------------------------------------------------------===//
#include "FaultPoints.h"

#include "rcclx/rcclx.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <poll.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

std::map<std::string, std::string> arguments;

long number(const char *name, long otherwise = 0) {
  auto it = arguments.find(name);
  return it == arguments.end() ? otherwise : atol(it->second.c_str());
}

void say(const std::string &line) {
  printf("%s\n", line.c_str());
  fflush(stdout);
}

/// What is open: descriptors, threads, shared memory.
struct Census {
  long files = 0, threads = 0, maps = 0;

  static Census take() {
    Census census;
    for (auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      (void)entry;
      ++census.files;
    }
    for (auto &entry : std::filesystem::directory_iterator("/proc/self/task")) {
      (void)entry;
      ++census.threads;
    }
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
      census.maps += line.find("memfd:rcclx") != std::string::npos;
    return census;
  }
};

/// One communicator and what is on it. Everything is destroyed, in any state.
class Rank {
public:
  ~Rank() { end(); }

  /// Runs all steps; false after an error, which is said.
  bool step(const char *name, rcclx_result result) {
    if (result == RCCLX_OK)
      return true;
    say("error " + where + name + ": " + rcclx_result_string(result) + ": " +
        rcclx_last_error());
    return false;
  }

  bool create(const char *idText, uint32_t rank, uint32_t world) {
    rcclx_unique_id id;
    rcclx_comm_params params = {};
    params.struct_size = sizeof(params);
    if (idText) {
      for (size_t i = 0; i != sizeof(id.bytes); ++i) {
        unsigned byte = 0;
        sscanf(idText + 2 * i, "%2x", &byte);
        id.bytes[i] = (unsigned char)byte;
      }
      params.id = &id;
      params.rank = rank;
      params.world = world;
    }
    params.timeout_ms = uint64_t(number("timeout", 20000));
    std::string cache = arguments["cache"];
    params.cache_dir = cache.c_str();
    return step("create", rcclx_comm_create(&params, &comm));
  }

  bool use(size_t count, int calls) {
    rcclx_comm_info info = {};
    info.struct_size = sizeof(info);
    rcclx_comm_get_info(comm, &info);
    rcclx_plan_params planned = {};
    planned.struct_size = sizeof(planned);
    planned.schedule = "fixture";
    planned.schedule_bytes = 7;
    planned.element = "f32";
    planned.count = count;
    if (!step("prepare", rcclx_plan_prepare(comm, &planned, &plan)) ||
        !step("stream", rcclx_stream_create(comm, &stream)))
      return false;
    for (int call = 0; call != calls; ++call) {
      std::vector<float> input(count), output(count, -1);
      float base = float(number("value"));
      for (size_t i = 0; i != count; ++i)
        input[i] = base + float(info.rank) + float((i + size_t(call)) % 7);
      rcclx_launch_params launch = {};
      launch.struct_size = sizeof(launch);
      launch.plan = plan;
      launch.input = input.data();
      launch.output = output.data();
      launch.count = count;
      launch.stream = stream;
      // The buffers outlive the call, whatever it ends with.
      rcclx_result launched = rcclx_launch(comm, &launch);
      rcclx_result ended = rcclx_stream_synchronize(stream);
      if (!step("launch", launched) || !step("call", ended))
        return false;
      float world = float(info.world);
      for (size_t i = 0; i != count; ++i)
        if (output[i] != world * (base + float((i + size_t(call)) % 7)) +
                             world * (world - 1) / 2) {
          say("wrong result");
          return false;
        }
    }
    return true;
  }

  bool splitAndUse(uint32_t rank) {
    Rank part;
    part.where = "part ";
    if (!step("split",
              rcclx_comm_split(comm, int32_t(rank % 2), 0, &part.comm)))
      return false;
    return part.use(100, 1) && part.end();
  }

  /// Until the communicator dies or stdin ends.
  bool hold() {
    for (int i = 0; i != 60000; ++i) {
      if (!step("hold", rcclx_comm_status(comm)))
        return false;
      pollfd input = {0, POLLIN, 0};
      if (poll(&input, 1, 1) > 0)
        return true;
    }
    say("held for too long");
    return false;
  }

  bool end() {
    rcclx_plan_destroy(std::exchange(plan, nullptr));
    rcclx_stream_destroy(std::exchange(stream, nullptr));
    return step("destroy", rcclx_comm_destroy(std::exchange(comm, nullptr)));
  }

  std::string where; // in front of a step's name
  rcclx_comm *comm = nullptr;
  rcclx_plan *plan = nullptr;
  rcclx_stream *stream = nullptr;
};

bool live(uint32_t rank, uint32_t world) {
  const char *id = arguments.count("id") ? arguments["id"].c_str() : nullptr;
  for (long i = 0; i != number("comms", 1); ++i) {
    Rank self;
    if (!self.create(id, rank, world))
      return false;
    if (!id) {
      rcclx_comm_info info = {};
      info.struct_size = sizeof(info);
      rcclx_comm_get_info(self.comm, &info);
      rank = info.rank;
      world = info.world;
      say("rank " + std::to_string(rank) + " of " + std::to_string(world));
    }
    say("created");
    if (!self.use(1000, 3))
      return false;
    say("called");
    if (!self.splitAndUse(rank))
      return false;
    say("split");
    if (number("hold") && !self.hold())
      return false;
    say("leaving");
    self.end();
  }
  say("left");
  return true;
}

} // namespace

int main(int argc, char **argv) {
  for (int i = 1; i != argc; ++i) {
    const char *equals = strchr(argv[i], '=');
    if (equals)
      arguments[std::string(argv[i], size_t(equals - argv[i]))] = equals + 1;
  }
  auto rank = uint32_t(number("rank")), world = uint32_t(number("world"));
  // ThreadSanitizer's own thread comes with the first.
  std::thread([] {}).join();
  Census before = Census::take();
  rcclx::faults::arm(
      {number("kill"), number("yield"), number("fail"), number("failfrom")});
  bool good = live(rank, world);
  say("calls " + std::to_string(rcclx::faults::calls()) + " " +
      std::to_string(rcclx::faults::resourceCalls()));
  rcclx::faults::arm({});
  if (!good && arguments.count("next")) {
    Rank next;
    auto victim = uint32_t(number("victim"));
    arguments["timeout"] = "20000";
    if (next.create(arguments["next"].c_str(), rank - (rank > victim),
                    world - 1) &&
        next.use(50, 2) && next.end())
      say("next works");
  }
  Census after = Census::take();
  if (after.files != before.files || after.threads != before.threads ||
      after.maps != before.maps)
    say("left over: " + std::to_string(after.files - before.files) +
        " files, " + std::to_string(after.threads - before.threads) +
        " threads, " + std::to_string(after.maps - before.maps) + " maps");
  return good ? 0 : 1;
}
