//===- Plan.cpp - A compiled plan, loaded ---------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "rcclx/Runtime/Plan.h"

#include "Files.h"
#include "Hash.h"

#include <optional>

namespace rcclx::runtime {

// 256 ranks with one reduction order per slice give about 4 MiB.
static constexpr uint64_t maxManifestBytes = 64u << 20;

static Status checkFile(int dir, const PlanFile &file) {
  RCCLX_ASSIGN_OR_RETURN(std::string content,
                         readPrivateFile(dir, file.file, file.bytes));
  if (content.size() != file.bytes || xxh64(content) != file.xxh64)
    return makeError(Code::Corrupt, "{} differs from its checksum", file.file);
  return Status();
}

Expected<std::shared_ptr<const Plan>> Plan::open(std::string directory) {
  auto plan = std::make_shared<Plan>();
  plan->directory = std::move(directory);
  auto annotated = [&](const Status &status) {
    return status.annotate(plan->directory);
  };
  RCCLX_ASSIGN_OR_RETURN(UniqueFd dir, openPrivateDirectory(plan->directory));
  Expected<std::string> text =
      readPrivateFile(dir.get(), "manifest.json", maxManifestBytes);
  if (!text)
    return annotated(text.status());
  plan->manifestText = *std::move(text);
  if (Status s = checkSeal(plan->manifestText); !s.isOk())
    return annotated(s);
  Expected<Manifest> manifest = Manifest::parse(plan->manifestText);
  if (!manifest)
    return annotated(manifest.status());
  plan->manifest = *std::move(manifest);
  for (const PlanKind &kind : plan->manifest.kinds)
    if (Status s = checkFile(dir.get(), kind.source); !s.isOk())
      return annotated(s);
  for (const PlanObject &object : plan->manifest.objects)
    if (Status s = checkFile(dir.get(), object.file); !s.isOk())
      return annotated(s);
  return std::shared_ptr<const Plan>(std::move(plan));
}

Expected<std::shared_ptr<const Plan>> Plan::load(std::string directory,
                                                 std::string_view target) {
  RCCLX_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                         open(std::move(directory)));
  if (plan->manifest.findObject(target))
    return plan;
  std::string targets;
  for (const PlanObject &object : plan->manifest.objects)
    targets += (targets.empty() ? "" : ", ") + object.target;
  return makeError(Code::Unavailable,
                   "{}: the plan has no object for {} (it has: {})",
                   plan->directory, target, targets.empty() ? "none" : targets);
}

/// Whether this processor has all of `level`; nothing where that is no level.
static std::optional<bool> hasLevel([[maybe_unused]] std::string_view level) {
#if defined(__x86_64__)
  if (level == "x86-64")
    return true;
  if (level == "x86-64-v2")
    return __builtin_cpu_supports("x86-64-v2") != 0;
  if (level == "x86-64-v3")
    return __builtin_cpu_supports("x86-64-v3") != 0;
  if (level == "x86-64-v4")
    return __builtin_cpu_supports("x86-64-v4") != 0;
#endif
  return std::nullopt;
}

Status Plan::checkProcessor(std::string_view target) const {
  const PlanObject &object = *manifest.findObject(target);
  if (object.kind != "host")
    return Status();
  std::optional<bool> fits = hasLevel(object.cpu);
  if (!fits)
    return makeError(Code::Unavailable,
                     "{}: {} was compiled for the processor of one machine "
                     "({}); `rcclx compile` makes plans for others",
                     directory, object.file.file,
                     object.cpu.empty() ? "not named" : object.cpu);
  if (!*fits)
    return makeError(Code::Unavailable,
                     "{}: {} was compiled for {}, and this processor lacks "
                     "some of that; compile with a lower --cpu",
                     directory, object.file.file, object.cpu);
  return Status();
}

std::string Plan::objectPath(std::string_view target) const {
  return directory + "/" + manifest.findObject(target)->file.file;
}

const PlanKind &Plan::kindOf(std::string_view target) const {
  return *manifest.findKind(manifest.findObject(target)->kind);
}

} // namespace rcclx::runtime
