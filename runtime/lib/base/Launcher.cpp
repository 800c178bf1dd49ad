//===- Launcher.cpp - Ranks that a launcher has started -------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "rcclx/Runtime/Launcher.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace rcclx::runtime {

using Names = std::vector<std::string>;

static Names split(std::string_view text, char separator) {
  Names names;
  while (!text.empty()) {
    size_t end = std::min(text.find(separator), text.size());
    names.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

namespace {
/// One row of the table. Several names of one thing: the first that is set.
struct Launcher {
  std::string name;
  Names rank, world, localWorld, nodes;
  Names key, needed;
};

struct Found {
  std::string name, value;
};
} // namespace

static const std::vector<Launcher> &table() {
  static const std::vector<Launcher> rows = {
#define RCCLX_LAUNCHER(name, rank, world, localWorld, nodes, key, needed)      \
  {name,                                                                       \
   split(rank, '|'),                                                           \
   split(world, '|'),                                                          \
   split(localWorld, '|'),                                                     \
   split(nodes, '|'),                                                          \
   split(key, ' '),                                                            \
   split(needed, ' ')},
#include "rcclx/Runtime/Launchers.def"
#undef RCCLX_LAUNCHER
  };
  return rows;
}

const std::vector<std::string> &launcherVariables() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const Launcher &row : table())
      for (const Names *list :
           {&row.rank, &row.world, &row.localWorld, &row.nodes, &row.key})
        names.insert(names.end(), list->begin(), list->end());
    return names;
  }();
  return all;
}

/// The first of `names` that is set; an empty value counts as not set.
static std::optional<Found> find(const LauncherVariables &variables,
                                 const Names &names) {
  for (const std::string &name : names)
    if (auto it = variables.find(name);
        it != variables.end() && !it->second.empty())
      return Found{name, it->second};
  return std::nullopt;
}

static Expected<uint32_t> number(const Found &found, const Launcher &row) {
  uint32_t value = 0;
  const char *end = found.value.data() + found.value.size();
  auto [rest, error] = std::from_chars(found.value.data(), end, value);
  if (error != std::errc() || rest != end)
    return makeError(Code::InvalidArgument,
                     "{}=\"{}\" (environment of {}) is not a number",
                     found.name, found.value, row.name);
  return value;
}

/// Refuses a job of which this node has a part only.
static Status checkNodes(const LauncherVariables &variables,
                         const Launcher &row, const LauncherJob &job) {
  if (auto local = find(variables, row.localWorld)) {
    RCCLX_ASSIGN_OR_RETURN(uint32_t here, number(*local, row));
    if (here != job.world)
      return makeError(Code::Unavailable,
                       "the job of {} has {} ranks, {} of them on this node "
                       "({}): this version connects ranks of one node only",
                       row.name, job.world, here, local->name);
  }
  if (auto nodes = find(variables, row.nodes)) {
    RCCLX_ASSIGN_OR_RETURN(uint32_t count, number(*nodes, row));
    if (count != 1)
      return makeError(Code::Unavailable,
                       "the job of {} has {} ranks on {} nodes ({}): this "
                       "version connects ranks of one node only",
                       row.name, job.world, count, nodes->name);
  }
  return Status();
}

/// What names the job of `row`; RCCLX_ID does for every launcher.
static Expected<std::string>
keyOf(const LauncherVariables &variables, const Launcher &row,
      const std::function<std::string(const std::string &)> &findProcess) {
  if (auto id = find(variables, {"RCCLX_ID"}))
    return "RCCLX_ID=" + id->value;
  for (const std::string &name : row.needed)
    if (!find(variables, {name}))
      return makeError(Code::InvalidArgument,
                       "the environment of {} has rank and number of ranks, "
                       "but not {}, which names the job; set RCCLX_ID to a "
                       "text of this job alone, the same on all its ranks",
                       row.name, name);
  std::string key;
  for (const std::string &name : row.key)
    if (auto found = find(variables, {name}))
      key += fmt::format("{}={}:{}\n", name, found->value.size(), found->value);
  return key.empty() ? findProcess(row.rank[0]) : key;
}

/// The job that `row` tells; nothing where rank or world are missing.
static Expected<std::optional<LauncherJob>>
readRow(const LauncherVariables &variables, const Launcher &row) {
  auto rank = find(variables, row.rank);
  auto world = find(variables, row.world);
  // Half of it may be chance with names of others, but not with ours.
  if (rank.has_value() != world.has_value() && row.rank[0] == "RCCLX_RANK")
    return makeError(Code::InvalidArgument,
                     "{} is set and {} is not: set both, and RCCLX_ID",
                     rank ? row.rank[0] : row.world[0],
                     rank ? row.world[0] : row.rank[0]);
  if (!rank || !world)
    return std::optional<LauncherJob>();
  LauncherJob job;
  job.launcher = row.name;
  RCCLX_ASSIGN_OR_RETURN(job.rank, number(*rank, row));
  RCCLX_ASSIGN_OR_RETURN(job.world, number(*world, row));
  if (job.rank >= job.world)
    return makeError(Code::InvalidArgument, "{}={} and {}={}: no such rank",
                     rank->name, job.rank, world->name, job.world);
  return std::optional(job);
}

Expected<std::optional<LauncherJob>>
findJob(const LauncherVariables &variables,
        const std::function<std::string(const std::string &)> &findProcess) {
  std::optional<LauncherJob> job;
  const Launcher *inner = nullptr;
  for (const Launcher &row : table()) {
    RCCLX_ASSIGN_OR_RETURN(auto other, readRow(variables, row));
    if (!other)
      continue;
    if (!inner) {
      inner = &row;
      job = std::move(other);
      // rcclx's own variables and torchrun's agent speak for this process,
      // whatever has started them.
      if (row.name == "rcclx" || find(variables, {"TORCHELASTIC_RUN_ID"}))
        break;
      continue;
    }
    // srun starts mpirun's daemons: its ranks are then those of daemons.
    if (row.name != "Slurm" &&
        (other->rank != job->rank || other->world != job->world))
      return makeError(
          Code::InvalidArgument,
          "the environment says rank {} of {} ({}) and rank {} of {} ({}): "
          "unset what does not belong to this job, or set RCCLX_RANK, "
          "RCCLX_WORLD and RCCLX_ID",
          job->rank, job->world, inner->name, other->rank, other->world,
          row.name);
  }
  if (!job)
    return job;
  RCCLX_RETURN_IF_ERROR(checkNodes(variables, *inner, *job));
  RCCLX_ASSIGN_OR_RETURN(job->key, keyOf(variables, *inner, findProcess));
  return job;
}

Expected<std::optional<LauncherJob>>
findJob(const LauncherVariables &variables) {
  return findJob(variables, launcherProcess);
}

std::string describeSearch(const LauncherVariables &variables) {
  std::string text = "looked for";
  for (const Launcher &row : table())
    text += fmt::format("{} {} and {} ({})", &row == table().data() ? "" : ",",
                        row.rank[0], fmt::join(row.world, " or "), row.name);
  text += "; found ";
  std::string found;
  for (const auto &[name, value] : variables)
    found += fmt::format("{}{}={}", found.empty() ? "" : ", ", name,
                         value.substr(0, 64));
  return text + (found.empty() ? "none of them" : found);
}

//===----------------------------------------------------------------------===//
// The launcher's process
//===----------------------------------------------------------------------===//

static std::string readAll(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

namespace {
struct ProcessInfo {
  int64_t parent = 0;
  std::string started; // in the kernel's ticks since it was booted
};
} // namespace

/// Nothing for a process that is gone, or in another namespace.
static std::optional<ProcessInfo> inspect(int64_t process) {
  std::string stat = readAll(fmt::format("/proc/{}/stat", process));
  // The second field is the program's name, in parentheses that it may contain.
  size_t name = stat.rfind(')');
  if (name == std::string::npos || name + 2 > stat.size())
    return std::nullopt;
  Names fields = split(std::string_view(stat).substr(name + 2), ' ');
  if (fields.size() < 20)
    return std::nullopt;
  ProcessInfo info;
  std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(),
                  info.parent);
  info.started = fields[19];
  return info;
}

std::string launcherProcess(const std::string &variable) {
  int64_t process = getpid();
  std::optional<ProcessInfo> info = inspect(process);
  while (info && info->parent > 0) {
    int64_t parent = info->parent;
    auto above = inspect(parent);
    if (!above)
      break;
    process = parent;
    info = above;
    std::string environment =
        '\0' + readAll(fmt::format("/proc/{}/environ", process));
    if (environment.find('\0' + variable + '=') == std::string::npos)
      break;
  }
  return fmt::format("process {} of {}", process, info ? info->started : "");
}

} // namespace rcclx::runtime
