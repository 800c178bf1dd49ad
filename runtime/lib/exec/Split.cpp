//===- Split.cpp - Communicators of a part of the ranks -------------------===//
//
// Part of rcclx. Two exchanges of the parent's: who is in which group, with a
// unique id of each rank, of which that of the group's first is used; and
// whether all groups have met. The new communicators share nothing with the
// parent.
//
//===----------------------------------------------------------------------===//
#include "Communicator.h"

#include "Report.h"

#include <algorithm>
#include <cstring>

namespace rcclx::runtime {

// Beside a group's own deadline: the hub's and the ranks' clocks start apart.
static constexpr uint64_t slackMs = 10'000;

namespace {
/// What a rank tells of itself.
struct Membership {
  int32_t color;
  int32_t key;
  UniqueId id;
};
struct Member {
  int32_t key;
  uint32_t rank; // of the parent
  bool operator<(const Member &other) const {
    return key != other.key ? key < other.key : rank < other.rank;
  }
};
} // namespace

static Expected<std::vector<Membership>>
readMemberships(const std::vector<Report> &reports) {
  std::vector<Membership> all(reports.size());
  for (uint32_t r = 0; r != reports.size(); ++r) {
    const std::string &value = reports[r].value;
    if (value.size() != sizeof(Membership))
      return makeError(Code::InvalidUsage,
                       "rank {} makes another collective call than a split", r);
    memcpy(&all[r], value.data(), sizeof(Membership));
  }
  return all;
}

Expected<std::shared_ptr<Communicator>> Communicator::split(int32_t color,
                                                            int32_t key) {
  Entry entry(entered);
  RCCLX_RETURN_IF_ERROR(entry.status());
  RCCLX_RETURN_IF_ERROR(status());
  const uint64_t timeoutMs = settings.timeoutMs;
  auto inGroup = [&](const Status &status) {
    return status.annotate(fmt::format("split, color {}", color));
  };

  Report mine;
  if (Expected<UniqueId> id = UniqueId::create()) {
    Membership membership{color, key, *id};
    mine.value.assign(reinterpret_cast<const char *>(&membership),
                      sizeof(membership));
  } else {
    mine.status = inGroup(id.status());
  }
  RCCLX_ASSIGN_OR_RETURN(std::vector<std::string> blobs,
                         exchange(mine.encode(rank()), timeoutMs));
  RCCLX_ASSIGN_OR_RETURN(std::vector<Report> reports,
                         decodeAll(blobs, mine, rank()));
  RCCLX_ASSIGN_OR_RETURN(std::vector<Membership> all, readMemberships(reports));

  std::shared_ptr<Communicator> made;
  Report met;
  if (color >= 0) {
    std::vector<Member> group;
    for (uint32_t r = 0; r != world(); ++r)
      if (all[r].color == color)
        group.push_back({all[r].key, r});
    std::sort(group.begin(), group.end());
    Settings part = settings;
    part.id = all[group.front().rank].id;
    part.world = uint32_t(group.size());
    part.rank = uint32_t(std::find_if(group.begin(), group.end(),
                                      [&](const Member &member) {
                                        return member.rank == rank();
                                      }) -
                         group.begin());
    part.meeting.clear();
    if (auto created = create(std::move(part)))
      made = *std::move(created);
    else
      met.status = inGroup(created.status());
  }
  // Early ranks wait for those whose groups are late.
  RCCLX_ASSIGN_OR_RETURN(blobs,
                         exchange(met.encode(rank()), 2 * timeoutMs + slackMs));
  RCCLX_RETURN_IF_ERROR(decodeAll(blobs, met, rank()).status());
  return made;
}

} // namespace rcclx::runtime
