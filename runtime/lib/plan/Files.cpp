//===- Files.cpp - Small file operations with checks ----------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Files.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>

namespace rcclx::runtime {

static Status checkOwner(const struct stat &info, std::string_view what) {
  if (info.st_uid != geteuid())
    return makeError(Code::InvalidUsage,
                     "{} belongs to user {}, not to user {}: plans are code, "
                     "and those of others are not loaded",
                     what, info.st_uid, geteuid());
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return makeError(Code::InvalidUsage,
                     "{} is writable by other users (mode {:04o}): plans are "
                     "code; make it private (chmod 700)",
                     what, info.st_mode & 07777);
  return Status();
}

Expected<UniqueFd> openPrivateDirectory(const std::string &path) {
  UniqueFd dir(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir) {
    int errnum = errno;
    Status refused = systemError(errnum, path);
    if (errnum == ENOENT || errnum == ENOTDIR || errnum == ELOOP)
      return Status(Code::Corrupt, refused.message());
    // Of all reasons, the owner says most.
    struct stat closed;
    if (errnum == EACCES && stat(path.c_str(), &closed) == 0)
      RCCLX_RETURN_IF_ERROR(checkOwner(closed, path));
    return refused;
  }
  struct stat info;
  if (fstat(dir.get(), &info) != 0)
    return systemError(errno, path);
  RCCLX_RETURN_IF_ERROR(checkOwner(info, path));
  return dir;
}

Status checkParents(const std::string &path) {
  // Whoever owns the root is the system, whatever number it has here.
  struct stat root;
  if (stat("/", &root) != 0)
    return systemError(errno, "/");
  for (size_t slash = path.rfind('/'); slash != std::string::npos && slash != 0;
       slash = path.rfind('/', slash - 1)) {
    std::string parent = path.substr(0, slash);
    struct stat info;
    if (stat(parent.c_str(), &info) != 0)
      return systemError(errno, parent);
    bool trusted = info.st_uid == 0 || info.st_uid == root.st_uid ||
                   info.st_uid == geteuid();
    bool open = (info.st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
                (info.st_mode & S_ISVTX) == 0;
    if (!trusted || open)
      return makeError(Code::InvalidUsage,
                       "{}: other users may replace it, as {} ({}): plans are "
                       "code; choose another place",
                       path,
                       open ? "they may write to a folder above"
                            : "one of them owns a folder above",
                       fmt::format("{}, user {}, mode {:04o}", parent,
                                   info.st_uid, info.st_mode & 07777));
  }
  return Status();
}

Expected<std::string> readPrivateFile(int dir, const std::string &name,
                                      uint64_t limit) {
  // O_NONBLOCK: a FIFO in the place of a file must not stop the open.
  UniqueFd fd(openat(dir, name.c_str(),
                     O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) {
    Status refused = systemError(errno, name);
    // Absent, or a link: the directory's fault. All else is the machine's.
    if (errno == ENOENT || errno == ELOOP)
      return Status(Code::Corrupt, refused.message());
    return refused;
  }
  struct stat info;
  if (fstat(fd.get(), &info) != 0)
    return systemError(errno, name);
  if (!S_ISREG(info.st_mode))
    return makeError(Code::Corrupt, "{} is not a regular file", name);
  RCCLX_RETURN_IF_ERROR(checkOwner(info, name));
  if (uint64_t(info.st_size) > limit)
    return makeError(Code::Corrupt, "{} has {} bytes, more than {}", name,
                     info.st_size, limit);
  std::string content(size_t(info.st_size), '\0');
  size_t have = 0;
  while (have != content.size()) {
    ssize_t got = read(fd.get(), content.data() + have, content.size() - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError(errno, name);
    if (got == 0)
      return makeError(Code::Corrupt, "{} ends early", name);
    have += size_t(got);
  }
  return content;
}

Status makeDirectories(const std::string &path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string prefix = path.substr(0, slash);
    if (mkdir(prefix.c_str(), 0700) != 0 && errno != EEXIST) {
      // A parent on a read-only file system may exist all the same.
      int errnum = errno;
      struct stat info;
      if (stat(prefix.c_str(), &info) != 0 && errnum != ENOTDIR)
        return systemError(errnum, prefix);
    }
    struct stat made;
    if (stat(prefix.c_str(), &made) == 0 && !S_ISDIR(made.st_mode))
      return makeError(Code::InvalidArgument, "{} is no directory", prefix);
    if (slash == std::string::npos)
      return Status();
  }
}

Status removeTree(const std::string &path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error)
    return systemError(error.value(), path);
  return Status();
}

Status sealDirectory(const std::string &path) {
  UniqueFd dir(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir)
    return systemError(errno, path);
  // fdopendir takes its descriptor over.
  std::unique_ptr<DIR, int (*)(DIR *)> list(fdopendir(dup(dir.get())),
                                            closedir);
  if (!list)
    return systemError(errno, path);
  while (const dirent *entry = readdir(list.get())) {
    if (entry->d_name[0] == '.')
      continue;
    UniqueFd file(openat(dir.get(), entry->d_name, O_RDONLY | O_CLOEXEC));
    // Whatever the umask was when it was written.
    if (!file || fchmod(file.get(), 0600) != 0 || fsync(file.get()) != 0)
      return systemError(errno, path + "/" + entry->d_name);
  }
  if (fsync(dir.get()) != 0)
    return systemError(errno, path);
  return Status();
}

} // namespace rcclx::runtime
