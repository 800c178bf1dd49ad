// RUN: rcclx-opt %s -split-input-file -verify-diagnostics -rcclx-map-to-blocks=grid=300
// RUN: not rcclx-opt %schedules/barrier.mlir -rcclx-specialize=world=2 -rcclx-map-to-blocks=kind=cpu 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not rcclx-opt %schedules/barrier.mlir -rcclx-specialize=world=2 -rcclx-map-to-blocks=grid=513 2>&1 | FileCheck %s --check-prefix=GRID

// KIND: error: unknown kind of device 'cpu'; expected host or gpu
// GRID: error: {{.*}}513

// expected-error @below {{is not bound; expected rcclx-specialize first}}
rcclx.collective @unbound implements barrier (%rank, %world) {
}

// -----

// Each message needs 32 bytes in each half of the slots: 32768 of them fit.
// expected-error @below {{uses 32769 tags; expected at most 32768, since every message of a pair has slots of its own}}
rcclx.collective @many_tags implements all_gather bind <world = 1, element = f32, reduction = sum> (%rank, %world) {
  %c1 = arith.constant 1 : index
  %c32768 = arith.constant 32768 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output block(%rank)
  %x = rcclx.load %in
  rcclx.send %x to %rank tag %c32768 by ll
  %y = rcclx.recv like %in from %rank tag %c32768 by ll
  rcclx.store %y, %out
}

// -----

// Two block groups of 300 blocks are more than a kernel has.
// expected-error @below {{has 2 independent parts; expected at most 1, with 300 blocks each}}
rcclx.collective @many_blocks implements all_gather bind <world = 1, element = f32, reduction = sum> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output block(%rank)
  %in0 = rcclx.part %c0 of %c2 in %in
  %in1 = rcclx.part %c1 of %c2 in %in
  %out0 = rcclx.part %c0 of %c2 in %out
  %out1 = rcclx.part %c1 of %c2 in %out
  rcclx.stage over %in0 {
    %x = rcclx.load %in0
    rcclx.store %x, %out0
  }
  rcclx.stage over %in1 group(1) {
    %x = rcclx.load %in1
    rcclx.store %x, %out1
  }
}
