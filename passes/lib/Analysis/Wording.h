//===- Wording.h - How findings name ranks, places and messages -*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_LIB_ANALYSIS_WORDING_H
#define RCCLX_LIB_ANALYSIS_WORDING_H

#include "rcclx/Analysis/Trace.h"
#include <string>

namespace rcclx {

inline std::string str(uint64_t number) { return std::to_string(number); }

inline std::string rankName(uint32_t rank) { return "rank " + str(rank); }

/// "at rank 1 of 4: ", the counter-example that a finding starts with.
inline std::string at(uint32_t rank, uint32_t world) {
  return "at rank " + str(rank) + " of " + str(world) + ": ";
}

/// The same, with the root where there is one: "at rank 1 of 4, root 2: ".
inline std::string at(const ScheduleTrace &trace, uint32_t rank) {
  std::string where = at(rank, trace.getWorld());
  if (trace.hasRoot())
    where.insert(where.size() - 2, ", root " + str(trace.roles.root));
  return where;
}

/// "part 1 of 4" or "the whole".
inline std::string extentName(const IntervalTable &intervals, IntervalId id) {
  std::string part = describe(intervals[id]);
  return part.empty() ? "the whole" : part;
}

/// "the output", "part 1 of 4 of the output", "part 0 of 2 of block 3 of ...".
inline std::string placeName(const ScheduleTrace &trace, const Place &place) {
  std::string name = describe(trace.intervals[place.interval]);
  if (!name.empty())
    name += " of ";
  switch (place.memory) {
  case Memory::Input:
    if (trace.hasBlockPerRank(Memory::Input))
      name += "block " + str(place.block) + " of ";
    return name + "the input";
  case Memory::Output:
    if (trace.hasBlockPerRank(Memory::Output) && trace.getWorld() > 1)
      name += "block " + str(place.block) + " of ";
    return name + "the output";
  case Memory::Scratch:
    return name + "block " + str(place.block) + " of scratch";
  }
  return name;
}

} // namespace rcclx

#endif // RCCLX_LIB_ANALYSIS_WORDING_H
