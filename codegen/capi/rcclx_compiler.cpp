//===- rcclx_compiler.cpp - The compiler's C API --------------------------===//
//
// Part of rcclx. Validates, calls, converts; nothing else.
//
//===----------------------------------------------------------------------===//

#include "rcclx_compiler.h"
#include "rcclx/CodeGen/PlanCompiler.h"
#include "llvm/Config/llvm-config.h"
#include <algorithm>
#include <string>

#define RCCLX_EXPORT extern "C" __attribute__((visibility("default")))

struct rcclx_compile_result {
  std::string diagnostics;
};

/// Fields that a caller of an older version does not know of count as zero.
template <typename T> static bool readStruct(const T *from, T &to) {
  if (!from || from->struct_size < sizeof(size_t) ||
      from->struct_size > sizeof(T))
    return false;
  to = T();
  memcpy(&to, from, from->struct_size);
  return true;
}

static bool hasTargets(const rcclx_compile_request &r) {
  return !r.num_targets ||
         (r.targets && std::none_of(r.targets, r.targets + r.num_targets,
                                    [](const char *t) { return !t; }));
}

template <typename T> static bool hasPermutation(const T &r) {
  return !r.permutation_length || r.permutation;
}

RCCLX_EXPORT uint32_t rcclx_compiler_api_version(void) {
  return RCCLX_COMPILER_API_VERSION;
}

RCCLX_EXPORT const char *rcclx_compiler_version(void) {
  return "LLVM " LLVM_VERSION_STRING;
}

RCCLX_EXPORT int rcclx_compiler_compile(const rcclx_compile_request *request,
                                        rcclx_compile_result **result) {
  if (!result)
    return int(rcclx::CompileStatus::Request);
  *result = new rcclx_compile_result;
  rcclx_compile_request r;
  if (!readStruct(request, r) || !r.schedule || !r.schedule_name ||
      !r.element || !r.reduction || !r.directory || !*r.directory ||
      !hasTargets(r) || !hasPermutation(r)) {
    (*result)->diagnostics =
        "error: the compile request is incomplete or of a newer version\n";
    return int(rcclx::CompileStatus::Request);
  }
  return int(rcclx::compilePlan(r, (*result)->diagnostics));
}

RCCLX_EXPORT const char *
rcclx_compile_result_diagnostics(const rcclx_compile_result *result) {
  return result ? result->diagnostics.c_str() : "";
}

RCCLX_EXPORT void rcclx_compile_result_free(rcclx_compile_result *result) {
  delete result;
}

RCCLX_EXPORT int rcclx_compiler_verify(const rcclx_verify_request *request,
                                       rcclx_proof *proof,
                                       rcclx_compile_result **result) {
  if (!result)
    return int(rcclx::CompileStatus::Request);
  *result = new rcclx_compile_result;
  rcclx_verify_request r;
  rcclx_proof p;
  if (!readStruct(request, r) || !readStruct(proof, p) || !r.schedule ||
      !r.schedule_name || !hasPermutation(r)) {
    (*result)->diagnostics =
        "error: the verify request is incomplete or of a newer version\n";
    return int(rcclx::CompileStatus::Request);
  }
  rcclx::CompileStatus status =
      rcclx::verifySchedule(r, p, (*result)->diagnostics);
  if (status == rcclx::CompileStatus::Ok)
    memcpy(proof, &p, proof->struct_size);
  return int(status);
}
