//===- LauncherTest.cpp - Ranks by a launcher's environment ---------------===//
//
// Part of rcclx. Open MPI's mpirun itself is tried by tests/system; torchrun,
// MPICH and Slurm by the variables that they set.
//
//===----------------------------------------------------------------------===//
#include "RuntimeTesting.h"

#include "rcclx/Runtime/Launcher.h"
#include "rcclx/Runtime/Options.h"

#include "../../../runtime/lib/bootstrap/UniqueId.h"

#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace rcclx::runtime;
using namespace rcclx::runtime::testing;

namespace {

Expected<std::optional<LauncherJob>> find(const LauncherVariables &variables) {
  return findJob(variables, [](const std::string &variable) {
    return "process of " + variable;
  });
}

LauncherVariables with(LauncherVariables variables,
                       const LauncherVariables &more) {
  for (const auto &[name, value] : more)
    variables[name] = value;
  return variables;
}

LauncherVariables without(LauncherVariables variables,
                          const std::string &name) {
  variables.erase(name);
  return variables;
}

// What each sets for rank 2 of 4 on one node.
const LauncherVariables own = {
    {"RCCLX_RANK", "2"}, {"RCCLX_WORLD", "4"}, {"RCCLX_ID", "a job"}};
const LauncherVariables torchrun = {{"RANK", "2"},
                                    {"WORLD_SIZE", "4"},
                                    {"LOCAL_WORLD_SIZE", "4"},
                                    {"MASTER_ADDR", "localhost"},
                                    {"MASTER_PORT", "29500"},
                                    {"TORCHELASTIC_RUN_ID", "none"},
                                    {"TORCHELASTIC_RESTART_COUNT", "0"}};
const LauncherVariables openMpi = {
    {"OMPI_COMM_WORLD_RANK", "2"},
    {"OMPI_COMM_WORLD_SIZE", "4"},
    {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
    {"PMIX_NAMESPACE", "1538457601"},
    {"OMPI_MCA_orte_precondition_transports", "4c27-2b4a"}};
const LauncherVariables mpich = {
    {"PMI_RANK", "2"}, {"PMI_SIZE", "4"}, {"MPI_LOCALNRANKS", "4"}};
const LauncherVariables slurm = {
    {"SLURM_PROCID", "2"},         {"SLURM_NTASKS", "9"},
    {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_NNODES", "2"},
    {"SLURM_STEP_NUM_NODES", "1"}, {"SLURM_JOB_ID", "77"},
    {"SLURM_STEP_ID", "0"}};

const struct {
  const char *name;
  const LauncherVariables &variables;
} launchers[] = {{"rcclx", own},
                 {"torchrun", torchrun},
                 {"Open MPI", openMpi},
                 {"PMI", mpich},
                 {"Slurm", slurm}};

TEST(LauncherTest, eachTellsRankAndWorld) {
  for (auto &[name, variables] : launchers) {
    auto job = find(variables);
    ASSERT_OK(job.status());
    ASSERT_TRUE(job->has_value()) << name;
    EXPECT_EQ((*job)->launcher, name);
    EXPECT_EQ((*job)->rank, 2u);
    EXPECT_EQ((*job)->world, 4u);
    EXPECT_NE((*job)->key, "");
  }
  EXPECT_EQ((*find(mpich))->key, "process of PMI_RANK");
}

TEST(LauncherTest, whatIsNotSetIsNoJob) {
  auto none = find({});
  ASSERT_OK(none.status());
  EXPECT_FALSE(none->has_value());
  // Half of what others set may be chance; empty is as good as unset.
  for (const LauncherVariables &chance :
       {LauncherVariables{{"RANK", "3"}},
        {{"WORLD_SIZE", "3"}},
        {{"PMI_RANK", ""}, {"PMI_SIZE", "2"}}}) {
    auto job = find(chance);
    ASSERT_OK(job.status());
    EXPECT_FALSE(job->has_value());
  }
  std::string text = describeSearch({{"RANK", "3"}});
  for (const char *part :
       {"RCCLX_RANK and RCCLX_WORLD (rcclx)", "RANK and WORLD_SIZE (torchrun)",
        "SLURM_PROCID and SLURM_STEP_NUM_TASKS or SLURM_NTASKS (Slurm)",
        "found RANK=3"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_NE(describeSearch({}).find("found none of them"), std::string::npos);
}

TEST(LauncherTest, theInnermostLauncherCounts) {
  struct {
    LauncherVariables outer, inner;
    const char *name;
  } nestings[] = {
      {slurm, openMpi, "Open MPI"},  {slurm, mpich, "PMI"},
      {slurm, torchrun, "torchrun"}, {openMpi, torchrun, "torchrun"},
      {torchrun, own, "rcclx"},      {openMpi, own, "rcclx"}};
  for (auto &[outer, inner, name] : nestings) {
    LauncherVariables variables = outer;
    for (auto &[variable, value] : variables)
      if (variable.find("RANK") != std::string::npos ||
          variable == "SLURM_PROCID")
        value = "0"; // of a daemon
    auto job = find(with(variables, inner));
    ASSERT_OK(job.status());
    EXPECT_EQ((*job)->launcher, name);
    EXPECT_EQ((*job)->rank, 2u);
  }
}

TEST(LauncherTest, contradictionsAreNamed) {
  LauncherVariables byHand = without(torchrun, "TORCHELASTIC_RUN_ID");
  ASSERT_OK(find(with(byHand, openMpi)).status()); // they agree
  byHand["RANK"] = "3";
  EXPECT_ERROR(find(with(byHand, openMpi)).status(), Code::InvalidArgument,
               "rank 3 of 4 (torchrun) and rank 2 of 4 (Open MPI)");
  EXPECT_ERROR(find(with(openMpi, with(mpich, {{"PMI_SIZE", "8"}}))).status(),
               Code::InvalidArgument,
               "rank 2 of 4 (Open MPI) and rank 2 of 8 (PMI)");
}

TEST(LauncherTest, partsAndBadValuesAreNamed) {
  EXPECT_ERROR(find({{"RCCLX_RANK", "0"}}).status(), Code::InvalidArgument,
               "RCCLX_RANK is set and RCCLX_WORLD is not");
  EXPECT_ERROR(find({{"RCCLX_WORLD", "2"}}).status(), Code::InvalidArgument,
               "RCCLX_WORLD is set and RCCLX_RANK is not");
  EXPECT_ERROR(find(without(own, "RCCLX_ID")).status(), Code::InvalidArgument,
               "not RCCLX_ID");
  EXPECT_ERROR(find(without(torchrun, "MASTER_PORT")).status(),
               Code::InvalidArgument, "not MASTER_PORT");
  EXPECT_ERROR(find(without(openMpi, "PMIX_NAMESPACE")).status(),
               Code::InvalidArgument, "not PMIX_NAMESPACE");
  // A batch script outside of a step.
  EXPECT_ERROR(find(without(slurm, "SLURM_STEP_ID")).status(),
               Code::InvalidArgument, "not SLURM_STEP_ID");
  for (const char *bad : {"-1", "x", "1x", " 1", "99999999999", "0x1"}) {
    EXPECT_ERROR(find(with(torchrun, {{"RANK", bad}})).status(),
                 Code::InvalidArgument, "RANK=");
    EXPECT_ERROR(find(with(slurm, {{"SLURM_STEP_NUM_TASKS", bad}})).status(),
                 Code::InvalidArgument, "SLURM_STEP_NUM_TASKS=");
  }
  EXPECT_ERROR(find(with(openMpi, {{"OMPI_COMM_WORLD_RANK", "4"}})).status(),
               Code::InvalidArgument, "no such rank");
}

TEST(LauncherTest, severalNodesAreRefused) {
  EXPECT_ERROR(
      find(with(openMpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}})).status(),
      Code::Unavailable, "4 ranks, 2 of them on this node");
  EXPECT_ERROR(find(with(torchrun, {{"LOCAL_WORLD_SIZE", "1"}})).status(),
               Code::Unavailable, "LOCAL_WORLD_SIZE");
  EXPECT_ERROR(find(with(mpich, {{"MPI_LOCALNRANKS", "3"}})).status(),
               Code::Unavailable, "one node only");
  EXPECT_ERROR(find(with(slurm, {{"SLURM_STEP_NUM_NODES", "2"}})).status(),
               Code::Unavailable, "on 2 nodes");
}

TEST(LauncherTest, everythingThatTellsJobsApartIsInTheKey) {
  // A value that is moved from one variable to the next is another job, too.
  std::vector<LauncherVariables> jobs = {
      own,
      with(own, {{"RCCLX_ID", "a job\n"}}),
      torchrun,
      openMpi,
      mpich,
      slurm,
      with(torchrun, {{"MASTER_PORT", "29501"}}),
      with(torchrun, {{"MASTER_ADDR", "elsewhere"}}),
      with(torchrun, {{"TORCHELASTIC_RESTART_COUNT", "1"}}),
      with(torchrun, {{"TORCHELASTIC_RUN_ID", "some"}}),
      with(openMpi, {{"PMIX_NAMESPACE", "1538457602"}}),
      with(openMpi, {{"OMPI_MCA_orte_precondition_transports", "4c27-2b4b"}}),
      with(mpich, {{"PMI_JOBID", "x"}}),
      with(mpich, {{"PALS_APID", "x"}}),
      with(slurm, {{"SLURM_JOB_ID", "78"}}),
      with(slurm, {{"SLURM_STEP_ID", "1"}}),
      with(slurm, {{"SLURM_RESTART_COUNT", "1"}})};
  std::set<std::string> keys, names;
  for (const LauncherVariables &job : jobs) {
    std::string key = (*find(job))->key;
    EXPECT_TRUE(keys.insert(key).second) << key;
    UniqueId id = UniqueId::derive(key);
    ASSERT_OK(id.check());
    EXPECT_TRUE(names.insert(id.name).second);
    EXPECT_EQ(memcmp(&id, &(const UniqueId &)UniqueId::derive(key), sizeof(id)),
              0);
  }
  // The rank is not.
  EXPECT_EQ((*find(with(slurm, {{"SLURM_PROCID", "1"}})))->key,
            (*find(slurm))->key);
  // An id of the user's replaces what the launcher says.
  EXPECT_EQ((*find(with(slurm, {{"RCCLX_ID", "a job"}})))->key,
            (*find(own))->key);
}

TEST(LauncherTest, onlyTheTablesVariablesAreKept) {
  const char *environment[] = {"RANK=1", "WORLD_SIZE=2", "RANKING=9",
                               "PATH=/bin", nullptr};
  std::vector<std::string> warnings;
  auto options = Options::parse(environment, warnings);
  ASSERT_OK(options.status());
  EXPECT_EQ(options->launcher,
            (LauncherVariables{{"RANK", "1"}, {"WORLD_SIZE", "2"}}));
  EXPECT_TRUE(warnings.empty());
}

TEST(LauncherTest, theTableIsDocumented) {
  std::string text;
  std::ifstream in(RCCLX_DOCS "/Runtime.md");
  std::getline(in, text, '\0');
  for (const std::string &name : launcherVariables())
    EXPECT_NE(text.find("`" + name + "`"), std::string::npos)
        << name << " is not in docs/Runtime.md";
}

/// What launcherProcess says in a shell inside of `shells` shells that have the
/// variable set.
std::string processBelow(int shells) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    // A new program: /proc shows the environment that it was started with.
    std::string self = std::to_string(ends[1]);
    setenv("RCCLX_TEST_DEPTH", std::to_string(shells).c_str(), 1);
    setenv("RCCLX_TEST_PIPE", self.c_str(), 1);
    setenv("RCCLX_TEST_RANK_VARIABLE", "0", 1);
    execl("/proc/self/exe", "RuntimeTests",
          "--gtest_filter=LauncherTest.DISABLED_below",
          "--gtest_also_run_disabled_tests", nullptr);
    _exit(1);
  }
  close(ends[1]);
  std::string text(256, '\0');
  ssize_t got = read(ends[0], text.data(), text.size());
  text.resize(size_t(std::max<ssize_t>(got, 0)));
  close(ends[0]);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  return text;
}

TEST(LauncherTest, DISABLED_below) {
  const char *depth = getenv("RCCLX_TEST_DEPTH");
  if (!depth)
    return; // not by processBelow
  if (int left = atoi(depth); left > 0) {
    if (pid_t child = fork(); child == 0) {
      setenv("RCCLX_TEST_DEPTH", std::to_string(left - 1).c_str(), 1);
      execl("/proc/self/exe", "RuntimeTests",
            "--gtest_filter=LauncherTest.DISABLED_below",
            "--gtest_also_run_disabled_tests", nullptr);
      _exit(1);
    } else {
      waitpid(child, nullptr, 0);
    }
    return;
  }
  std::string name = launcherProcess("RCCLX_TEST_RANK_VARIABLE");
  ASSERT_EQ(write(atoi(getenv("RCCLX_TEST_PIPE")), name.data(), name.size()),
            ssize_t(name.size()));
}

TEST(LauncherTest, ranksBelowWrappersFindTheirLauncher) {
  std::string direct = processBelow(0);
  EXPECT_TRUE(direct.starts_with(fmt::format("process {} of ", getpid())))
      << direct;
  EXPECT_EQ(processBelow(0), direct);
  EXPECT_EQ(processBelow(1), direct);
  EXPECT_EQ(processBelow(3), direct);
}

} // namespace
