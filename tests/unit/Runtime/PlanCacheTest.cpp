//===- PlanCacheTest.cpp - Compiled plans on disk -------------------------===//
//
// Part of rcclx. The compiler is Fixture/FakeCompiler.cpp, which counts.
//
//===----------------------------------------------------------------------===//
#include "FullTests.h"
#include "RuntimeTesting.h"

#include "rcclx/Runtime/Log.h"
#include "rcclx/Runtime/PlanCache.h"

#include <csignal>
#include <functional>
#include <random>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace rcclx;
using namespace rcclx::runtime;
using namespace rcclx::runtime::testing;

namespace {

class PlanCacheTest : public ::testing::Test {
protected:
  PlanCacheTest() {
    setLogLevel(LogLevel::Error); // the warnings are provoked
    options.compilerLibrary = RCCLX_FAKE_COMPILER;
    request.schedule = "fixture";
    request.scheduleName = "test.mlir";
    request.world = 2;
    request.target = hostTarget;
  }
  ~PlanCacheTest() override { setLogLevel(LogLevel::Warning); }

  Expected<CachedPlan> get(const PlanRequest &wanted) {
    RCCLX_ASSIGN_OR_RETURN(PlanCache cache, PlanCache::open(directory));
    return cache.get(wanted, CompilerLibrary::find(options));
  }
  Expected<CachedPlan> get() { return get(request); }
  std::string onlyEntry() {
    std::string found;
    for (auto &entry : std::filesystem::directory_iterator(directory))
      found = entry.path();
    return found;
  }

  Scratch scratch;
  std::string directory = scratch / "cache/rcclx";
  // The fake compiler's count lies two levels above an entry.
  std::string countFile = scratch / "cache/compiled";
  Options options;
  PlanRequest request;
};

TEST_F(PlanCacheTest, secondTimeIsAHit) {
  auto first = get();
  ASSERT_OK(first.status());
  EXPECT_FALSE(first->cached);
  auto second = get();
  ASSERT_OK(second.status());
  EXPECT_TRUE(second->cached);
  EXPECT_EQ(first->plan->directory, second->plan->directory);
  EXPECT_EQ(countLines(countFile), 1u);
  EXPECT_EQ(countEntries(directory), 1u); // no temporary directory is left
  struct stat info;
  ASSERT_EQ(stat(directory.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(PlanCacheTest, hitNeedsNoCompiler) {
  ASSERT_OK(get().status());
  options.compilerLibrary = "/none/librcclx_compiler.so";
  auto second = get();
  ASSERT_OK(second.status());
  EXPECT_TRUE(second->cached);
  request.world = 3;
  EXPECT_ERROR(get().status(), Code::Unavailable, "/none/librcclx_compiler.so");
}

TEST_F(PlanCacheTest, anotherCompilerIsAMiss) {
  ASSERT_OK(get().status());
  std::filesystem::copy(RCCLX_FAKE_COMPILER, scratch / "other.so");
  options.compilerLibrary = scratch / "other.so";
  auto second = get();
  ASSERT_OK(second.status());
  EXPECT_FALSE(second->cached);
}

TEST_F(PlanCacheTest, everythingThatMattersIsInTheKey) {
  std::vector<PlanRequest> requests(12, request);
  requests[1].schedule += " ";
  requests[2].symbol = "s";
  requests[3].world = 3;
  requests[4].element = Element::BF16;
  requests[5].reduction = Reduction::Max;
  requests[6].count = 1u << 20;
  requests[7].protocol = "ll";
  requests[8].target = "gfx942";
  requests[9].root = 1;
  requests[10].permutation = {1, 0};
  requests[11].permutation = {0, 1};
  for (size_t i = 0; i != requests.size(); ++i)
    for (size_t j = 0; j != i; ++j)
      EXPECT_NE(PlanCache::key(requests[i]), PlanCache::key(requests[j]))
          << i << " and " << j;
  PlanRequest renamed = request;
  renamed.scheduleName = "elsewhere.mlir";
  EXPECT_EQ(PlanCache::key(renamed), PlanCache::key(request));
  PlanRequest larger = request;
  request.count = 1000;
  larger.count = 1024; // the same size class
  EXPECT_EQ(PlanCache::key(larger), PlanCache::key(request));
  larger.count = 1025;
  EXPECT_NE(PlanCache::key(larger), PlanCache::key(request));
}

TEST_F(PlanCacheTest, everyDamageIsAMiss) {
  ASSERT_OK(get().status());
  std::string entry = onlyEntry();
  size_t expected = 1;
  auto damage = [&](auto act) {
    act();
    auto again = get();
    ASSERT_OK(again.status());
    EXPECT_FALSE(again->cached);
    EXPECT_EQ(countLines(countFile), ++expected);
    auto then = get();
    ASSERT_OK(then.status());
    EXPECT_TRUE(then->cached);
  };
  damage([&] { writeFile(entry + "/manifest.json", "{"); });
  damage([&] { writeFile(entry + "/manifest.json", ""); });
  damage([&] { std::filesystem::remove(entry + "/manifest.json"); });
  damage([&] { writeFile(entry + "/host-x86_64.so", "x"); });
  damage([&] { std::filesystem::remove(entry + "/host.hip.cpp"); });
  damage([&] {
    std::filesystem::remove_all(entry);
    writeFile(entry, "a file in the place of the entry");
  });
}

TEST_F(PlanCacheTest, compilerErrorsLeaveNothing) {
  request.schedule = "error";
  EXPECT_ERROR(get().status(), Code::Schedule, "test.mlir:1:1: error: a test");
  EXPECT_EQ(countEntries(directory), 0u);
  request.schedule = "full";
  EXPECT_ERROR(get().status(), Code::System, "no space left");
  EXPECT_EQ(countEntries(directory), 0u);
}

TEST_F(PlanCacheTest, aCompilerThatWritesDamageIsAnError) {
  request.schedule = "broken";
  EXPECT_ERROR(get().status(), Code::Corrupt, "host-x86_64.so");
}

TEST_F(PlanCacheTest, sharedDirectoriesAreRefused) {
  ASSERT_OK(get().status());
  chmod(directory.c_str(), 0770);
  EXPECT_ERROR(get().status(), Code::InvalidUsage, "writable by other users");
  chmod(directory.c_str(), 0700);
  chmod(onlyEntry().c_str(), 0777);
  EXPECT_ERROR(get().status(), Code::InvalidUsage, "writable by other users");
}

TEST_F(PlanCacheTest, directoriesOfOthersAreRefused) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root to give a directory away";
  ASSERT_OK(get().status());
  std::string entry = onlyEntry();
  ASSERT_EQ(chown(entry.c_str(), 12345, 12345), 0);
  EXPECT_ERROR(get().status(), Code::InvalidUsage, "belongs to user 12345");
  EXPECT_TRUE(std::filesystem::exists(entry)); // not ours to remove
  ASSERT_EQ(chown(directory.c_str(), 12345, 12345), 0);
  EXPECT_ERROR(get().status(), Code::InvalidUsage, "belongs to user 12345");
}

TEST_F(PlanCacheTest, withoutADirectoryPlansAreTemporary) {
  // Nobody, not even root, can write there.
  for (const std::string &impossible :
       {std::string("/proc/rcclx/cache"), std::string()}) {
    directory = impossible;
    std::string place;
    {
      auto plan = get();
      ASSERT_OK(plan.status());
      EXPECT_FALSE(plan->cached);
      place = plan->plan->directory;
      EXPECT_TRUE(place.starts_with("/tmp/rcclx-plan-"));
      EXPECT_TRUE(std::filesystem::exists(place));
    }
    EXPECT_FALSE(std::filesystem::exists(place));
  }
  std::filesystem::remove("/tmp/compiled"); // the fake compiler's count
  std::filesystem::remove("/compiled");
}

TEST_F(PlanCacheTest, aFileInThePlaceOfADirectoryIsAnError) {
  writeFile(scratch / "file", "");
  for (const char *wrong : {"file", "file/", "file/cache", "file/a/b"}) {
    directory = scratch / wrong;
    EXPECT_ERROR(get().status(), Code::InvalidArgument,
                 scratch / "file" + " is no directory");
  }
  std::filesystem::create_symlink("nowhere", scratch / "link");
  directory = scratch / "link";
  EXPECT_FALSE(get().isOk());
}

TEST_F(PlanCacheTest, linksAreFollowedToWhatIsPrivate) {
  std::filesystem::create_directory(scratch / "real");
  chmod((scratch / "real").c_str(), 0700);
  std::filesystem::create_directory_symlink(scratch / "real", scratch / "link");
  directory = scratch / "link";
  auto plan = get();
  ASSERT_OK(plan.status());
  EXPECT_TRUE(plan->plan->directory.starts_with(scratch / "real/"));
  // An entry that leads elsewhere is as good as what it leads to.
  std::string entry = plan->plan->directory;
  std::filesystem::rename(entry, scratch / "moved");
  std::filesystem::create_directory_symlink(scratch / "moved", entry);
  ASSERT_OK(get().status());
  chmod((scratch / "moved").c_str(), 0777);
  EXPECT_ERROR(get().status(), Code::InvalidUsage, "writable by other users");
  // Its files may not be links.
  chmod((scratch / "moved").c_str(), 0700);
  std::filesystem::rename(scratch / "moved/host-x86_64.so", scratch / "object");
  std::filesystem::create_symlink(scratch / "object",
                                  scratch / "moved/host-x86_64.so");
  auto again = get();
  ASSERT_OK(again.status());
  EXPECT_FALSE(again->cached);
  EXPECT_TRUE(std::filesystem::exists(scratch / "object"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "moved/manifest.json"))
      << "only the link is to be removed";
}

TEST_F(PlanCacheTest, foldersThatOthersCanReplaceAreRefused) {
  std::filesystem::create_directories(scratch / "open/between");
  directory = scratch / "open/between/cache";
  for (mode_t mode : {0777, 0775, 0733}) {
    chmod((scratch / "open").c_str(), mode);
    EXPECT_ERROR(get().status(), Code::InvalidUsage,
                 "they may write to a folder above");
  }
  chmod((scratch / "open").c_str(), 01777); // as /tmp
  ASSERT_OK(get().status());
  if (geteuid() != 0)
    return;
  chmod((scratch / "open").c_str(), 0755);
  ASSERT_EQ(chown((scratch / "open").c_str(), 12345, 12345), 0);
  EXPECT_ERROR(get().status(), Code::InvalidUsage,
               "one of them owns a folder above");
}

/// Runs `body` in a child that is user 12345, or has mounts of its own; its
/// result is the child's exit status.
int inChild(const std::function<int()> &body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int state = 0;
  EXPECT_EQ(waitpid(child, &state, 0), child);
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

TEST_F(PlanCacheTest, usersDoNotDisturbEachOther) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root to be another user";
  ASSERT_OK(get().status());
  chmod(scratch.path.c_str(), 0755);
  chmod((scratch / "cache").c_str(), 0755);
  // The other user's request of the same cache is refused, by whatever mode.
  for (mode_t mode : {0700, 0755}) {
    chmod(directory.c_str(), mode);
    EXPECT_EQ(inChild([&] {
                if (setgid(12345) != 0 || setuid(12345) != 0)
                  return 1;
                auto plan = get();
                bool named = plan.status().code() == Code::InvalidUsage &&
                             plan.status().message().find(
                                 "belongs to user 0") != std::string::npos;
                return named ? 0 : 2;
              }),
              0);
  }
  EXPECT_TRUE(get()->cached);
  // What one has planted in the other's temporary folder is not taken for his.
  std::string planted = "/tmp/rcclx-plan-1.0-stranger";
  std::filesystem::create_directory(planted);
  EXPECT_EQ(inChild([&] {
              if (setuid(12345) != 0)
                return 1;
              directory = "";
              return get().isOk() ? 0 : 2;
            }),
            0);
  EXPECT_TRUE(std::filesystem::exists(planted));
  std::filesystem::remove(planted);
}

TEST_F(PlanCacheTest, aFullOrReadOnlyCacheStillGivesAPlan) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root to mount";
  std::filesystem::create_directory(scratch / "mount");
  struct {
    const char *options;
    unsigned long flags;
  } cases[] = {{"size=8k,mode=0700", 0},
               {"size=4k,mode=0700", 0},
               {"nr_inodes=2,mode=0700", 0},
               {"nr_inodes=4,mode=0700", 0},
               {"size=1m,mode=0700", MS_RDONLY}};
  for (auto &[mountOptions, flags] : cases) {
    int result = inChild([&, mountOptions = mountOptions, flags = flags] {
      static int warnings;
      warnings = 0;
      setLogLevel(LogLevel::Warning);
      setLogSink([](LogLevel level, std::string_view) {
        warnings += level == LogLevel::Warning;
      });
      if (unshare(CLONE_NEWNS) != 0 ||
          mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          mount("tmpfs", (scratch / "mount").c_str(), "tmpfs", flags,
                mountOptions) != 0)
        return 77;
      directory = scratch / "mount/cache";
      for (int i = 0; i != 2; ++i) {
        auto plan = get();
        if (!plan)
          return 1;
        if (plan->cached || !plan->plan->directory.starts_with("/tmp/rcclx-"))
          return 2;
      }
      if (warnings < 1 || warnings > 2)
        return 3; // said, but not at every plan
      for (const char *kept : {"mount/cache"})
        if (std::filesystem::exists(scratch / kept) &&
            !std::filesystem::is_empty(scratch / kept))
          return 4;
      return 0;
    });
    if (result == 77)
      GTEST_SKIP() << "mounts are not permitted";
    EXPECT_EQ(result, 0) << mountOptions;
  }
  std::filesystem::remove("/tmp/compiled");
}

TEST_F(PlanCacheTest, everyDamageOfTheManifestIsAMiss) {
  ASSERT_OK(get().status());
  std::string path = onlyEntry() + "/manifest.json";
  std::string whole;
  std::getline(std::ifstream(path), whole, '\0');
  std::mt19937 random(2026);
  for (int i = 0; i != fewOrAll(40, 2000); ++i) {
    std::string damaged = whole;
    switch (i % 4) {
    case 0:
      damaged[random() % whole.size()] ^= char(1 << random() % 8);
      break;
    case 1:
      damaged.resize(random() % whole.size());
      break;
    case 2: // two places change sides
      std::swap(damaged[random() % whole.size()],
                damaged[random() % whole.size()]);
      break;
    default:
      damaged.insert(random() % whole.size(), 1, char(random()));
    }
    if (damaged == whole)
      continue;
    writeFile(path, damaged);
    auto plan = get();
    ASSERT_OK(plan.status());
    EXPECT_FALSE(plan->cached) << i;
    EXPECT_TRUE(get()->cached) << "it is to be rebuilt";
  }
}

TEST_F(PlanCacheTest, concurrentWritersAgree) {
  std::vector<std::thread> threads;
  for (int i = 0; i != 8; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round != 5; ++round) {
        auto plan = get();
        ASSERT_OK(plan.status());
        // The files are there as long as the plan is used.
        EXPECT_TRUE(
            std::filesystem::exists(plan->plan->objectPath(hostTarget)));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(countEntries(directory), 1u);
}

TEST_F(PlanCacheTest, leftOversOfKilledProcessesAreRemoved) {
  // A process that is killed while it compiles.
  request.schedule = "hang";
  pid_t child = fork();
  if (child == 0) {
    (void)get().isOk();
    _exit(1);
  }
  auto temporaries = [&] {
    size_t found = 0;
    if (std::filesystem::exists(directory))
      for (auto &entry : std::filesystem::directory_iterator(directory))
        found += entry.path().filename().string().starts_with(".tmp-");
    return found;
  };
  while (temporaries() == 0)
    std::this_thread::yield();
  request.schedule = "fixture";
  ASSERT_OK(get().status());
  EXPECT_EQ(temporaries(), 1u); // it may still finish
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  ASSERT_OK(get().status());
  EXPECT_EQ(temporaries(), 0u);
}

TEST_F(PlanCacheTest, leftOversOfOtherMachinesAreRemovedWhenOld) {
  ASSERT_OK(get().status());
  std::string old = directory + "/.tmp-1.0-old",
              recent = directory + "/.tmp-new";
  std::filesystem::create_directories(old);
  std::filesystem::create_directories(recent);
  std::filesystem::last_write_time(
      old,
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_OK(get().status());
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(recent));
}

TEST_F(PlanCacheTest, aRelativeDirectoryBecomesAbsolute) {
  std::string before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.path);
  directory = "cache/rcclx";
  auto plan = get();
  std::filesystem::current_path(before);
  ASSERT_OK(plan.status());
  EXPECT_TRUE(plan->plan->directory.starts_with('/')) << plan->plan->directory;
  ASSERT_OK(Plan::load(plan->plan->directory, hostTarget).status());
}

TEST_F(PlanCacheTest, theUmaskDoesNotMatter) {
  mode_t before = umask(002);
  auto first = get();
  umask(before);
  ASSERT_OK(first.status());
  auto second = get();
  ASSERT_OK(second.status());
  EXPECT_TRUE(second->cached);
}

TEST_F(PlanCacheTest, anEntryThatCannotBeReadNowStays) {
  ASSERT_OK(get().status());
  std::string entry = onlyEntry();
  auto cache = PlanCache::open(directory);
  ASSERT_OK(cache.status());
  CompilerLibrary compiler = CompilerLibrary::find(options);
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
  int next = dup(0);
  close(next);
  // Room for the listing, or the entry's directory, but not for its files.
  rlimit tight = {rlim_t(next) + 1, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  auto refused = cache->get(request, compiler);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
  EXPECT_FALSE(refused.isOk());
  EXPECT_TRUE(std::filesystem::exists(entry + "/manifest.json"));
  auto again = get();
  ASSERT_OK(again.status());
  EXPECT_TRUE(again->cached);
}

TEST(CompilerLibraryTest, verifies) {
  Options options;
  options.compilerLibrary = RCCLX_FAKE_COMPILER;
  CompilerLibrary compiler = CompilerLibrary::find(options);
  auto proof = compiler.verify("fixture", "x.mlir", "", 4, 0, 0, {});
  ASSERT_OK(proof.status());
  EXPECT_EQ(proof->operations, 4u);
  EXPECT_ERROR(compiler.verify("error", "x.mlir", "", 4, 0, 0, {}).status(),
               Code::Schedule, "x.mlir:1:1: error");
}

TEST(CompilerLibraryTest, aLibraryOfAnotherKindIsRefused) {
  Options options;
  options.compilerLibrary = RCCLX_FIXTURE_KERNEL;
  EXPECT_ERROR(
      CompilerLibrary::find(options).verify("x", "x", "", 1, 0, 0, {}).status(),
      Code::Unavailable, "lacks required symbols: rcclx_compiler_api_version");
}

} // namespace
