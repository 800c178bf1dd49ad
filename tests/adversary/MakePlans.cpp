//===- MakePlans.cpp - Plans for the adversary ----------------------------===//
//
// Part of rcclx. The compiler half of the adversary: writes plans, a directory
// each, that the runtime half loads. Tiles are small and few are in flight, so
// that short calls meet what long ones do.
//
// Usage: AdversaryPlans DIRECTORY [options]
//   --schedules DIR    *.mlir of this directory (repeatable)
//   --only NAME,...    these schedules alone
//   --worlds 2,3       worlds (default 2,3,5)
//   --protocols ll,flag  (default: each, and the compiler's choice)
//   --variants N       plans for each schedule and world (default 2)
//   --full-variants N  the same, for ./scripts/test.sh --full
//   --portable         for any x86-64-v3, as rcclx_plan_prepare wants it
//   --preempt          kernels give way before each access
//   --tsan             kernels are instrumented for ThreadSanitizer
//   --strict           order only where acquire and release stand
//   --edit NAME        an edit of Edits.cpp
//   --drop TEXT N      the N-th line of the kernel that has TEXT is left out
//
//===----------------------------------------------------------------------===//
#include "Edits.h"
#include "FullTests.h"
#include "rcclx/CodeGen/PlanCompiler.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <numeric>
#include <random>
#include <sys/stat.h>

using namespace llvm;
using namespace rcclx;

namespace {

struct Options {
  std::string directory;
  std::vector<std::string> schedules;
  std::vector<std::string> only;
  std::vector<uint32_t> worlds = {2, 3, 5};
  std::vector<std::string> protocols = {"", "ll", "sentinel", "flag"};
  unsigned variants = 2, fullVariants = 0;
  bool portable = false, preempt = false, tsan = false, strict = false;
  StringRef edit, dropText;
  unsigned dropIndex = 0;
};

struct Schedule {
  std::string name, text;
};

[[noreturn]] void fail(const Twine &message) {
  errs() << "AdversaryPlans: error: " << message << "\n";
  exit(2);
}

std::vector<std::string> split(StringRef list) {
  SmallVector<StringRef> parts;
  list.split(parts, ',');
  return {parts.begin(), parts.end()};
}

Options parse(int argc, char **argv) {
  Options o;
  auto next = [&](int &i) -> StringRef {
    if (i + 1 == argc)
      fail(Twine(argv[i]) + " needs a value");
    return argv[++i];
  };
  for (int i = 1; i < argc; ++i) {
    StringRef arg = argv[i];
    if (arg == "--schedules") {
      o.schedules.push_back(next(i).str());
    } else if (arg == "--worlds") {
      o.worlds.clear();
      for (StringRef part : split(next(i)))
        if (part.getAsInteger(10, o.worlds.emplace_back()))
          fail("no number of ranks: " + part);
    } else if (arg == "--only") {
      o.only = split(next(i));
    } else if (arg == "--protocols") {
      o.protocols = split(next(i));
    } else if (arg == "--variants") {
      if (next(i).getAsInteger(10, o.variants))
        fail("--variants needs a number");
    } else if (arg == "--full-variants") {
      if (next(i).getAsInteger(10, o.fullVariants))
        fail("--full-variants needs a number");
    } else if (arg == "--portable") {
      o.portable = true;
    } else if (arg == "--preempt") {
      o.preempt = true;
    } else if (arg == "--tsan") {
      o.tsan = true;
    } else if (arg == "--strict") {
      o.strict = true;
    } else if (arg == "--edit") {
      o.edit = next(i);
    } else if (arg == "--drop") {
      o.dropText = next(i);
      if (next(i).getAsInteger(10, o.dropIndex))
        fail("--drop needs a text and a number");
    } else if (!arg.starts_with("-") && o.directory.empty()) {
      o.directory = arg;
    } else {
      fail("unknown argument " + arg);
    }
  }
  if (o.directory.empty() || o.schedules.empty())
    fail("expected a directory and --schedules");
  if (fullTests())
    o.variants = std::max(o.variants, o.fullVariants);
  return o;
}

bool isWanted(const Options &o, StringRef path) {
  return sys::path::extension(path) == ".mlir" &&
         (o.only.empty() || is_contained(o.only, sys::path::stem(path).str()));
}

std::vector<Schedule> readSchedules(const Options &o) {
  std::vector<Schedule> result;
  for (const std::string &directory : o.schedules) {
    std::error_code error;
    for (sys::fs::directory_iterator it(directory, error), end;
         !error && it != end; it.increment(error)) {
      if (!isWanted(o, it->path()))
        continue;
      auto buffer = MemoryBuffer::getFile(it->path());
      if (!buffer)
        fail(it->path() + ": " + buffer.getError().message());
      result.push_back(
          {sys::path::stem(it->path()).str(), (*buffer)->getBuffer().str()});
    }
    if (error)
      fail(directory + ": " + error.message());
  }
  std::sort(result.begin(), result.end(),
            [](auto &a, auto &b) { return a.name < b.name; });
  return result;
}

const adversary::Edit *findEdit(StringRef name) {
  for (auto list : {adversary::wrongEdits(), adversary::unorderedEdits()})
    for (const adversary::Edit &edit : list)
      if (name == StringRef(edit.name))
        return &edit;
  return nullptr;
}

/// Removes the line of occurrence `index` of `what`; false when there is none.
bool dropLine(std::string &text, StringRef what, unsigned index) {
  size_t at = text.find("extern \"C\" RX_KERNEL");
  for (unsigned i = 0; at != std::string::npos; ++i) {
    at = text.find(what.str(), at + (i ? 1 : 0));
    if (at != std::string::npos && i == index) {
      size_t begin = text.rfind('\n', at) + 1;
      text.erase(begin, text.find('\n', at) - begin);
      return true;
    }
  }
  return false;
}

/// Replaces the only `from` in `text`; false when it is not there once.
bool replaceOnce(std::string &text, StringRef from, StringRef to) {
  size_t at = text.find(from);
  if (at == std::string::npos || text.find(from, at + 1) != std::string::npos)
    return false;
  text.replace(at, from.size(), to);
  return true;
}

Error editText(const Options &o, std::string &text) {
  if (!o.edit.empty()) {
    const adversary::Edit &edit = *findEdit(o.edit);
    if (!replaceOnce(text, edit.from, edit.to) ||
        (!edit.from2.empty() && !replaceOnce(text, edit.from2, edit.to2)))
      return createStringError("edit " + o.edit +
                               ": its text is not there once: see Edits.cpp");
  }
  if (!o.dropText.empty() && !dropLine(text, o.dropText, o.dropIndex))
    return createStringError("the kernel has no line " + Twine(o.dropIndex) +
                             " with " + o.dropText);
  if (o.strict)
    text.insert(0, "#define RX_STRICT_ORDER\n");
  if (o.preempt)
    text.insert(0, "#define RX_PREEMPT\n");
  return Error::success();
}

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  template <typename T> const T &pick(const std::vector<T> &from) {
    return from[engine() % from.size()];
  }
  template <typename T> void shuffle(std::vector<T> &values) {
    std::shuffle(values.begin(), values.end(), engine);
  }
  uint64_t operator()() { return engine(); }

private:
  std::mt19937_64 engine;
};

/// One plan; its directory is named after what it is.
void make(const Options &o, const Schedule &schedule, uint32_t world,
          unsigned variant, Random &random) {
  static const std::vector<std::string> elements = {
      "f32", "bf16", "i32", "f16", "f64", "u8", "i64", "f32", "u32", "i8"};
  static const std::vector<std::string> reductions = {"sum", "max", "avg",
                                                      "min", "prod"};
  static const std::vector<uint32_t> tiles = {1, 2, 3, 5, 8, 24};
  static const std::vector<uint32_t> depths = {1, 1, 2, 3, 4};
  static const std::vector<uint32_t> grids = {0, 0, 1, 2, 3};
  PlanVariant v;
  v.maxTile = random.pick(tiles);
  v.maxDepth = random.pick(depths);
  v.grid = random.pick(grids);
  v.threadSanitizer = o.tsan;
  v.edit = [&](std::string &text) { return editText(o, text); };
  std::string element = random.pick(elements);
  std::string reduction = random.pick(reductions);
  StringRef contract =
      StringRef(schedule.text).split(" implements ").second.split(' ').first;
  if (contract.contains("reduce") && random() % 6 == 0)
    reduction = "premul_sum";
  std::string protocol = random.pick(o.protocols);
  const char *target = "host-x86_64";
  std::string name = schedule.name + "-" + std::to_string(world) + "-" +
                     std::to_string(variant) + "-" + element + "-" + reduction +
                     "-" + (protocol.empty() ? "auto" : protocol) + "-t" +
                     std::to_string(v.maxTile) + "-d" +
                     std::to_string(v.maxDepth) + "-g" + std::to_string(v.grid);
  std::string directory = o.directory + "/" + name;
  if (mkdir(directory.c_str(), 0700) != 0)
    fail("cannot make " + directory);

  rcclx_compile_request r = {};
  r.struct_size = sizeof(r);
  r.schedule = schedule.text.data();
  r.schedule_bytes = schedule.text.size();
  r.schedule_name = schedule.name.c_str();
  r.world = world;
  r.element = element.c_str();
  r.reduction = reduction.c_str();
  r.count = 1000;
  r.protocol = protocol.empty() ? nullptr : protocol.c_str();
  r.targets = &target;
  r.num_targets = 1;
  r.directory = directory.c_str();
  if (is_contained({"broadcast", "reduce", "gather", "scatter"}, contract))
    r.root = random() % world;
  std::vector<uint32_t> permutation(world);
  if (contract == "permute") {
    std::iota(permutation.begin(), permutation.end(), 0);
    random.shuffle(permutation);
    r.permutation = permutation.data();
    r.permutation_length = world;
  }
  r.host_cpu = o.portable ? "x86-64-v3" : nullptr;
  std::string diagnostics;
  CompileStatus status = compilePlan(r, diagnostics, v);
  if (status != CompileStatus::Ok)
    fail(name + ": " + diagnostics);
}

} // namespace

int main(int argc, char **argv) {
  Options o = parse(argc, argv);
  if (!o.edit.empty() && !findEdit(o.edit))
    fail("no edit " + o.edit);
  // Afresh: a plan of an older build would be a test of something else.
  if (std::error_code error = sys::fs::remove_directories(o.directory))
    fail(o.directory + ": " + error.message());
  if (mkdir(o.directory.c_str(), 0700) != 0)
    fail("cannot make " + o.directory);
  // Which plans there are depends on nothing but the schedules.
  unsigned made = 0;
  for (const Schedule &schedule : readSchedules(o)) {
    uint64_t seed = 0;
    for (char c : schedule.name)
      seed = seed * 131 + uint8_t(c);
    for (uint32_t world : o.worlds)
      for (unsigned variant = 0; variant != o.variants; ++variant, ++made) {
        Random random(seed * 1000 + world * 10 + variant);
        make(o, schedule, world, variant, random);
      }
  }
  outs() << made << " plans in " << o.directory << "\n";
  return 0;
}
