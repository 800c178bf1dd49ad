//===- Check.cpp - Is a rank's output right -------------------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "Check.h"

#include "Reference.h"
#include "exec/Oracle.h"
#include "plan/Hash.h"

#include <algorithm>
#include <cstring>

namespace rcclx::tool {

using namespace runtime;

CallBuffers::CallBuffers(const RunOptions &options, const Manifest &manifest,
                         uint32_t rank, const char *inputData)
    : inBytes(inputBytes(manifest, rank, options.count)),
      outBytes(outputBytes(manifest, rank, options.count)),
      memory(options.inPlace && outBytes ? std::max(inBytes, outBytes)
                                         : outBytes,
             options.offset * elementBytes(manifest.element)) {
  result = memory.data();
  if (inBytes == 0)
    return;
  // A rank without an output has nothing that the input could lie in.
  if (!options.inPlace || outBytes == 0) {
    separateInput.emplace(inBytes,
                          options.offset * elementBytes(manifest.element));
    memcpy(separateInput->data(), inputData, inBytes);
    return;
  }
  // The smaller buffer is this rank's block of the larger.
  inPlace = memory.data() + (inBytes < outBytes ? rank * inBytes : 0);
  result = memory.data() + (outBytes < inBytes ? rank * outBytes : 0);
  memcpy(inPlace, inputData, inBytes);
}

static std::string bitsOf(const char *at, uint32_t size) {
  std::string text = "0x";
  for (uint32_t i = size; i-- != 0;)
    text += fmt::format("{:02x}", static_cast<unsigned char>(at[i]));
  return text;
}

void checkCall(const RunOptions &options, Workload &workload, uint32_t rank,
               CallBuffers &buffers, RankResult &result) {
  const Manifest &manifest = workload.manifest;
  uint32_t size = elementBytes(manifest.element);
  uint64_t bytes = buffers.outBytes;
  auto wrong = [&](std::string text) {
    if (result.wrong.empty())
      result.wrong = std::move(text);
  };
  auto expected = workload.expected(rank);
  uint64_t at = firstDifference(buffers.result, expected->data(), bytes / size,
                                manifest.element);
  if (at != bytes / size)
    wrong(
        fmt::format("rank {}, block {}, element {}: {}, but the proof gives {}",
                    rank, at / options.count, at % options.count,
                    bitsOf(buffers.result + at * size, size),
                    bitsOf(expected->data() + at * size, size)));
  if (!buffers.memory.guardsIntact())
    wrong(fmt::format("rank {}: memory beside the output was written", rank));
  if (buffers.separateInput) {
    if (memcmp(buffers.separateInput->data(), workload.inputs()[rank],
               buffers.inBytes) != 0)
      wrong(fmt::format("rank {}: the input was changed", rank));
    if (!buffers.separateInput->guardsIntact())
      wrong(fmt::format("rank {}: memory beside the input was written", rank));
  }
  result.outputDigest = xxh64({buffers.result, bytes});
  // Equal outputs are compared by digest: one rank's reference stands for all.
  if (manifest.contract == Contract::AllReduce && rank != 0)
    return;
  ReferenceResult reference = checkReference(
      workload, options, rank, buffers.result, oracleRoundings(manifest, rank));
  result.referenceChecked = reference.checked;
  result.largestError = reference.largestError;
  if (!reference.wrong.empty())
    wrong(reference.wrong);
}

std::string checkTogether(const std::vector<RankResult> &results) {
  for (const RankResult &result : results)
    if (!result.wrong.empty())
      return result.wrong;
  const std::string &contract = results[0].contract;
  if (contract == "all_reduce")
    for (size_t r = 1; r != results.size(); ++r)
      if (results[r].outputDigest != results[0].outputDigest)
        return fmt::format("ranks 0 and {} have different results", r);
  if (contract == "barrier")
    for (size_t in = 0; in != results.size(); ++in)
      for (size_t out = 0; out != results.size(); ++out)
        if (results[out].leftNs < results[in].enteredNs)
          return fmt::format("rank {} left the barrier {} ns before rank {} "
                             "entered it",
                             out, results[in].enteredNs - results[out].leftNs,
                             in);
  return "";
}

} // namespace rcclx::tool
