//===- Manifest.cpp - What a plan says about itself -----------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "rcclx/Runtime/Manifest.h"

#include "JsonReader.h"

namespace rcclx::runtime {

// Limits of a sane manifest; a plan of 256 ranks stays far below them.
static constexpr uint64_t maxFileBytes = 256u << 20;
static constexpr size_t maxTerms = 16u << 20;
static constexpr size_t maxOutputsPerRank = 1u << 20;
static constexpr size_t maxListed = 64;
static constexpr uint32_t formatVersion = 2;

static Status readHex(const JsonReader &object, const char *key,
                      uint64_t &out) {
  std::string text;
  RCCLX_RETURN_IF_ERROR(object.memberString(key, text, 16));
  out = 0;
  for (char c : text) {
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                       : -1;
    if (digit < 0 || text.size() != 16)
      return object.error(fmt::format("{} is not 16 hex digits", key));
    out = out << 4 | uint64_t(digit);
  }
  return Status();
}

static Status readFile(const JsonReader &object, PlanFile &out) {
  RCCLX_RETURN_IF_ERROR(object.memberString("file", out.file, 128));
  // A name must stay inside the plan's directory, and be visible.
  if (out.file.find('/') != std::string::npos || out.file[0] == '.')
    return object.error("names a file outside the plan");
  RCCLX_RETURN_IF_ERROR(
      object.memberInteger("bytes", out.bytes, 0, maxFileBytes));
  return readHex(object, "xxh64", out.xxh64);
}

static Status readKind(const JsonReader &object, PlanKind &out) {
  RCCLX_RETURN_IF_ERROR(object.memberString("kernel", out.kernel));
  for (char c : out.kernel)
    if (!isalnum(static_cast<unsigned char>(c)) && c != '_')
      return object.error("names a kernel that is no identifier");
  RCCLX_ASSIGN_OR_RETURN(JsonReader source, object.member("source"));
  RCCLX_RETURN_IF_ERROR(readFile(source, out.source));
  RCCLX_RETURN_IF_ERROR(
      object.memberInteger("grid", out.grid, 1, RCCLX_MAX_BLOCKS));
  RCCLX_RETURN_IF_ERROR(object.memberInteger("threads", out.threads, 1, 1024));
  RCCLX_RETURN_IF_ERROR(object.memberInteger("tile_groups", out.tileGroups));
  RCCLX_RETURN_IF_ERROR(object.memberInteger("depth", out.depth));
  RCCLX_ASSIGN_OR_RETURN(JsonReader protocols, object.member("protocols"));
  RCCLX_ASSIGN_OR_RETURN(size_t size, protocols.array(maxListed));
  out.protocols.resize(size);
  for (size_t i = 0; i != size; ++i)
    RCCLX_RETURN_IF_ERROR(protocols.at(i).string(out.protocols[i]));
  return Status();
}

static Status readRankSets(const JsonReader &top, const char *key,
                           uint32_t world, std::vector<RankSet> &out) {
  RCCLX_ASSIGN_OR_RETURN(JsonReader lists, top.member(key));
  RCCLX_ASSIGN_OR_RETURN(size_t size, lists.array(world));
  if (size != world)
    return lists.error("does not have one list per rank");
  out.assign(world, RankSet{});
  for (size_t rank = 0; rank != size; ++rank) {
    JsonReader list = lists.at(rank);
    RCCLX_ASSIGN_OR_RETURN(size_t peers, list.array(world));
    for (size_t i = 0; i != peers; ++i) {
      uint32_t peer;
      RCCLX_RETURN_IF_ERROR(list.at(i).integer(peer, 0, world - 1));
      out[rank][peer / 64] |= uint64_t(1) << (peer % 64);
    }
  }
  return Status();
}

static Status readRoles(const JsonReader &top, Manifest &out) {
  RCCLX_RETURN_IF_ERROR(top.memberInteger("root", out.root, 0, out.world - 1));
  if (out.root != 0 && !hasRoot(out.contract))
    return top.error("has a root, but its contract has none");
  RCCLX_ASSIGN_OR_RETURN(JsonReader entries, top.member("permutation"));
  RCCLX_ASSIGN_OR_RETURN(size_t size, entries.array(out.world));
  if (size != 0 && (size != out.world || out.contract != Contract::Permute))
    return entries.error("is no permutation of the ranks of a permute");
  out.permutation.resize(size);
  RankSet seen{};
  for (size_t i = 0; i != size; ++i) {
    RCCLX_RETURN_IF_ERROR(
        entries.at(i).integer(out.permutation[i], 0, out.world - 1));
    uint32_t rank = out.permutation[i];
    if (contains(seen, rank))
      return entries.error("names a rank twice");
    seen[rank / 64] |= uint64_t(1) << (rank % 64);
  }
  return Status();
}

static Status readIdentity(const JsonReader &top, Manifest &out) {
  std::string text;
  RCCLX_RETURN_IF_ERROR(top.memberString("name", out.name));
  RCCLX_RETURN_IF_ERROR(top.memberString("contract", text));
  if (auto contract = parseContract(text))
    out.contract = *contract;
  else
    return top.error("has an unknown contract");
  RCCLX_RETURN_IF_ERROR(
      top.memberInteger("world", out.world, 1, RCCLX_MAX_WORLD));
  RCCLX_RETURN_IF_ERROR(top.memberString("element", text));
  if (auto element = parseElement(text))
    out.element = *element;
  else
    return top.error("has an unknown element type");
  RCCLX_RETURN_IF_ERROR(top.memberString("reduction", text));
  if (auto reduction = parseReduction(text))
    out.reduction = *reduction;
  else
    return top.error("has an unknown reduction");
  RCCLX_RETURN_IF_ERROR(readRoles(top, out));
  RCCLX_RETURN_IF_ERROR(readHex(top, "hash", out.hash));
  RCCLX_RETURN_IF_ERROR(top.memberString("in_place", text));
  if (text != "direct" && text != "staged")
    return top.error("has an in_place that is neither direct nor staged");
  out.stagedInPlace = text == "staged";
  RCCLX_RETURN_IF_ERROR(top.memberString("scratch", text));
  if (text != "none" && text != "blocks")
    return top.error("has a scratch that is neither none nor blocks");
  out.hasScratch = text == "blocks";
  return top.memberInteger("max_count", out.maxCount);
}

static Status readRecords(const JsonReader &top, Manifest &out) {
  RCCLX_ASSIGN_OR_RETURN(JsonReader proof, top.member("proof"));
  RCCLX_RETURN_IF_ERROR(proof.memberInteger("ranks", out.proof.ranks));
  RCCLX_RETURN_IF_ERROR(
      proof.memberInteger("operations", out.proof.operations));
  RCCLX_RETURN_IF_ERROR(proof.memberInteger("messages", out.proof.messages));
  RCCLX_RETURN_IF_ERROR(
      proof.memberInteger("least_slots", out.proof.leastSlots));
  RCCLX_RETURN_IF_ERROR(
      proof.memberInteger("microseconds", out.proof.microseconds));
  RCCLX_ASSIGN_OR_RETURN(JsonReader stages, top.member("compile"));
  RCCLX_ASSIGN_OR_RETURN(size_t size, stages.array(maxListed));
  out.compile.resize(size);
  for (size_t i = 0; i != size; ++i) {
    RCCLX_RETURN_IF_ERROR(
        stages.at(i).memberString("stage", out.compile[i].stage));
    RCCLX_RETURN_IF_ERROR(stages.at(i).memberInteger(
        "microseconds", out.compile[i].microseconds));
  }
  return Status();
}

static Status readCode(const JsonReader &top, Manifest &out) {
  RCCLX_ASSIGN_OR_RETURN(JsonReader kinds, top.member("kinds"));
  if (!kinds.json().is_object() || kinds.json().size() > maxListed)
    return kinds.error("is not a small object");
  for (auto it = kinds.json().begin(); it != kinds.json().end(); ++it) {
    PlanKind kind;
    kind.kind = it.key();
    RCCLX_RETURN_IF_ERROR(
        readKind(JsonReader(it.value(), kinds, it.key()), kind));
    out.kinds.push_back(std::move(kind));
  }
  RCCLX_ASSIGN_OR_RETURN(JsonReader objects, top.member("objects"));
  RCCLX_ASSIGN_OR_RETURN(size_t size, objects.array(maxListed));
  out.objects.resize(size);
  for (size_t i = 0; i != size; ++i) {
    JsonReader object = objects.at(i);
    RCCLX_RETURN_IF_ERROR(object.memberString("target", out.objects[i].target));
    RCCLX_RETURN_IF_ERROR(object.memberString("kind", out.objects[i].kind));
    if (!out.findKind(out.objects[i].kind))
      return object.error("is of a kind that is not listed");
    RCCLX_RETURN_IF_ERROR(readFile(object, out.objects[i].file));
    for (auto [key, field] : {std::pair("compiler", &out.objects[i].compiler),
                              std::pair("cpu", &out.objects[i].cpu)})
      if (object.json().contains(key))
        RCCLX_RETURN_IF_ERROR(object.memberString(key, *field));
  }
  return Status();
}

static bool isAccumulator(const OracleTerm &term) {
  return term.kind == OracleTerm::Identity || term.kind == OracleTerm::Reduce;
}

static Status readTerm(const JsonReader &entry, const Manifest &plan,
                       size_t index, OracleTerm &out) {
  RCCLX_ASSIGN_OR_RETURN(size_t size, entry.array(3));
  std::string kind;
  if (size == 0)
    return entry.error("is empty");
  RCCLX_RETURN_IF_ERROR(entry.at(0).string(kind, 16));
  auto operand = [&](size_t i, uint32_t &term, bool accumulator) -> Status {
    RCCLX_RETURN_IF_ERROR(entry.at(i).integer(term));
    if (term >= index)
      return entry.error("uses a later term");
    if (accumulator && !isAccumulator(plan.terms[term]))
      return entry.error("takes data where an accumulator is needed");
    return Status();
  };
  if (kind == "input" && size == 3) {
    out.kind = OracleTerm::Input;
    RCCLX_RETURN_IF_ERROR(entry.at(1).integer(out.a, 0, plan.world - 1));
    uint32_t blocks = plan.inputBlocksOf(out.a);
    if (blocks == 0)
      return entry.error("reads an input that the contract does not have");
    return entry.at(2).integer(out.b, 0, blocks - 1);
  }
  if (kind == "identity" && size == 1) {
    out.kind = OracleTerm::Identity;
    return Status();
  }
  if (kind == "reduce" && size == 3) {
    out.kind = OracleTerm::Reduce;
    RCCLX_RETURN_IF_ERROR(operand(1, out.a, /*accumulator=*/true));
    return operand(2, out.b, /*accumulator=*/false);
  }
  if ((kind == "round" || kind == "finish") && size == 2) {
    out.kind = kind == "round" ? OracleTerm::Round : OracleTerm::Finish;
    return operand(1, out.a, /*accumulator=*/true);
  }
  return entry.error("is no term");
}

static Status readOutput(const JsonReader &entry, const Manifest &plan,
                         uint32_t rank, OracleOutput &out) {
  RCCLX_ASSIGN_OR_RETURN(size_t size, entry.array(5));
  if (size != 5)
    return entry.error("does not have 5 numbers");
  uint32_t blocks = plan.outputBlocksOf(rank);
  if (blocks == 0)
    return entry.error("writes an output that the contract does not have");
  RCCLX_RETURN_IF_ERROR(entry.at(0).integer(out.block, 0, blocks - 1));
  RCCLX_RETURN_IF_ERROR(entry.at(3).integer(out.d, 1));
  RCCLX_RETURN_IF_ERROR(entry.at(1).integer(out.a, 0, out.d));
  RCCLX_RETURN_IF_ERROR(entry.at(2).integer(out.l, 0, out.d - out.a));
  RCCLX_RETURN_IF_ERROR(entry.at(4).integer(out.term));
  if (out.term >= plan.terms.size())
    return entry.error("holds a term that is not listed");
  if (isAccumulator(plan.terms[out.term]))
    return entry.error("holds an accumulator, not data");
  return Status();
}

static Status readOracle(const JsonReader &top, Manifest &out) {
  RCCLX_ASSIGN_OR_RETURN(JsonReader oracle, top.member("oracle"));
  RCCLX_ASSIGN_OR_RETURN(JsonReader terms, oracle.member("terms"));
  RCCLX_ASSIGN_OR_RETURN(size_t size, terms.array(maxTerms));
  out.terms.resize(size);
  for (size_t i = 0; i != size; ++i)
    RCCLX_RETURN_IF_ERROR(readTerm(terms.at(i), out, i, out.terms[i]));
  RCCLX_ASSIGN_OR_RETURN(JsonReader outputs, oracle.member("outputs"));
  RCCLX_ASSIGN_OR_RETURN(size_t ranks, outputs.array(out.world));
  if (ranks != out.world)
    return outputs.error("does not have one list per rank");
  out.outputs.resize(ranks);
  for (size_t rank = 0; rank != ranks; ++rank) {
    JsonReader list = outputs.at(rank);
    RCCLX_ASSIGN_OR_RETURN(size_t entries, list.array(maxOutputsPerRank));
    out.outputs[rank].resize(entries);
    for (size_t i = 0; i != entries; ++i)
      RCCLX_RETURN_IF_ERROR(
          readOutput(list.at(i), out, uint32_t(rank), out.outputs[rank][i]));
  }
  return Status();
}

const PlanKind *Manifest::findKind(std::string_view kind) const {
  for (const PlanKind &candidate : kinds)
    if (candidate.kind == kind)
      return &candidate;
  return nullptr;
}

const PlanObject *Manifest::findObject(std::string_view target) const {
  for (const PlanObject &candidate : objects)
    if (candidate.target == target)
      return &candidate;
  return nullptr;
}

Expected<Manifest> Manifest::parse(std::string_view text) {
  nlohmann::json document = nlohmann::json::parse(
      text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return makeError(Code::Corrupt, "manifest.json is not JSON");
  JsonReader top(document);
  uint32_t format, params;
  RCCLX_RETURN_IF_ERROR(top.memberInteger("format", format));
  RCCLX_RETURN_IF_ERROR(top.memberInteger("params_version", params));
  if (format != formatVersion || params != RCCLX_PARAMS_VERSION)
    return makeError(Code::Unavailable,
                     "the plan has format {} and kernel ABI {}; this runtime "
                     "runs format {} and ABI {}",
                     format, params, formatVersion, RCCLX_PARAMS_VERSION);
  Manifest plan;
  RCCLX_RETURN_IF_ERROR(readIdentity(top, plan));
  RCCLX_RETURN_IF_ERROR(readRankSets(top, "edges", plan.world, plan.edges));
  RCCLX_RETURN_IF_ERROR(readRankSets(top, "readers", plan.world, plan.readers));
  RCCLX_RETURN_IF_ERROR(readRecords(top, plan));
  RCCLX_RETURN_IF_ERROR(readCode(top, plan));
  RCCLX_RETURN_IF_ERROR(readOracle(top, plan));
  return plan;
}

} // namespace rcclx::runtime
