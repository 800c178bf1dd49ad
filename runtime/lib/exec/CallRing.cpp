//===- CallRing.cpp - The recent calls of a communicator ------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "CallRing.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace rcclx::runtime {

std::string CallRing::describe(size_t most, const char *separator) const {
  std::vector<const Entry *> known;
  for (const Entry &entry : entries)
    if (entry.number.load(std::memory_order_relaxed) != 0)
      known.push_back(&entry);
  std::sort(known.begin(), known.end(), [](const Entry *a, const Entry *b) {
    return a->number.load(std::memory_order_relaxed) >
           b->number.load(std::memory_order_relaxed);
  });
  known.resize(std::min(known.size(), most));
  std::string text;
  for (const Entry *entry : known) {
    uint64_t number = entry->number.load(std::memory_order_relaxed);
    text += fmt::format("{}call {} (plan {:016x}, {} elements): {}",
                        text.empty() ? "" : separator, number,
                        entry->plan.load(std::memory_order_relaxed),
                        entry->count.load(std::memory_order_relaxed),
                        number <= endedCalls() ? "ended" : "under way");
  }
  return text;
}

} // namespace rcclx::runtime
