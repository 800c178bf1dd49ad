//===- Edits.h - Kernels that are wrong on purpose --------------*- C++ -*-===//
//
// Part of rcclx. An edit changes the text that is compiled for the host, the
// device header and the kernel, in one place or two. Where its text is not
// there once, it is an error: the edit has to follow the header.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_ADVERSARY_EDITS_H
#define RCCLX_TESTS_ADVERSARY_EDITS_H

#include <span>
#include <string_view>

namespace rcclx::adversary {

struct Edit {
  std::string_view name;
  std::string_view from, to;
  std::string_view from2 = {}, to2 = {};
};

/// What the adversary must find, by a wrong result or a wait without end.
std::span<const Edit> wrongEdits();
/// What ThreadSanitizer must find.
std::span<const Edit> unorderedEdits();

} // namespace rcclx::adversary

#endif // RCCLX_TESTS_ADVERSARY_EDITS_H
