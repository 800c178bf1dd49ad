//===- FaultPoints.h - Calls of the system that end badly -------*- C++ -*-===//
//
// Part of rcclx. The program is linked with --wrap for the functions of
// FaultPoints.cpp, so that it counts what the runtime calls, and can die or be
// refused at any of these calls. Nothing of it is in the runtime.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_FAULTS_FAULTPOINTS_H
#define RCCLX_TESTS_FAULTS_FAULTPOINTS_H

namespace rcclx::faults {

/// What happens at a call. Numbers count from 1; 0: never.
struct Plan {
  long killAt = 0;      // of all calls but yields: SIGKILL
  long killAtYield = 0; // of yields: waits of kernels
  long failAt = 0;      // of those that take a resource: refused once
  long failFrom = 0;    // as failAt, and all that follow
};
void arm(const Plan &plan);

/// How many calls there have been since arm().
long calls();
long resourceCalls();

} // namespace rcclx::faults

#endif // RCCLX_TESTS_FAULTS_FAULTPOINTS_H
