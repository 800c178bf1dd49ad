//===- PlanOutput.cpp - Where `rcclx compile` writes ----------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "PlanOutput.h"

#include "plan/Files.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>

namespace rcclx::tool {

using namespace runtime;

std::string parentOf(const std::string &place) {
  size_t slash = place.find_last_of('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : place.substr(0, slash);
}

Expected<PlanOutput> PlanOutput::create(const std::string &parent) {
  std::string path = parent + "/.rcclx-compile-XXXXXX";
  if (!mkdtemp(path.data())) // mode 0700
    return systemError(errno, path);
  return PlanOutput(std::move(path));
}

/// Whether a plan may have a file of this name.
static bool isPlanFile(std::string_view name) {
  return name == "manifest.json" ||
         std::ranges::any_of(
             std::initializer_list<std::string_view>{".hip.cpp", ".so", ".co",
                                                     ".cubin"},
             [&](std::string_view suffix) { return name.ends_with(suffix); });
}

Status checkReplaceable(const std::string &place) {
  auto refuse = [&](std::string_view reason) {
    return makeError(Code::InvalidArgument,
                     "{}: {}; only plans are overwritten", place, reason);
  };
  struct stat info;
  if (lstat(place.c_str(), &info) != 0)
    return errno == ENOENT ? Status() : systemError(errno, place);
  if (!S_ISDIR(info.st_mode))
    return refuse("exists and is no directory");
  std::unique_ptr<DIR, int (*)(DIR *)> list(opendir(place.c_str()), closedir);
  if (!list)
    return systemError(errno, place);
  bool hasManifest = false, isEmpty = true;
  while (const dirent *entry = readdir(list.get())) {
    std::string_view name = entry->d_name;
    if (name == "." || name == "..")
      continue;
    if (!isPlanFile(name) ||
        fstatat(dirfd(list.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) !=
            0 ||
        !S_ISREG(info.st_mode))
      return refuse(fmt::format("holds {}, which is of no plan", name));
    hasManifest |= name == "manifest.json";
    isEmpty = false;
  }
  return hasManifest || isEmpty ? Status() : refuse("holds no manifest.json");
}

Status PlanOutput::publish(const std::string &place) {
  RCCLX_RETURN_IF_ERROR(checkReplaceable(place));
  RCCLX_RETURN_IF_ERROR(sealDirectory(directory()));
  if (renameat2(AT_FDCWD, directory().c_str(), AT_FDCWD, place.c_str(),
                RENAME_NOREPLACE) == 0) {
    temporary.release();
    return Status();
  }
  // An older plan is there: it changes places with the new one, and goes with
  // the temporary directory.
  if (errno != EEXIST || renameat2(AT_FDCWD, directory().c_str(), AT_FDCWD,
                                   place.c_str(), RENAME_EXCHANGE) != 0)
    return systemError(errno, place);
  return Status();
}

} // namespace rcclx::tool
