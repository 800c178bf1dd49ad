// RUN: rcclx-opt %s -rcclx-verify -split-input-file -verify-diagnostics
// RUN: not rcclx-opt %schedules/barrier.mlir -rcclx-verify=world=257 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not rcclx-opt %schedules/barrier.mlir -rcclx-verify="world=2 slots=0" 2>&1 | FileCheck %s --check-prefix=SLOTS
// RUN: not rcclx-opt %s -rcclx-verify=world=3 -split-input-file 2>&1 | FileCheck %s --check-prefix=OTHER

// LARGE: cannot be proved for 257 ranks; expected 1 to 256
// SLOTS: cannot be proved without message slots
// OTHER: is bound to 2 ranks and cannot be proved for 3

// expected-error @below {{is not bound to a world size; expected rcclx-specialize before, or the option world}}
rcclx.collective @unbound implements barrier (%rank, %world) {
}

// -----

// Nothing escapes in a nested module.
module {
  // expected-error @below {{is not bound to a world size}}
  rcclx.collective @nested implements barrier (%rank, %world) {
  }
}

// -----

// Two ranks swap their inputs; the world is a constant after rcclx-specialize.
rcclx.collective @bound implements all_gather bind <world = 2, element = f32, reduction = sum> (%rank, %world) {
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %x = rcclx.load %in
  %peer = arith.subi %c1, %rank : index
  rcclx.send %x to %peer
  %own = rcclx.buffer output block(%rank)
  rcclx.store %x, %own
  %y = rcclx.recv like %in from %peer
  %theirs = rcclx.buffer output block(%peer)
  rcclx.store %y, %theirs
}
