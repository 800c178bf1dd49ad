//===- PlanTest.cpp - Plans that are compiled ahead of time ---------------===//
//
// Part of rcclx. `rcclx compile` in one process, `rcclx run --plan` and the C
// interface in others, which find no compiler.
//
//===----------------------------------------------------------------------===//
#include "Process.h"

#include "rcclx/Runtime/Manifest.h"
#include "rcclx/rcclx.h"

#include <random>
#include <sys/stat.h>
#include <unistd.h>

using namespace rcclx::testing;
using rcclx::runtime::testing::countEntries;
using rcclx::runtime::testing::Scratch;
using rcclx::runtime::testing::writeFile;

namespace {

const std::string schedule = RCCLX_SCHEDULES "/all_reduce_two_shot.mlir";

std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Outcome {
  int status;
  std::string output, errors;
};

class PlanTest : public ::testing::Test {
protected:
  PlanTest() : plan(scratch / "plan") {}

  static Outcome finish(Process &process) {
    int status = process.wait();
    return {status, process.output(), process.errors()};
  }

  Outcome compile(std::vector<std::string> more,
                  const std::string &file = schedule) {
    more.insert(more.begin(), {"compile", file});
    Process process(more, {"RCCLX_COMPILER_LIBRARY=" RCCLX_COMPILER});
    return finish(process);
  }
  /// A plan for the host and gfx942.
  void compilePlan(const std::string &ranks = "3") {
    Outcome made =
        compile({"-o", plan, "--ranks", ranks, "--target", "host,gfx942"});
    ASSERT_EQ(made.status, 0) << made.errors;
  }

  /// Runs the command where no compiler, and no cache, can be found.
  Outcome without(std::vector<std::string> arguments) {
    std::string program = scratch / "rcclx";
    if (access(program.c_str(), F_OK) != 0)
      std::filesystem::copy_file(RCCLX_TOOL, program);
    Process process(std::move(arguments),
                    {"RCCLX_CACHE_DIR=" + (scratch / "none")},
                    "exec '" + program + "' \"$@\"");
    return finish(process);
  }
  Outcome runPlan(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", "--plan", plan, "--iterations", "3"});
    return without(std::move(more));
  }
  Outcome inspect(const std::string &place) {
    return without({"inspect", place});
  }

  static void expectRefused(const Outcome &outcome, const std::string &text) {
    EXPECT_EQ(outcome.status, 2) << outcome.errors;
    EXPECT_NE(outcome.errors.find(text), std::string::npos)
        << "expected: " << text << "\nfound: " << outcome.errors;
    EXPECT_EQ(outcome.output, "");
  }

  Scratch scratch;
  const std::string plan;
};

TEST_F(PlanTest, runsWithoutACompiler) {
  compilePlan();
  expectRefused(without({"run", schedule}), "compiler is not installed");
  for (const char *mode : {"--procs", "--in-place"}) {
    Outcome run = runPlan({mode, "--count", "10007", "--special"});
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(run.errors, "");
    EXPECT_NE(run.output.find("ahead of time"), std::string::npos)
        << run.output;
    EXPECT_NE(run.output.find("bit for bit"), std::string::npos) << run.output;
  }
}

TEST_F(PlanTest, saysWhatTheOptionsSaid) {
  for (const char *contract :
       {"all_gather_ring", "reduce_scatter_direct", "barrier"}) {
    std::string file = std::string(RCCLX_SCHEDULES "/") + contract + ".mlir";
    Outcome made = compile({"-o", plan, "--ranks", "5", "--type", "bf16",
                            "--op", "max", "--protocol", "flag"},
                           file);
    ASSERT_EQ(made.status, 0) << made.errors;
    Outcome run = runPlan({"--count", "1009"});
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_NE(run.output.find("5 ranks"), std::string::npos) << run.output;
  }
}

TEST_F(PlanTest, noOptionContradictsAPlan) {
  compilePlan();
  expectRefused(runPlan({"--ranks", "4"}), "--ranks");
  expectRefused(runPlan({"--type", "f16"}), "--type");
  expectRefused(runPlan({schedule}), "expected a schedule, or --plan and none");
  expectRefused(without({"run"}), "expected a schedule");
}

TEST_F(PlanTest, aMissingTargetIsNamed) {
  Outcome made = compile({"-o", plan, "--target", "gfx942,gfx1201"});
  ASSERT_EQ(made.status, 0) << made.errors;
  expectRefused(runPlan(),
                "no object for host-x86_64 (it has: gfx942, gfx1201)");
}

TEST_F(PlanTest, unknownTargetsGiveTheList) {
  for (const char *targets : {"gfx1", "host,sm_", "host-aarch64", "HOST"})
    expectRefused(compile({"-o", plan, "--target", targets}),
                  "expected host-x86_64, sm_NN or one of gfx90a, gfx942, ");
  expectRefused(compile({"-o", plan, "--target", "host,,gfx942"}),
                "not a list of targets");
  expectRefused(compile({"-o", plan, "--cpu", "x86-64-v9"}),
                "known are x86-64, x86-64-v2, x86-64-v3, x86-64-v4");
  EXPECT_EQ(countEntries(scratch.path), 0u);
}

TEST_F(PlanTest, anotherProcessorIsRefused) {
  compilePlan();
  // What the cache holds is for one machine.
  std::string manifest = readFile(plan + "/manifest.json");
  size_t at = manifest.find("x86-64-v3");
  ASSERT_NE(at, std::string::npos);
  manifest.replace(at, 9, "znver9-01");
  writeFile(plan + "/manifest.json", rcclx::runtime::sealManifest(manifest));
  expectRefused(runPlan(), "for the processor of one machine (znver9-01)");
  Outcome shown = inspect(plan);
  EXPECT_NE(shown.output.find("refuses it here"), std::string::npos);
}

TEST_F(PlanTest, everyDamagedFileIsNamed) {
  compilePlan();
  std::mt19937 random(1);
  for (const char *name : {"host-x86_64.so", "host.hip.cpp", "gpu.hip.cpp",
                           "gfx942.co", "manifest.json"}) {
    std::string path = plan + "/" + name;
    const std::string whole = readFile(path);
    ASSERT_FALSE(whole.empty()) << path;
    std::vector<std::string> damaged = {
        "", whole + "x", whole.substr(0, random() % whole.size())};
    std::string flipped = whole;
    flipped[random() % whole.size()] ^= char(1 << random() % 8);
    damaged.push_back(flipped);
    for (const std::string &content : damaged) {
      writeFile(path, content);
      expectRefused(runPlan(), name);
      expectRefused(inspect(plan), name);
    }
    unlink(path.c_str());
    expectRefused(runPlan(), name);
    writeFile(path, whole);
  }
  EXPECT_EQ(runPlan().status, 0);
  expectRefused(without({"inspect", scratch / "none"}), "none");
  expectRefused(without({"inspect", schedule}), schedule);
}

TEST_F(PlanTest, plansOfOthersAreRefused) {
  compilePlan();
  chmod(plan.c_str(), 0777);
  expectRefused(runPlan(), "writable by other users");
}

TEST_F(PlanTest, onlyPlansAreOverwritten) {
  writeFile(plan, "text");
  expectRefused(compile({"-o", plan}), "only plans are overwritten");
  EXPECT_EQ(readFile(plan), "text");
  unlink(plan.c_str());

  mkdir(plan.c_str(), 0700);
  writeFile(plan + "/notes.txt", "text");
  expectRefused(compile({"-o", plan}), "holds notes.txt");
  unlink((plan + "/notes.txt").c_str());
  mkdir((plan + "/manifest.json").c_str(), 0700);
  expectRefused(compile({"-o", plan}), "holds manifest.json");
  rmdir((plan + "/manifest.json").c_str());
  writeFile(plan + "/mine.so", "text");
  expectRefused(compile({"-o", plan}), "holds no manifest.json");
  unlink((plan + "/mine.so").c_str());

  compilePlan("2"); // over an empty directory
  std::string link = scratch / "link";
  ASSERT_EQ(symlink(plan.c_str(), link.c_str()), 0);
  expectRefused(compile({"-o", link}), "is no directory");
  EXPECT_EQ(runPlan().status, 0);
  expectRefused(compile({"-o", ""}), "-o");
  expectRefused(compile({"-o", scratch / "absent/plan"}), "absent");
}

TEST_F(PlanTest, anOldPlanGivesWayToAWholeOne) {
  compilePlan("2");
  std::string before = inspect(plan).output;
  // A schedule that is not proved leaves the old plan, and nothing beside it.
  std::string bad = scratch / "bad.mlir";
  std::string text = readFile(schedule);
  size_t at = text.find("rcclx.store");
  ASSERT_NE(at, std::string::npos);
  writeFile(bad, text.replace(at, 0, "// "));
  size_t entries = countEntries(scratch.path);
  Outcome refused = compile({"-o", plan}, bad);
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("bad.mlir:"), std::string::npos);
  EXPECT_EQ(inspect(plan).output, before);
  compilePlan("3");
  EXPECT_NE(inspect(plan).output.find("3 ranks"), std::string::npos);
  writeFile(plan + "/manifest.json", "damaged");
  compilePlan("4");
  EXPECT_NE(inspect(plan).output.find("4 ranks"), std::string::npos);
  EXPECT_EQ(countEntries(scratch.path), entries);
}

TEST_F(PlanTest, severalWorldsAndTypesAreAFolder) {
  Outcome made = compile({"-o", plan, "--ranks", "2,3", "--type", "f32,bf16"});
  ASSERT_EQ(made.status, 0) << made.errors;
  EXPECT_EQ(std::count(made.output.begin(), made.output.end(), '\n'), 4);
  EXPECT_EQ(countEntries(plan), 4u);
  for (const char *ranks : {"2", "3"})
    for (const char *type : {"f32", "bf16"}) {
      Outcome run = without(
          {"run", "--iterations", "0", "--plan",
           fmt::format("{}/all_reduce_two_shot-{}-{}-sum", plan, ranks, type)});
      EXPECT_EQ(run.status, 0) << run.errors;
    }
  // Again, over what is there.
  EXPECT_EQ(compile({"-o", plan, "--ranks", "2,3"}).status, 0);
  EXPECT_EQ(countEntries(plan), 4u);
}

TEST_F(PlanTest, inspectShowsWhatIsInAPlan) {
  compilePlan();
  Outcome shown = inspect(plan);
  EXPECT_EQ(shown.status, 0) << shown.errors;
  for (const char *text :
       {"all_reduce_two_shot: all_reduce, 3 ranks, f32, sum", "hash", "proved",
        "largest", "memory", "host-x86_64.so", "runs on this processor",
        "gfx942.co", "every file equals its checksum"})
    EXPECT_NE(shown.output.find(text), std::string::npos) << shown.output;
  Outcome json = without({"inspect", plan, "--json"});
  EXPECT_EQ(json.output, readFile(plan + "/manifest.json"));
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

/// One rank of a communicator of one.
struct Alone {
  Alone() {
    rcclx_unique_id id;
    EXPECT_EQ(rcclx_unique_id_create(&id), RCCLX_OK);
    rcclx_comm_params params = {};
    params.struct_size = sizeof(params);
    params.id = &id;
    params.world = 1;
    params.cache_dir = "/dev/null/none";
    EXPECT_EQ(rcclx_comm_create(&params, &comm), RCCLX_OK)
        << rcclx_last_error();
  }
  ~Alone() { rcclx_comm_destroy(comm); }

  rcclx_result prepare(const rcclx_plan_params &params, rcclx_plan **plan) {
    return rcclx_plan_prepare(comm, &params, plan);
  }

  rcclx_comm *comm = nullptr;
};

TEST_F(PlanTest, interfaceTakesADirectory) {
  compilePlan("1");
  Alone alone;
  rcclx_plan_params params = {};
  params.struct_size = sizeof(params);
  params.plan_dir = plan.c_str();
  rcclx_plan *prepared = nullptr;
  ASSERT_EQ(alone.prepare(params, &prepared), RCCLX_OK) << rcclx_last_error();
  std::vector<float> input(1013), output(1013, -1);
  for (size_t i = 0; i != input.size(); ++i)
    input[i] = float(i) * 0.5f;
  rcclx_launch_params launch = {};
  launch.struct_size = sizeof(launch);
  launch.plan = prepared;
  launch.input = input.data();
  launch.output = output.data();
  launch.count = input.size();
  EXPECT_EQ(rcclx_launch(alone.comm, &launch), RCCLX_OK) << rcclx_last_error();
  EXPECT_EQ(input, output);
  EXPECT_EQ(rcclx_plan_destroy(prepared), RCCLX_OK);
}

TEST_F(PlanTest, interfaceRefusesWhatContradicts) {
  compilePlan("3");
  Alone alone;
  rcclx_plan *prepared = nullptr;
  rcclx_plan_params params = {};
  params.struct_size = sizeof(params);
  params.plan_dir = plan.c_str();
  EXPECT_EQ(alone.prepare(params, &prepared), RCCLX_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rcclx_last_error())
                .find("for 3 ranks; the communicator has 1"),
            std::string::npos)
      << rcclx_last_error();
  params.element = "f32";
  EXPECT_EQ(alone.prepare(params, &prepared), RCCLX_INVALID_ARGUMENT);
  params.element = nullptr;
  params.plan_dir = "";
  EXPECT_EQ(alone.prepare(params, &prepared), RCCLX_INVALID_ARGUMENT);
  std::string absent = scratch / "absent";
  params.plan_dir = absent.c_str();
  EXPECT_EQ(alone.prepare(params, &prepared), RCCLX_CORRUPT);
  EXPECT_NE(std::string(rcclx_last_error()).find(absent), std::string::npos);
  EXPECT_EQ(prepared, nullptr);
}

} // namespace
