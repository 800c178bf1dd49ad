//===- PlanTesting.cpp - the compiler's C API, opened at run time ---------===//
//
// Part of rcclx. Opened with RTLD_LOCAL, as the runtime does: in the global
// scope, symbols of LLVM 22 would take the place of those of the LLVM 15 in
// hipRTC.
//
//===----------------------------------------------------------------------===//
#include "rcclx_compiler.h"
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

/// The function of the library with the type of its declaration.
template <typename Function>
static Function *find(Function *, const char *name) {
  static void *library = dlopen(RCCLX_COMPILER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, name) : nullptr;
  if (!symbol) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::abort();
  }
  return reinterpret_cast<Function *>(symbol);
}
#define FORWARD(NAME) find(NAME, #NAME)

uint32_t rcclx_compiler_api_version(void) {
  return FORWARD(rcclx_compiler_api_version)();
}
int rcclx_compiler_compile(const rcclx_compile_request *request,
                           rcclx_compile_result **result) {
  return FORWARD(rcclx_compiler_compile)(request, result);
}
const char *rcclx_compile_result_diagnostics(const rcclx_compile_result *r) {
  return FORWARD(rcclx_compile_result_diagnostics)(r);
}
void rcclx_compile_result_free(rcclx_compile_result *r) {
  FORWARD(rcclx_compile_result_free)(r);
}
int rcclx_compiler_verify(const rcclx_verify_request *request,
                          rcclx_proof *proof, rcclx_compile_result **result) {
  return FORWARD(rcclx_compiler_verify)(request, proof, result);
}
