//===- Judge.cpp - Compiles mutants and has them run ----------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "Judge.h"
#include "rcclx/CodeGen/Compile.h"
#include "rcclx/CodeGen/HipSource.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace rcclx;
using namespace rcclx::mutants;

namespace json = llvm::json;

/// Kernels of one object: more make it slow to lose one that the compiler
/// refuses.
static constexpr size_t batchSize = 32;
/// A kernel that waits this long for one tile hangs.
static constexpr uint32_t hangMs = 200;

/// Before the kernels: the calls that order ranks also stir the schedule of
/// threads, by the clock that the runner provides.
static constexpr char prelude[] = R"(
namespace stir {
using namespace rx;
RX_FN void stir(const rx::Context *c) { c->p->host.clock_ns(); }
template <rx::u32... A, typename... X> RX_FN void postMessage(rx::Context *c, X... x) { stir(c); rx::postMessage<A...>(c, x...); }
template <rx::u32... A, typename... X> RX_FN void waitMessage(rx::Context *c, X... x) { stir(c); rx::waitMessage<A...>(c, x...); }
template <rx::u32... A, typename... X> RX_FN void postCredit(rx::Context *c, X... x) { stir(c); rx::postCredit<A...>(c, x...); }
template <rx::u32... A, typename... X> RX_FN void waitCredit(rx::Context *c, X... x) { stir(c); rx::waitCredit<A...>(c, x...); }
template <rx::u32... A, typename... X> RX_FN void postPull(rx::Context *c, X... x) { stir(c); rx::postPull<A...>(c, x...); }
template <rx::u32... A, typename... X> RX_FN void waitPull(rx::Context *c, X... x) { stir(c); rx::waitPull<A...>(c, x...); }
template <rx::u32... A, typename... X> RX_FN void postWindow(rx::Context *c, X... x) { stir(c); rx::postWindow<A...>(c, x...); }
template <rx::u32... A, typename... X> RX_FN void waitWindow(rx::Context *c, X... x) { stir(c); rx::waitWindow<A...>(c, x...); }
template <typename T, typename P, typename... X> RX_FN void send(rx::Context *c, X... x) { stir(c); rx::send<T, P>(c, x...); }
template <typename T, typename P, typename... X> RX_FN rx::Pack recvPack(rx::Context *c, X... x) { stir(c); return rx::recvPack<T, P>(c, x...); }
} // namespace stir
)";

StringRef mutants::getName(Verdict::Kind kind) {
  switch (kind) {
  case Verdict::Right:
    return "right";
  case Verdict::Wrong:
    return "wrong";
  case Verdict::Hang:
    return "hang";
  case Verdict::Crash:
    return "crash";
  case Verdict::Refused:
    return "refused";
  }
  llvm_unreachable("unknown verdict");
}

static std::string replaceAll(std::string text, StringRef from, StringRef to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

static json::Array toJson(const std::vector<std::vector<uint32_t>> &lists) {
  json::Array result;
  for (const std::vector<uint32_t> &list : lists)
    result.push_back(json::Array(list));
  return result;
}

size_t Judge::add(const Compiled &compiled, const Call &call) {
  std::string key =
      formatv("{0} {1} {2} {3} {4}\n{5}", call.contract, call.world, call.root,
              json::Value(toJson(compiled.edges)),
              json::Value(toJson(compiled.readers)), compiled.source);
  auto [entry, isNew] = known.try_emplace(key, kernels.size());
  if (isNew) {
    kernels.push_back({compiled, call, {}});
    waiting.push_back(entry->second);
  }
  return entry->second;
}

Error Judge::run() {
  std::vector<size_t> all = std::exchange(waiting, {});
  for (size_t from = 0; from < all.size(); from += batchSize)
    if (Error error = runBatch(
            ArrayRef(all).slice(from, std::min(batchSize, all.size() - from)),
            hangMs))
      return error;
  return Error::success();
}

Expected<Verdict> Judge::confirm(size_t kernel) {
  Verdict before = kernels[kernel].verdict;
  if (Error error = runBatch(kernel, 5000))
    return std::move(error);
  return std::exchange(kernels[kernel].verdict, before);
}

static Error writeFile(const std::string &path, StringRef bytes) {
  std::error_code error;
  raw_fd_ostream stream(path, error);
  if (!error) {
    stream << bytes;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  return error ? createStringError(error, path) : Error::success();
}

Error Judge::runBatch(ArrayRef<size_t> batch, uint32_t timeoutMs) {
  // One object for all; one each where the compiler refuses that.
  std::string text = prelude;
  json::Array list;
  for (size_t number : batch) {
    const Compiled &compiled = kernels[number].compiled;
    std::string symbol = "kernel" + std::to_string(number);
    std::string source = replaceAll(compiled.source, "rcclx_mutant", symbol);
    for (StringRef name :
         {"postMessage", "waitMessage", "postCredit", "waitCredit", "postPull",
          "waitPull", "postWindow", "waitWindow", "send", "recvPack"})
      source = replaceAll(std::move(source), ("rx::" + name + "<").str(),
                          ("stir::" + name + "<").str());
    text += source;
    const Call &call = kernels[number].call;
    list.push_back(json::Object{{"symbol", symbol},
                                {"contract", call.contract},
                                {"world", call.world},
                                {"root", call.root},
                                {"permutation", json::Array(call.permutation)},
                                {"grid", compiled.grid},
                                {"edges", toJson(compiled.edges)},
                                {"readers", toJson(compiled.readers)}});
  }
  // Nothing is optimized or inlined: that takes a fraction of the time.
  std::string source = "#pragma clang optimize off\n" +
                       replaceAll(withDeviceHeader(text, "mutants.cpp"),
                                  "__attribute__((always_inline))", "");
  Expected<std::vector<char>> object = compileHost(source);
  if (!object) {
    std::string message = toString(object.takeError());
    if (batch.size() == 1) {
      kernels[batch[0]].verdict = {Verdict::Refused,
                                   StringRef(message).split('\n').first.str()};
      return Error::success();
    }
    for (size_t number : batch)
      if (Error error = runBatch(number, timeoutMs))
        return error;
    return Error::success();
  }

  std::string path = directory + "/mutants.so", job = directory + "/job.json",
              answers = directory + "/answers";
  json::Object description{
      {"object", path},          {"element", element},
      {"reduction", reduction},  {"tile_groups", tileGroups},
      {"depth", depth},          {"seed", int64_t(seed)},
      {"timeout_ms", timeoutMs}, {"kernels", std::move(list)}};
  if (Error error = writeFile(path, StringRef(object->data(), object->size())))
    return error;
  if (Error error = writeFile(
          job, formatv("{0}", json::Value(std::move(description))).str()))
    return error;
  (void)sys::fs::remove(answers); // it is not truncated below
  std::string message;
  int status =
      sys::ExecuteAndWait(runner, {runner, job}, std::nullopt,
                          {std::nullopt, StringRef(answers), std::nullopt},
                          /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (status != 0)
    return createStringError(runner + " ended with status " +
                             std::to_string(status) + " " + message);
  auto buffer = MemoryBuffer::getFile(answers);
  if (!buffer)
    return createStringError(buffer.getError(), answers);
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  if (lines.size() != batch.size())
    return createStringError(runner + " gave " + std::to_string(lines.size()) +
                             " answers of " + std::to_string(batch.size()));
  for (auto [number, line] : zip_equal(batch, lines)) {
    auto [kind, detail] = line.split('\t');
    kernels[number].verdict = {StringSwitch<Verdict::Kind>(kind)
                                   .Case("right", Verdict::Right)
                                   .Case("wrong", Verdict::Wrong)
                                   .Case("hang", Verdict::Hang)
                                   .Default(Verdict::Crash),
                               detail.str()};
  }
  return Error::success();
}
