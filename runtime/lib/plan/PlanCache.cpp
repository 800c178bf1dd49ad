//===- PlanCache.cpp - Compiled plans on disk -----------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "rcclx/Runtime/PlanCache.h"

#include "Files.h"
#include "Hash.h"
#include "rcclx/DeviceText.h"
#include "rcclx/Runtime/Log.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <mutex>
#include <set>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <vector>

namespace rcclx::runtime {

// Of names PREFIX, process, "-", and what makes them unique.
static constexpr std::string_view temporaryPrefix = ".tmp-";
static constexpr std::string_view uncachedParent = "/tmp";
static constexpr std::string_view uncachedPrefix = "rcclx-plan-";
// A compilation takes seconds. In a cache that several machines share, what is
// older was left by a process of another one that was killed.
static constexpr time_t staleSeconds = 3600;

TemporaryDirectory::~TemporaryDirectory() {
  if (path.empty())
    return;
  if (Status s = removeTree(path); !s.isOk())
    RCCLX_LOG(Warning, "cache", "{}", s.message());
}

/// What a process id means something in: containers, and machines that share a
/// cache, number theirs alike.
static uint64_t pidNamespace() {
  static const uint64_t name = [] {
    struct stat info = {};
    utsname machine = {};
    uname(&machine);
    if (stat("/proc/self/ns/pid", &info) != 0)
      info.st_ino = 0;
    return xxh64(fmt::format("{} {}", machine.nodename, info.st_ino));
  }();
  return name;
}

static Expected<TemporaryDirectory> makeTemporary(std::string_view parent,
                                                  std::string_view prefix) {
  std::string path = fmt::format("{}/{}{}.{:x}-XXXXXX", parent, prefix,
                                 getpid(), pidNamespace());
  if (!mkdtemp(path.data())) // mode 0700
    return systemError(errno, path);
  return TemporaryDirectory(std::move(path));
}

static std::vector<std::string> listNames(const std::string &directory,
                                          std::string_view prefix) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR *)> list(opendir(directory.c_str()),
                                            closedir);
  if (!list)
    return names;
  while (const dirent *entry = readdir(list.get()))
    if (std::string_view(entry->d_name).starts_with(prefix))
      names.push_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

/// Identifies the processor and its extensions: a host object is made for those
/// of the machine that compiles, and home directories are shared by machines.
static std::string hostProcessor() {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  std::string text;
  if (__get_cpuid(1, &a, &b, &c, &d)) // b holds the number of the core: not it
    text += fmt::format("{:08x}{:08x}{:08x}", a, c, d);
  for (unsigned leaf : {0u, 1u})
    if (__get_cpuid_count(7, leaf, &a, &b, &c, &d))
      text += fmt::format("{:08x}{:08x}{:08x}{:08x}", a, b, c, d);
  return text;
#else
  return "";
#endif
}

std::string PlanCache::key(const PlanRequest &request) {
  std::string text;
  appendField(text, RCCLX_RUNTIME_VERSION);
  appendField(text, std::to_string(RCCLX_PARAMS_VERSION));
  appendField(text,
              std::string_view(rcclx_device_text, rcclx_device_text_bytes));
  appendField(text, request.schedule);
  appendField(text, request.symbol);
  appendField(text, std::to_string(request.world));
  appendField(text, name(request.element));
  appendField(text, name(request.reduction));
  appendField(text, std::to_string(request.root));
  appendField(text, fmt::format("{}", fmt::join(request.permutation, ",")));
  appendField(text, std::to_string(sizeClass(request.count)));
  appendField(text, request.protocol);
  appendField(text, request.target);
  appendField(text, request.target == hostTarget ? hostProcessor() : "");
  return xxh128Hex(text);
}

/// Whether temporary directory `name` was left by a process that is gone.
static bool isStale(std::string_view name, const struct stat &info) {
  pid_t process = 0;
  uint64_t space = 0;
  const char *end = name.data() + name.size();
  auto [dot, error] = std::from_chars(name.data(), end, process);
  if (error == std::errc() && process > 0 && dot != end && *dot == '.') {
    auto [dash, spaceError] = std::from_chars(dot + 1, end, space, 16);
    if (spaceError == std::errc() && dash != end && *dash == '-' &&
        space == pidNamespace())
      return kill(process, 0) != 0 && errno == ESRCH;
  }
  return info.st_mtime + staleSeconds < time(nullptr);
}

/// Removes what killed processes of this user left in `directory`.
static void removeStale(const std::string &directory, std::string_view prefix) {
  for (const std::string &entry : listNames(directory, prefix)) {
    std::string path = directory + "/" + entry;
    struct stat info;
    if (lstat(path.c_str(), &info) == 0 && info.st_uid == geteuid() &&
        S_ISDIR(info.st_mode) &&
        isStale(std::string_view(entry).substr(prefix.size()), info))
      if (Status s = removeTree(path); !s.isOk())
        RCCLX_LOG(Warning, "cache", "{}", s.message());
  }
}

/// Says once for each reason that the cache is of no use, not at every plan.
static void warnNotKept(std::string_view reason) {
  static std::mutex mutex;
  static auto *said = new std::set<std::string, std::less<>>;
  std::lock_guard lock(mutex);
  if (said->emplace(reason).second)
    RCCLX_LOG(Warning, "cache",
              "plans are not kept, but compiled by each process: {}", reason);
}

Expected<PlanCache> PlanCache::open(const std::string &directory) {
  PlanCache cache;
  removeStale(std::string(uncachedParent), uncachedPrefix);
  if (directory.empty()) {
    warnNotKept("neither RCCLX_CACHE_DIR nor HOME is set");
    return cache;
  }
  auto absoluteOf = [&]() -> Expected<std::string> {
    RCCLX_RETURN_IF_ERROR(makeDirectories(directory));
    RCCLX_ASSIGN_OR_RETURN(UniqueFd dir, openPrivateDirectory(directory));
    // Absolute: ranks in other working directories load from it.
    std::unique_ptr<char, decltype(&free)> absolute(
        realpath(directory.c_str(), nullptr), free);
    if (!absolute)
      return systemError(errno, directory);
    RCCLX_RETURN_IF_ERROR(checkParents(absolute.get()));
    return std::string(absolute.get());
  };
  Expected<std::string> absolute = absoluteOf();
  if (!absolute) {
    // A machine's state is worked around, a user's mistake is not.
    if (absolute.status().code() != Code::System)
      return absolute.status().annotate("the cache of plans");
    warnNotKept(absolute.status().message());
    return cache;
  }
  cache.directory = *std::move(absolute);
  removeStale(cache.directory, temporaryPrefix);
  return cache;
}

/// A plan that answers `request`, or the reason why it does not.
static Expected<std::shared_ptr<const Plan>>
loadFor(const PlanRequest &request, const std::string &directory) {
  RCCLX_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                         Plan::load(directory, request.target));
  const Manifest &manifest = plan->manifest;
  if (manifest.world != request.world || manifest.element != request.element ||
      manifest.reduction != request.reduction ||
      manifest.root != request.root ||
      manifest.permutation != request.permutation)
    return makeError(Code::Corrupt,
                     "{}: the plan is for {} ranks, {}, {}, root {}, not for "
                     "{} ranks, {}, {}, root {}, or for another permutation",
                     directory, manifest.world, name(manifest.element),
                     name(manifest.reduction), manifest.root, request.world,
                     name(request.element), name(request.reduction),
                     request.root);
  return plan;
}

Expected<std::shared_ptr<const Plan>>
PlanCache::lookup(const PlanRequest &request, const std::string &key,
                  const std::string &stamp) const {
  for (const std::string &entry : listNames(directory, key + "." + stamp)) {
    std::string path = directory + "/" + entry;
    Expected<std::shared_ptr<const Plan>> plan = loadFor(request, path);
    // Another user's entry is not ours to remove, nor to run.
    if (plan || plan.status().code() == Code::InvalidUsage)
      return plan;
    // Unreadable now (too many open files, say) is not damaged.
    if (plan.status().code() == Code::System) {
      RCCLX_LOG(Warning, "cache", "entry not read: {}",
                plan.status().message());
      continue;
    }
    RCCLX_LOG(Warning, "cache", "entry dropped: {}", plan.status().message());
    if (Status s = removeTree(path); !s.isOk())
      RCCLX_LOG(Warning, "cache", "{}", s.message());
  }
  return std::shared_ptr<const Plan>();
}

/// Moves `temporary` to `to` and loads it from there. Where another process
/// was faster, its entry is used, since readers may be in it; a damaged one is
/// replaced.
static Expected<std::shared_ptr<const Plan>>
publish(const PlanRequest &request, TemporaryDirectory &temporary,
        const std::string &to) {
  RCCLX_RETURN_IF_ERROR(sealDirectory(temporary.get()));
  for (int attempt = 0; attempt != 3; ++attempt) {
    if (rename(temporary.get().c_str(), to.c_str()) == 0) {
      temporary.release();
      return loadFor(request, to);
    }
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
      return systemError(errno, to);
    auto plan = loadFor(request, to);
    if (plan || plan.status().code() == Code::System)
      return plan;
    RCCLX_RETURN_IF_ERROR(removeTree(to));
  }
  return makeError(Code::System, "{}: written by others all the time", to);
}

/// Compiles into a directory of its own and stores the result as `to`. Nothing,
/// with the reason said, where the cache cannot take it.
static Expected<std::shared_ptr<const Plan>>
compileInto(const std::string &directory, const std::string &to,
            const PlanRequest &request, const CompilerLibrary &compiler) {
  Expected<TemporaryDirectory> temporary =
      makeTemporary(directory, temporaryPrefix);
  if (!temporary) {
    warnNotKept(temporary.status().message());
    return std::shared_ptr<const Plan>();
  }
  Status status = compiler.compile(request, temporary->get());
  if (status.isOk()) {
    Expected<std::shared_ptr<const Plan>> plan =
        publish(request, *temporary, to);
    if (plan || plan.status().code() != Code::System)
      return plan;
    status = plan.status();
  }
  // The file system may be full: what is in the page cache may be lost yet.
  if (status.code() != Code::System)
    return status;
  warnNotKept(status.message());
  return std::shared_ptr<const Plan>();
}

Expected<CachedPlan> PlanCache::compile(const PlanRequest &request,
                                        const CompilerLibrary &compiler,
                                        const std::string &entry) const {
  CachedPlan result;
  if (!directory.empty()) {
    RCCLX_ASSIGN_OR_RETURN(
        result.plan,
        compileInto(directory, directory + "/" + entry, request, compiler));
    if (result.plan)
      return result;
  }
  RCCLX_ASSIGN_OR_RETURN(result.uncached,
                         makeTemporary(uncachedParent, uncachedPrefix));
  RCCLX_RETURN_IF_ERROR(compiler.compile(request, result.uncached.get()));
  Expected<std::shared_ptr<const Plan>> plan =
      loadFor(request, result.uncached.get());
  if (!plan)
    return plan.status().annotate("just compiled");
  result.plan = *plan;
  return result;
}

Expected<CachedPlan> PlanCache::get(const PlanRequest &request,
                                    const CompilerLibrary &compiler) const {
  std::string entryKey = key(request);
  if (!directory.empty()) {
    RCCLX_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                           lookup(request, entryKey, compiler.stamp()));
    if (plan) {
      CachedPlan result;
      result.plan = std::move(plan);
      result.cached = true;
      return result;
    }
  }
  if (compiler.absent())
    return compiler.version().status().annotate("no cached plan fits");
  return compile(request, compiler, entryKey + "." + compiler.stamp());
}

} // namespace rcclx::runtime
