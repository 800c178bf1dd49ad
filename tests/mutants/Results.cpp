//===- Results.cpp - Fates of mutants, kept between runs ------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Results.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace rcclx;
using namespace rcclx::mutants;

static std::string getPath(StringRef program, StringRef form,
                           StringRef directory) {
  return (directory + "/" + program + "." + form + ".json").str();
}

bool mutants::hasResult(StringRef program, StringRef form,
                        StringRef directory) {
  return sys::fs::exists(getPath(program, form, directory));
}

/// Messages of compilers may quote bytes that are not UTF-8.
static std::string clean(StringRef text) { return json::fixUTF8(text); }

Error mutants::writeResult(const FormResult &result, StringRef directory) {
  json::Array mutants;
  for (const Mutant &m : result.mutants) {
    json::Array outcomes;
    for (const Outcome &o : m.outcomes)
      outcomes.push_back(json::Array{
          o.world, o.proved, o.crashed, o.lowered, o.sameCode, clean(o.refusal),
          int(o.verdict.kind), clean(o.verdict.detail)});
    mutants.push_back(json::Array{m.mutation.op, m.mutation.line,
                                  m.mutation.where, m.mutation.what,
                                  m.explanation, std::move(outcomes)});
  }
  json::Object file{{"program", result.program},
                    {"form", result.form},
                    {"invalid", result.invalid},
                    {"mutants", std::move(mutants)}};
  // Whole, or not at all.
  std::string path = getPath(result.program, result.form, directory);
  std::error_code error;
  {
    raw_fd_ostream stream(path + ".new", error);
    if (error)
      return createStringError(error, path);
    stream << json::Value(std::move(file));
  }
  return errorCodeToError(sys::fs::rename(path + ".new", path));
}

/// The tool wrote it: what does not fit is a file of another version.
static std::optional<FormResult> parse(const json::Value &value) {
  const json::Object *file = value.getAsObject();
  const json::Array *mutants = file ? file->getArray("mutants") : nullptr;
  if (!mutants)
    return std::nullopt;
  FormResult result{file->getString("program").value_or("").str(),
                    file->getString("form").value_or("").str(),
                    unsigned(file->getInteger("invalid").value_or(0)),
                    {}};
  auto text = [](const json::Value &v) {
    return v.getAsString().value_or("").str();
  };
  auto number = [](const json::Value &v) {
    return unsigned(v.getAsInteger().value_or(0));
  };
  auto flag = [](const json::Value &v) {
    return v.getAsBoolean().value_or(false);
  };
  for (const json::Value &entry : *mutants) {
    const json::Array *m = entry.getAsArray();
    const json::Array *outcomes =
        m && m->size() == 6 ? (*m)[5].getAsArray() : nullptr;
    if (!outcomes)
      return std::nullopt;
    Mutant mutant{{number((*m)[0]), number((*m)[1]), text((*m)[2]),
                   text((*m)[3]), nullptr},
                  {},
                  text((*m)[4])};
    for (const json::Value &outcome : *outcomes) {
      const json::Array *o = outcome.getAsArray();
      if (!o || o->size() != 8)
        return std::nullopt;
      Outcome fate;
      fate.world = number((*o)[0]);
      fate.proved = flag((*o)[1]);
      fate.crashed = flag((*o)[2]);
      fate.lowered = flag((*o)[3]);
      fate.sameCode = flag((*o)[4]);
      fate.refusal = text((*o)[5]);
      fate.verdict = {Verdict::Kind(number((*o)[6])), text((*o)[7])};
      mutant.outcomes.push_back(std::move(fate));
    }
    result.mutants.push_back(std::move(mutant));
  }
  return result;
}

Expected<std::vector<FormResult>> mutants::readResults(StringRef directory) {
  std::vector<std::string> paths;
  std::error_code error;
  for (sys::fs::directory_iterator at(directory, error), end;
       !error && at != end; at.increment(error))
    if (sys::path::extension(at->path()) == ".json")
      paths.push_back(at->path());
  if (error)
    return createStringError(error, directory);
  llvm::sort(paths);
  std::vector<FormResult> results;
  for (const std::string &path : paths) {
    auto buffer = MemoryBuffer::getFile(path);
    if (!buffer)
      return createStringError(buffer.getError(), path);
    Expected<json::Value> value = json::parse((*buffer)->getBuffer());
    if (!value)
      return value.takeError();
    std::optional<FormResult> result = parse(*value);
    if (!result)
      return createStringError(path + ": not a file of rcclx-mutate");
    results.push_back(std::move(*result));
  }
  return results;
}
