// Edges of one collective that may not all have the same protocol.
// RUN: rcclx-opt %s -rcclx-verify -rcclx-form-stages -rcclx-select-protocol | FileCheck %s --check-prefixes=CHECK,HOST
// RUN: rcclx-opt %s -rcclx-verify -rcclx-form-stages -rcclx-select-protocol=protocol=sentinel | FileCheck %s --check-prefixes=CHECK,SENTINEL
// RUN: rcclx-opt %s -rcclx-verify -rcclx-form-stages -rcclx-select-protocol="kind=gpu count=100000000" | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: not rcclx-opt %s -rcclx-verify -rcclx-form-stages -rcclx-select-protocol=protocol=flag 2>&1 | FileCheck %s --check-prefix=REFUSED

// The stage waits after it has sent, so that it cannot announce a tile at once:
// no edge that ends in it is a flag. What is received from %p is also passed
// on as it is, so that it is no sentinel either.
// REFUSED: [[#@LINE+28]]:{{[0-9]+}}: error: 'rcclx.recv' op waits for a message after its stage has sent one, which protocol flag cannot do; expected ll or sentinel

// CHECK-LABEL: @wait_after_send
// CHECK: rcclx.send {{.*}} tag [[T0:%[^ ]*]] by ll
// CHECK: rcclx.recv {{.*}} tag [[T0]] by ll
// HOST: rcclx.send {{.*}} tag [[T1:%[^ ]*]] by ll
// SENTINEL: rcclx.send {{.*}} tag [[T1:%[^ ]*]] by sentinel
// GPU: rcclx.send {{.*}} tag [[T1:%[^ ]*]] by sentinel
// CHECK: rcclx.recv {{.*}} tag [[T0]] by ll
// Both ends of an edge have the same.
// HOST: rcclx.recv {{.*}} tag [[T1]] by ll
// SENTINEL: rcclx.recv {{.*}} tag [[T1]] by sentinel
// GPU: rcclx.recv {{.*}} tag [[T1]] by sentinel
rcclx.collective @wait_after_send implements all_reduce bind <world = 2, element = f32, reduction = sum> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %peer = rcclx.shift %rank by %c1
  %x = rcclx.load %in
  scf.for %p = %c0 to %world step %c1 {
    rcclx.send %x to %p tag %c0
  }
  %zero = rcclx.identity
  %y0 = rcclx.recv like %in from %c0 tag %c0
  %a = rcclx.reduce %zero, %y0
  %passed = rcclx.round %a
  rcclx.send %passed to %peer tag %c1
  %y1 = rcclx.recv like %in from %c1 tag %c0
  %b = rcclx.reduce %a, %y1
  rcclx.send %y1 to %rank tag %c1
  %result = rcclx.finish %b
  rcclx.store %result, %out
  %copy = rcclx.recv like %in from %peer tag %c1
  %other = rcclx.recv like %in from %rank tag %c1
}
