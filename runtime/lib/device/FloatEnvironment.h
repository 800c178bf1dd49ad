//===- FloatEnvironment.h - IEEE arithmetic while a kernel runs -*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_DEVICE_FLOATENVIRONMENT_H
#define RCCLX_RUNTIME_DEVICE_FLOATENVIRONMENT_H

#include <cfenv>

namespace rcclx::runtime {

/// Rounds to nearest and keeps denormals (docs/Numerics.md), whatever the
/// program wants for its own threads: one that is linked with -ffast-math
/// flushes denormals on every thread that it starts. What the program had, its
/// exception flags included, is back at the end.
class FloatEnvironment {
public:
#if defined(__x86_64__)
  // The vector unit's register alone: kernels use no other, and this is asked
  // for once a call.
  FloatEnvironment() : saved(__builtin_ia32_stmxcsr()) {
    __builtin_ia32_ldmxcsr(0x1f80); // all exceptions masked
  }
  ~FloatEnvironment() { __builtin_ia32_ldmxcsr(saved); }
#else
  FloatEnvironment() {
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { fesetenv(&saved); }
#endif
  FloatEnvironment(const FloatEnvironment &) = delete;
  FloatEnvironment &operator=(const FloatEnvironment &) = delete;

private:
#if defined(__x86_64__)
  unsigned saved;
#else
  fenv_t saved;
#endif
};

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_DEVICE_FLOATENVIRONMENT_H
