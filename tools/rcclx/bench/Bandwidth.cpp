//===- Bandwidth.cpp - What the machine's memory gives --------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Bandwidth.h"

#include "Clock.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <sys/uio.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace rcclx::tool {

using namespace runtime;

static constexpr unsigned repetitions = 5;

/// Bytes per second of all ranks in the fastest of some repetitions; `bytes` is
/// what one rank moves in one.
static Expected<double> measure(Meeting &meeting, double bytes,
                                const std::function<void()> &body) {
  uint64_t best = ~uint64_t(0);
  for (unsigned i = 0; i != repetitions; ++i) {
    RCCLX_RETURN_IF_ERROR(meeting.barrier());
    uint64_t start = nowNs();
    body();
    RCCLX_ASSIGN_OR_RETURN(uint64_t time, meeting.span(start, nowNs()));
    best = std::min(best, time);
  }
  return bytes * meeting.world() / (double(best) * 1e-9);
}

/// Reads `bytes` of another process. 0, or an error number.
static int readProcess(uint64_t process, uint64_t address, char *out,
                       size_t bytes) {
  for (size_t done = 0; done != bytes;) {
    iovec local = {out + done, bytes - done};
    iovec remote = {reinterpret_cast<void *>(address + done), bytes - done};
    ssize_t got =
        process_vm_readv(pid_t(process), &local, 1, &remote, 1, /*flags=*/0);
    if (got <= 0)
      return got < 0 ? errno : EFAULT;
    done += size_t(got);
  }
  return 0;
}

Expected<Bandwidth> measureBandwidth(Meeting &meeting, size_t arrayBytes) {
  const size_t elements = arrayBytes / sizeof(double);
  std::vector<double> a(elements, 1), b(elements, 2), c(elements, 3);
  const uint32_t next = (meeting.rank() + 1) % meeting.world();
  Bandwidth result;
  meeting.setActivity("memory bandwidth");

  RCCLX_ASSIGN_OR_RETURN(
      result.copy, measure(meeting, 2.0 * double(arrayBytes),
                           [&] { memcpy(a.data(), b.data(), arrayBytes); }));
  double *out = a.data();
  const double *left = b.data(), *right = c.data();
  RCCLX_ASSIGN_OR_RETURN(result.triad,
                         measure(meeting, 3.0 * double(arrayBytes), [=] {
                           for (size_t i = 0; i != elements; ++i)
                             out[i] = left[i] + 3.0 * right[i];
                         }));

  memset(meeting.scratch(meeting.rank()), 1, arrayBytes);
  const char *peer = meeting.scratch(next);
  RCCLX_ASSIGN_OR_RETURN(result.shared,
                         measure(meeting, 2.0 * double(arrayBytes),
                                 [&] { memcpy(a.data(), peer, arrayBytes); }));
  RCCLX_RETURN_IF_ERROR(meeting.barrier());
  meeting.dropScratch();

  uint64_t mine[2] = {uint64_t(getpid()),
                      reinterpret_cast<uintptr_t>(b.data())};
  uint64_t all[maxBenchWorld][2];
  RCCLX_RETURN_IF_ERROR(meeting.exchange(mine, sizeof(mine), all));
  auto readNext = [&](size_t bytes) {
    return readProcess(all[next][0], all[next][1],
                       reinterpret_cast<char *>(a.data()), bytes);
  };
  RCCLX_ASSIGN_OR_RETURN(uint64_t refused,
                         meeting.largest(uint64_t(readNext(sizeof(double)))));
  if (refused != 0) {
    result.refusal = std::generic_category().message(int(refused));
  } else {
    RCCLX_ASSIGN_OR_RETURN(result.remote,
                           measure(meeting, 2.0 * double(arrayBytes),
                                   [&] { readNext(arrayBytes); }));
  }
  // The memory of a rank is read until here.
  RCCLX_RETURN_IF_ERROR(meeting.barrier());
  return result;
}

} // namespace rcclx::tool
