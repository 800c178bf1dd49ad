// Both proofs are in every lowering: that of the schedule before anything is
// changed, that of the kernel after all that changes it.
// RUN: rcclx-opt %s -rcclx-lower=world=2 -dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s
// CHECK: rcclx-specialize
// CHECK-NEXT: rcclx-verify{
// CHECK: convert-rcclx-to-kernel
// CHECK-NEXT: rcclx_kernel.func(
// CHECK: ),
// CHECK-NEXT: rcclx-verify-kernel
// CHECK-NEXT: convert-kernel-to-emitc
rcclx.collective @a implements barrier (%rank, %world) {
  rcclx.barrier
}
