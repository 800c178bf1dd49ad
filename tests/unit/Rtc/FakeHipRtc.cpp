//===- FakeHipRtc.cpp - a hipRTC that counts its calls --------------------===//
//
// Part of rcclx. Has the symbols that HipRtc loads. Every call that could
// compile something is counted, so that a test can see that none was made.
//
//===----------------------------------------------------------------------===//
#include <cstddef>
#include <cstring>

#define FAKE extern "C" __attribute__((visibility("default")))

static int calls = 0;
static char arch[64];

FAKE int fakeCalls() { return calls; }
FAKE const char *fakeArch() { return arch; }

FAKE int hiprtcCreateProgram(void **program, const char *, const char *, int,
                             const char **, const char **) {
  ++calls;
  *program = &calls;
  return 0;
}
FAKE int hiprtcCompileProgram(void *, int count, const char **options) {
  ++calls;
  for (int i = 0; i < count; ++i)
    if (std::strncmp(options[i], "--offload-arch=", 15) == 0)
      std::strncpy(arch, options[i] + 15, sizeof(arch) - 1);
  return 0;
}
FAKE int hiprtcDestroyProgram(void **program) {
  *program = nullptr;
  return 0;
}
FAKE int hiprtcGetProgramLogSize(void *, size_t *bytes) {
  *bytes = 0;
  return 0;
}
FAKE int hiprtcGetProgramLog(void *, char *) { return 0; }
FAKE int hiprtcGetCodeSize(void *, size_t *bytes) {
  *bytes = 4;
  return 0;
}
FAKE int hiprtcGetCode(void *, char *code) {
  std::memcpy(code, "code", 4);
  return 0;
}
FAKE const char *hiprtcGetErrorString(int) { return "fake"; }
FAKE int hipRuntimeGetVersion(int *version) {
  *version = FAKE_HIP_VERSION;
  return 0;
}
