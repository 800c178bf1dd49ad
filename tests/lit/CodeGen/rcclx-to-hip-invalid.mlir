// RUN: not rcclx-translate --rcclx-to-hip --lower="world=2" %s 2>&1 | FileCheck %s --check-prefix=PROOF
// RUN: not rcclx-translate --rcclx-to-hip --lower="world=0" %s 2>&1 | FileCheck %s --check-prefix=WORLD
// RUN: not rcclx-translate --rcclx-to-hip --lower="ranks=2" %s 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not rcclx-translate --rcclx-to-hip --lower="world=2 element=f80" %s 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not rcclx-translate --rcclx-to-hip --lower="world=2" /nonexistent.mlir 2>&1 | FileCheck %s --check-prefix=MISSING

// Nothing is printed for what cannot be proved: the pipeline always proves.
// PROOF-NOT: RX_KERNEL
// PROOF: rcclx-to-hip-invalid.mlir:[[#@LINE+9]]:{{[0-9]+}}: error:
// PROOF-NOT: RX_KERNEL
// WORLD: 1 to 256
// OPTION: ranks
// ELEMENT: unknown element type 'f80'
// MISSING: /nonexistent.mlir
rcclx.collective @unreceived implements all_gather (%rank, %world) {
  %in = rcclx.buffer input
  %x = rcclx.load %in
  rcclx.send %x to %rank
}
