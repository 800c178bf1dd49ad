//===- FaultPoints.cpp - Calls of the system that end badly ---------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "FaultPoints.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rcclx::faults {

static Plan plan;
static std::atomic<bool> armed{false};
static std::atomic<long> counted{0}, yields{0}, resources{0};

void arm(const Plan &wanted) {
  plan = wanted;
  counted = yields = resources = 0;
  armed = true;
}
long calls() { return counted; }
long resourceCalls() { return resources; }

static void die() {
  kill(getpid(), SIGKILL);
  while (true)
    pause();
}

static void pass() {
  if (armed && ++counted == plan.killAt)
    die();
}

/// True when the call is to be refused, with errno set.
static bool refuse(int error) {
  pass();
  if (!armed)
    return false;
  long number = ++resources;
  if (number != plan.failAt && (plan.failFrom == 0 || number < plan.failFrom))
    return false;
  errno = error;
  return true;
}

} // namespace rcclx::faults

using namespace rcclx::faults;

// A function that takes a resource, and the error when it is refused.
#define RESOURCE(result, name, parameters, arguments, refused, error)          \
  extern "C" result __real_##name parameters;                                  \
  extern "C" result __wrap_##name parameters {                                 \
    return refuse(error) ? (refused) : __real_##name arguments;                \
  }
#define PASSED(result, name, parameters, arguments)                            \
  extern "C" result __real_##name parameters;                                  \
  extern "C" result __wrap_##name parameters {                                 \
    pass();                                                                    \
    return __real_##name arguments;                                            \
  }

RESOURCE(int, socket, (int a, int b, int c), (a, b, c), -1, EMFILE)
RESOURCE(int, eventfd, (unsigned a, int b), (a, b), -1, EMFILE)
RESOURCE(int, memfd_create, (const char *a, unsigned b), (a, b), -1, EMFILE)
RESOURCE(int, ftruncate, (int a, off_t b), (a, b), -1, ENOSPC)
RESOURCE(void *, mmap, (void *a, size_t b, int c, int d, int e, off_t f),
         (a, b, c, d, e, f), reinterpret_cast<void *>(-1), ENOMEM)
RESOURCE(int, accept4, (int a, sockaddr *b, socklen_t *c, int d), (a, b, c, d),
         -1, EMFILE)
RESOURCE(ssize_t, getrandom, (void *a, size_t b, unsigned c), (a, b, c), -1,
         ENOSYS)
RESOURCE(char *, mkdtemp, (char *a), (a), nullptr, ENOSPC)
RESOURCE(int, mkdir, (const char *a, mode_t b), (a, b), -1, ENOSPC)
RESOURCE(int, rename, (const char *a, const char *b), (a, b), -1, ENOSPC)
RESOURCE(int, fsync, (int a), (a), -1, ENOSPC)
RESOURCE(DIR *, opendir, (const char *a), (a), nullptr, EMFILE)
RESOURCE(int, fcntl, (int a, int b, long c), (a, b, c), -1, EMFILE)
RESOURCE(int, open, (const char *a, int b, mode_t c), (a, b, c), -1, EMFILE)
RESOURCE(int, openat, (int a, const char *b, int c, mode_t d), (a, b, c, d), -1,
         EMFILE)

PASSED(int, bind, (int a, const sockaddr *b, socklen_t c), (a, b, c))
PASSED(int, listen, (int a, int b), (a, b))
PASSED(int, connect, (int a, const sockaddr *b, socklen_t c), (a, b, c))
PASSED(int, getsockopt, (int a, int b, int c, void *d, socklen_t *e),
       (a, b, c, d, e))
PASSED(ssize_t, sendmsg, (int a, const msghdr *b, int c), (a, b, c))
PASSED(ssize_t, recvmsg, (int a, msghdr *b, int c), (a, b, c))
PASSED(int, munmap, (void *a, size_t b), (a, b))
PASSED(ssize_t, read, (int a, void *b, size_t c), (a, b, c))
PASSED(int, fstat, (int a, struct stat *b), (a, b))
PASSED(void *, dlopen, (const char *a, int b), (a, b))
PASSED(int, close, (int a), (a))

extern "C" int __real_sched_yield(void);
extern "C" int __wrap_sched_yield(void) {
  if (armed && ++yields == plan.killAtYield)
    die();
  return __real_sched_yield();
}
