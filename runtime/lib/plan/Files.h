//===- Files.h - Small file operations with checks --------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_PLAN_FILES_H
#define RCCLX_RUNTIME_PLAN_FILES_H

#include "rcclx/Runtime/Status.h"
#include "rcclx/Runtime/UniqueHandle.h"

#include <string>

namespace rcclx::runtime {

/// Opens directory `path`. InvalidUsage when another user owns it or when group
/// or others may write to it: a plan is code. Corrupt when it is absent or no
/// directory, System when it cannot be opened.
Expected<UniqueFd> openPrivateDirectory(const std::string &path);

/// InvalidUsage when another user could put something else in the place of
/// `path`, which is absolute: when one of the directories above it belongs to
/// another user, or may be written to by others and is not sticky as /tmp is.
Status checkParents(const std::string &path);

/// Reads file `name` of directory `dir`, not through a symbolic link. Corrupt
/// when it is absent, no regular file, or above `limit` bytes; InvalidUsage
/// when another user may have written it; System when it cannot be read.
Expected<std::string> readPrivateFile(int dir, const std::string &name,
                                      uint64_t limit);

/// Creates `path` and its parents with mode 0700. InvalidArgument when one of
/// them exists and is no directory.
Status makeDirectories(const std::string &path);

/// Removes a directory tree; what is absent is no error. Never follows links.
Status removeTree(const std::string &path);

/// Makes every file of directory `path` private, and flushes them and the
/// directory to the disk.
Status sealDirectory(const std::string &path);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_PLAN_FILES_H
