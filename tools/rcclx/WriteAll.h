//===- WriteAll.h - All of a text to a descriptor ---------------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TOOLS_RCCLX_WRITEALL_H
#define RCCLX_TOOLS_RCCLX_WRITEALL_H

#include <cerrno>
#include <string_view>
#include <unistd.h>

namespace rcclx::tool {

/// False, with errno, when not all could be written.
inline bool writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t put = write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    text.remove_prefix(size_t(put));
  }
  return true;
}

} // namespace rcclx::tool

#endif // RCCLX_TOOLS_RCCLX_WRITEALL_H
