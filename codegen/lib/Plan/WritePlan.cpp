//===- WritePlan.cpp - The files of a plan --------------------------------===//
//
// Part of rcclx. docs/PlanFormat.md describes what is written.
//
//===----------------------------------------------------------------------===//

#include "rcclx/CodeGen/Compile.h"
#include "rcclx/CodeGen/PlanCompiler.h"
#include "rcclx_params.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace rcclx;
namespace json = llvm::json;

static std::string toHex(uint64_t value) {
  return llvm::formatv("{0:x-16}", value).str();
}

/// Equal on all ranks that compiled the same schedule for the same call, on any
/// machine: over the sources, not over the objects.
static uint64_t hashPlan(const Plan &plan) {
  std::string text =
      llvm::formatv("{0} {1} {2} {3} {4} {5} {6} {7:$[,]}", plan.name,
                    plan.contract, plan.world, plan.element, plan.reduction,
                    RCCLX_PARAMS_VERSION, plan.root,
                    llvm::iterator_range(plan.permutation))
          .str();
  for (const KindArtifact &kind : plan.kinds)
    text += llvm::formatv("\n{0} {1} {2} {3}\n{4}", kind.kind, kind.grid,
                          kind.threads, kind.kernel, kind.source)
                .str();
  return llvm::xxHash64(text);
}

static json::Value describeFile(llvm::StringRef name, llvm::StringRef bytes) {
  // Strings are copied: a json::Value refers to what a StringRef names.
  return json::Object{{"file", name.str()},
                      {"bytes", int64_t(bytes.size())},
                      {"xxh64", toHex(llvm::xxHash64(bytes))}};
}

static json::Value describeTerm(const Term &term) {
  switch (term.kind) {
  case TermKind::Input:
    return json::Array{"input", term.first, term.second};
  case TermKind::Identity:
    return json::Array{"identity"};
  case TermKind::Reduce:
    return json::Array{"reduce", term.first, term.second};
  case TermKind::Round:
    return json::Array{"round", term.first};
  case TermKind::Finish:
    return json::Array{"finish", term.first};
  }
  llvm_unreachable("unknown term");
}

static json::Value describeLists(const std::vector<std::vector<uint32_t>> &v) {
  json::Array lists;
  for (const std::vector<uint32_t> &list : v)
    lists.push_back(json::Array(list));
  return lists;
}

static json::Value describeOracle(const Proof &proof) {
  json::Array terms, outputs;
  for (const Term &term : proof.terms)
    terms.push_back(describeTerm(term));
  for (const std::vector<OutputPiece> &rank : proof.outputs) {
    json::Array pieces;
    for (const OutputPiece &p : rank)
      pieces.push_back(json::Array{p.block, p.a, p.l, p.d, p.term});
    outputs.push_back(std::move(pieces));
  }
  return json::Object{{"terms", std::move(terms)},
                      {"outputs", std::move(outputs)}};
}

static json::Value describePlan(const Plan &plan) {
  json::Array compile, objects;
  for (const StageTime &time : plan.times)
    compile.push_back(json::Object{
        {"stage", time.stage}, {"microseconds", int64_t(time.microseconds)}});
  for (const ObjectArtifact &object : plan.objects) {
    json::Value entry = describeFile(
        object.file, llvm::StringRef(object.bytes.data(), object.bytes.size()));
    entry.getAsObject()->insert({"target", object.target});
    entry.getAsObject()->insert({"kind", object.kind});
    entry.getAsObject()->insert({"compiler", object.compiler});
    if (object.kind == "host")
      entry.getAsObject()->insert({"cpu", object.cpu});
    objects.push_back(std::move(entry));
  }
  json::Object kinds;
  for (const KindArtifact &kind : plan.kinds)
    kinds[kind.kind] = json::Object{
        {"kernel", kind.kernel},
        {"source", describeFile(kind.kind + ".hip.cpp", kind.source)},
        {"grid", kind.grid},
        {"threads", kind.threads},
        {"tile_groups", kind.tile},
        {"depth", kind.depth},
        {"tags", kind.tags},
        {"protocols", json::Array(kind.protocols)}};
  return json::Object{
      {"format", 2},
      {"params_version", RCCLX_PARAMS_VERSION},
      {"name", plan.name},
      {"contract", plan.contract},
      {"world", plan.world},
      {"element", plan.element},
      {"reduction", plan.reduction},
      {"root", plan.root},
      {"permutation", json::Array(plan.permutation)},
      {"hash", toHex(hashPlan(plan))},
      {"in_place", plan.safeInPlace ? "direct" : "staged"},
      {"scratch", plan.hasScratch ? "blocks" : "none"},
      {"max_count", int64_t(plan.maxCount)},
      {"edges", describeLists(plan.proof.edges)},
      {"readers", describeLists(plan.proof.readers)},
      {"proof",
       json::Object{{"ranks", plan.world},
                    {"operations", int64_t(plan.proof.operations)},
                    {"messages", int64_t(plan.proof.messages)},
                    {"least_slots", plan.proof.leastSlots},
                    {"microseconds", int64_t(plan.proofMicroseconds)}}},
      {"compile", std::move(compile)},
      {"kinds", std::move(kinds)},
      {"objects", std::move(objects)},
      {"oracle", describeOracle(plan.proof)}};
}

/// Adds the checksum of all text before it as last member, so that damage to
/// the one file that no other lists is found too.
static std::string sealManifest(std::string text) {
  text.resize(text.rfind('}'));
  text.resize(llvm::StringRef(text).rtrim().size());
  return text + llvm::formatv(",\n  \"xxh64\": \"{0}\"\n}\n",
                              toHex(llvm::xxHash64(text)))
                    .str();
}

static bool writeFile(llvm::StringRef directory, llvm::StringRef name,
                      llvm::StringRef bytes, std::string &diagnostics) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  // For the user alone, whatever the umask: a plan is code.
  int fd = -1;
  std::error_code error = llvm::sys::fs::openFileForWrite(
      path, fd, llvm::sys::fs::CD_CreateAlways, llvm::sys::fs::OF_None, 0600);
  if (!error) {
    llvm::raw_fd_ostream stream(fd, /*shouldClose=*/true);
    stream << bytes;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    diagnostics +=
        llvm::formatv("error: cannot write {0}: {1}\n", path, error.message())
            .str();
  return !error;
}

CompileStatus rcclx::writePlan(const Plan &plan, llvm::StringRef directory,
                               std::string &diagnostics) {
  for (const KindArtifact &kind : plan.kinds)
    if (!writeFile(directory, kind.kind + ".hip.cpp", kind.source, diagnostics))
      return CompileStatus::Machine;
  for (const ObjectArtifact &object : plan.objects)
    if (!writeFile(directory, object.file,
                   llvm::StringRef(object.bytes.data(), object.bytes.size()),
                   diagnostics))
      return CompileStatus::Machine;
  std::string manifest =
      sealManifest(llvm::formatv("{0:2}", describePlan(plan)).str());
  return writeFile(directory, "manifest.json", manifest, diagnostics)
             ? CompileStatus::Ok
             : CompileStatus::Machine;
}
