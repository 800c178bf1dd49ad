//===- Machine.cpp - What a bench ran on ----------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Machine.h"

#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/utsname.h>

namespace rcclx::tool {

/// The first line of a file, or "unknown".
static std::string firstLine(const std::string &path) {
  std::ifstream in(path);
  std::string line;
  return std::getline(in, line) ? line : "unknown";
}

/// What follows "KEY : " in a file of such lines.
static std::string field(const char *path, const std::string &key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) {
      size_t value = line.find_first_not_of(" \t:", key.size());
      return value == std::string::npos ? "unknown" : line.substr(value);
    }
  return "unknown";
}

static nlohmann::ordered_json cachesOf() {
  nlohmann::ordered_json caches = nlohmann::ordered_json::object();
  for (int index = 0; index != 8; ++index) {
    std::string folder =
        fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    std::string type = firstLine(folder + "type");
    if (type == "unknown")
      break;
    if (type != "Instruction")
      caches[fmt::format("L{}", firstLine(folder + "level"))] =
          fmt::format("{} for processors {}", firstLine(folder + "size"),
                      firstLine(folder + "shared_cpu_list"));
  }
  return caches;
}

nlohmann::ordered_json describeMachine() {
  cpu_set_t allowed;
  bool known = sched_getaffinity(0, sizeof(allowed), &allowed) == 0;
  utsname system = {};
  uname(&system);
  char date[32] = "";
  time_t now = time(nullptr);
  tm utc = {};
  strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
  return {
      {"date", date},
      {"processor", field("/proc/cpuinfo", "model name")},
      {"processors", known ? CPU_COUNT(&allowed) : 0},
      {"caches", cachesOf()},
      {"memory", field("/proc/meminfo", "MemTotal")},
      {"kernel", fmt::format("{} {}", system.sysname, system.release)},
      {"transparent_hugepages",
       firstLine("/sys/kernel/mm/transparent_hugepage/enabled")},
      {"ptrace_scope", firstLine("/proc/sys/kernel/yama/ptrace_scope")},
      {"load", firstLine("/proc/loadavg")},
  };
}

std::string machineText(const nlohmann::ordered_json &machine) {
  std::string caches;
  for (const auto &[level, size] : machine["caches"].items())
    caches += fmt::format("{}{} {}", caches.empty() ? "" : ", ", level,
                          size.get<std::string>());
  auto text = [&](const char *key) { return machine[key].get<std::string>(); };
  return fmt::format("{}: {}, {} processors, {}; {}\nload {}; transparent huge "
                     "pages {}; ptrace_scope {}\n",
                     text("date"), text("processor"),
                     machine["processors"].get<int>(), caches, text("kernel"),
                     text("load"), text("transparent_hugepages"),
                     text("ptrace_scope"));
}

} // namespace rcclx::tool
