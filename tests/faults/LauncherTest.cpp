//===- LauncherTest.cpp - Jobs that launchers start -----------------------===//
//
// Part of rcclx. Open MPI's mpirun where it is installed; torchrun, MPICH's
// mpiexec and Slurm's srun by the variables that they set. Ranks that met those
// of another job would compute another sum: each job adds a value of its own.
//
//===----------------------------------------------------------------------===//
#include "Job.h"

#include <algorithm>
#include <unistd.h>

using namespace rcclx::faults;
using rcclx::runtime::testing::Scratch;

namespace {

using Environment = std::vector<std::string>;

class JobTest : public ::testing::Test {
protected:
  std::vector<std::string> command(const std::vector<std::string> &more = {}) {
    std::vector<std::string> result = {FAULT_RANK,
                                       "cache=" + (scratch / "cache")};
    result.insert(result.end(), more.begin(), more.end());
    return result;
  }
  static void expectWell(Child &child, const std::string &rank) {
    EXPECT_TRUE(child.wait()) << child.all();
    EXPECT_EQ(child.status(), 0) << child.all();
    EXPECT_TRUE(child.said(rank)) << child.all();
    EXPECT_FALSE(child.said("left over")) << child.all();
  }

  Scratch scratch;
};

Environment torchrun(uint32_t rank, uint32_t world, int port) {
  return {fmt::format("RANK={}", rank),
          fmt::format("WORLD_SIZE={}", world),
          fmt::format("LOCAL_RANK={}", rank),
          fmt::format("LOCAL_WORLD_SIZE={}", world),
          "MASTER_ADDR=127.0.0.1",
          fmt::format("MASTER_PORT={}", port),
          "TORCHELASTIC_RUN_ID=none",
          "TORCHELASTIC_RESTART_COUNT=0"};
}
Environment slurm(uint32_t rank, uint32_t world, int job) {
  return {fmt::format("SLURM_PROCID={}", rank),
          fmt::format("SLURM_LOCALID={}", rank),
          fmt::format("SLURM_NTASKS={}", world),
          fmt::format("SLURM_STEP_NUM_TASKS={}", world),
          "SLURM_NNODES=1",
          "SLURM_STEP_NUM_NODES=1",
          fmt::format("SLURM_JOB_ID={}", job),
          "SLURM_STEP_ID=0"};
}
Environment own(uint32_t rank, uint32_t world, int job) {
  return {fmt::format("RCCLX_RANK={}", rank),
          fmt::format("RCCLX_WORLD={}", world),
          fmt::format("RCCLX_ID=job {}", job)};
}
Environment mpich(uint32_t rank, uint32_t world, int job) {
  return {fmt::format("PMI_RANK={}", rank), fmt::format("PMI_SIZE={}", world),
          fmt::format("MPI_LOCALNRANKS={}", world),
          fmt::format("PMI_PORT=localhost:{}", job)};
}

TEST_F(JobTest, twoJobsAtATimeDoNotMeet) {
  for (auto launcher : {torchrun, slurm, own, mpich}) {
    constexpr uint32_t world = 3;
    // Of this run of the test alone, should another be under way.
    int job = int(getpid()) * 10;
    std::vector<Child> ranks;
    for (uint32_t rank = 0; rank != world; ++rank)
      for (int other : {0, 1})
        ranks.emplace_back(
            command({fmt::format("value={}", 100 * other), "comms=3"}),
            launcher(rank, world, job + other));
    for (size_t i = 0; i != ranks.size(); ++i)
      expectWell(ranks[i], fmt::format("rank {} of {}\n", i / 2, world));
  }
}

TEST_F(JobTest, withoutAnIdTheLaunchersProcessNamesTheJob) {
  // MPICH's mpiexec: two shells, each of which starts two ranks in shells.
  std::vector<Child> launchers;
  for (int job : {0, 1})
    launchers.emplace_back(
        std::vector<std::string>{
            "sh", "-c",
            "for r in 0 1; do PMI_RANK=$r PMI_SIZE=2 MPI_LOCALNRANKS=2 "
            "sh -c '\"$0\" \"$@\"; exit $?' \"$0\" \"$@\" & done; "
            "wait; true",
            FAULT_RANK, "cache=" + (scratch / "cache"),
            fmt::format("value={}", 100 * job)},
        Environment{});
  for (Child &launcher : launchers) {
    expectWell(launcher, "rank 0 of 2\n");
    EXPECT_TRUE(launcher.said("rank 1 of 2\n")) << launcher.all();
    EXPECT_FALSE(launcher.said("error")) << launcher.all();
    EXPECT_FALSE(launcher.said("wrong")) << launcher.all();
  }
}

TEST_F(JobTest, mpirunStartsRanks) {
  if (access("/usr/bin/mpirun", X_OK) != 0)
    GTEST_SKIP() << "no mpirun (openmpi-bin)";
  auto mpirun = [&](int value) {
    std::vector<std::string> line = {"/usr/bin/mpirun", "--allow-run-as-root",
                                     "--oversubscribe", "-np", "4"};
    for (const std::string &word :
         command({fmt::format("value={}", value), "comms=2"}))
      line.push_back(word);
    return Child(line, Environment{});
  };
  Child one = mpirun(0), two = mpirun(1000);
  for (Child *job : {&one, &two}) {
    expectWell(*job, "rank 3 of 4\n");
    std::string text = job->all();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4 * (2 * 5 + 2))
        << text;
  }
}

TEST_F(JobTest, theCommandRunsAsARank) {
  std::string schedule = scratch / "good.mlir";
  rcclx::runtime::testing::writeFile(schedule, "fixture\n");
  std::vector<std::string> run = {RCCLX_TOOL, "run",         schedule,
                                  "--count",  "999",         "--iterations",
                                  "2",        "--cache-dir", scratch / "cache"};
  int job = int(getpid()) * 10 + 7;
  std::vector<Child> ranks;
  for (uint32_t rank = 0; rank != 3; ++rank)
    ranks.emplace_back(run, slurm(rank, 3, job));
  for (Child &rank : ranks) {
    EXPECT_TRUE(rank.wait());
    EXPECT_EQ(rank.status(), 0) << rank.all();
  }
  // One speaks for all.
  EXPECT_TRUE(ranks[0].said("3 ranks (processes of Slurm)")) << ranks[0].all();
  EXPECT_TRUE(ranks[0].said("every element of every rank")) << ranks[0].all();
  EXPECT_EQ(ranks[1].all() + ranks[2].all(), "");

  // So it does of failures.
  run.insert(run.end(), {"--timeout-ms", "3000"});
  Child zero(run, slurm(0, 3, job + 1)), two(run, slurm(2, 3, job + 1));
  for (Child *rank : {&zero, &two}) {
    EXPECT_TRUE(rank->wait());
    EXPECT_EQ(rank->status(), 1) << rank->all();
  }
  EXPECT_NE(zero.line("rcclx: error").find("3000 ms: 1"), std::string::npos)
      << zero.all();
  EXPECT_EQ(two.all(), "");

  // Where the user says how many ranks, there is no job.
  run.insert(run.end(), {"--ranks", "2"});
  Child alone(run, slurm(1, 3, job + 2));
  EXPECT_TRUE(alone.wait());
  EXPECT_TRUE(alone.said("2 ranks (threads)")) << alone.all();

  if (access("/usr/bin/mpirun", X_OK) != 0)
    return;
  std::vector<std::string> mpirun = {"/usr/bin/mpirun", "--allow-run-as-root",
                                     "--oversubscribe", "-np", "3"};
  mpirun.insert(mpirun.end(), run.begin(), run.end() - 4);
  Child launcher(mpirun, Environment{});
  EXPECT_TRUE(launcher.wait());
  EXPECT_EQ(launcher.status(), 0) << launcher.all();
  EXPECT_TRUE(launcher.said("3 ranks (processes of Open MPI)"))
      << launcher.all();
}

TEST_F(JobTest, twoUsersWithTheSameNamesDoNotMeet) {
  if (geteuid() != 0 || access("/usr/bin/setpriv", X_OK) != 0)
    GTEST_SKIP() << "needs root, and setpriv";
  Scratch other;
  ASSERT_EQ(chown(other.path.c_str(), 12345, 12345), 0);
  int job = int(getpid()) * 10 + 9;
  auto asOther = [&](uint32_t rank) {
    std::vector<std::string> line = {"/usr/bin/setpriv",
                                     "--reuid=12345",
                                     "--regid=12345",
                                     "--clear-groups",
                                     FAULT_RANK,
                                     "value=100",
                                     "cache=" + (other / "cache")};
    return Child(line, own(rank, 2, job));
  };
  {
    Child probe({"/usr/bin/setpriv", "--reuid=12345", "--clear-groups",
                 FAULT_RANK, "cache=/x"},
                {});
    EXPECT_TRUE(probe.wait());
    if (!probe.said("error create"))
      GTEST_SKIP() << "another user cannot run " << FAULT_RANK;
  }
  // The same id of a job: by chance, as two users may well choose it.
  Child mine0(command(), own(0, 2, job)), theirs0 = asOther(0),
                                          theirs1 = asOther(1),
                                          mine1(command(), own(1, 2, job));
  for (Child *rank : {&mine0, &theirs0})
    expectWell(*rank, "rank 0 of 2\n");
  for (Child *rank : {&mine1, &theirs1})
    expectWell(*rank, "rank 1 of 2\n");
}

TEST_F(JobTest, aStrangerInTheEnvironmentIsNamed) {
  int job = int(getpid()) * 10 + 5;
  auto expectError = [&](Environment environment, const char *text) {
    Child child(command(), std::move(environment));
    EXPECT_TRUE(child.wait());
    EXPECT_EQ(child.status(), 1);
    EXPECT_NE(child.line("error create").find(text), std::string::npos)
        << child.all();
  };
  expectError({}, "found none of them");
  expectError({"RANK=1"}, "found RANK=1");
  expectError({"RCCLX_RANK=0"}, "RCCLX_WORLD is not");
  expectError({"RCCLX_RANK=0", "RCCLX_WORLD=2"}, "RCCLX_ID");
  Environment nodes = slurm(0, 2, job);
  nodes[5] = "SLURM_STEP_NUM_NODES=2";
  expectError(nodes, "one node only");
  Environment both = mpich(1, 2, job);
  for (const std::string &entry : own(0, 300, job))
    both.push_back(entry);
  expectError(both, "300 ranks");
}

TEST_F(JobTest, aMissingRankIsNamedWithTheLauncher) {
  int job = int(getpid()) * 10 + 6;
  Child zero(command({"timeout=3000"}), slurm(0, 3, job)),
      two(command({"timeout=3000"}), slurm(2, 3, job));
  for (Child *rank : {&zero, &two}) {
    EXPECT_TRUE(rank->wait());
    std::string error = rank->line("error create");
    EXPECT_NE(error.find("did not join within 3000 ms: 1"), std::string::npos)
        << rank->all();
    EXPECT_NE(error.find("environment of Slurm"), std::string::npos) << error;
  }
}

} // namespace
