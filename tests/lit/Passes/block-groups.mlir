// RUN: rcclx-opt %s -split-input-file -rcclx-specialize=world=3 -rcclx-form-stages | FileCheck %s

// Two halves that share nothing run side by side.
// CHECK-LABEL: @two_halves
// CHECK: rcclx.stage over %{{.*}} {
// CHECK: rcclx.stage over %{{.*}} {
// CHECK: rcclx.stage over %{{.*}} group(1) {
// CHECK: rcclx.stage over %{{.*}} group(1) {
rcclx.collective @two_halves implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %in0 = rcclx.part %c0 of %c2 in %in
  %out0 = rcclx.part %c0 of %c2 in %out
  %x0 = rcclx.load %in0
  scf.for %p = %c0 to %world step %c1 {
    rcclx.send %x0 to %p tag %c0
  }
  %zero0 = rcclx.identity
  %sum0 = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero0) -> (!rcclx.acc) {
    %y = rcclx.recv like %in0 from %p tag %c0
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  %result0 = rcclx.finish %sum0
  rcclx.store %result0, %out0
  %in1 = rcclx.part %c1 of %c2 in %in
  %out1 = rcclx.part %c1 of %c2 in %out
  %x1 = rcclx.load %in1
  scf.for %p = %c0 to %world step %c1 {
    rcclx.send %x1 to %p tag %c1
  }
  %zero1 = rcclx.identity
  %sum1 = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero1) -> (!rcclx.acc) {
    %y = rcclx.recv like %in1 from %p tag %c1
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  %result1 = rcclx.finish %sum1
  rcclx.store %result1, %out1
}

// -----

// What reads back the output belongs to the group of what wrote it.
// CHECK-LABEL: @reads_back
// CHECK-NOT: group(1)
rcclx.collective @reads_back implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %own = rcclx.buffer output block(%rank)
  %x = rcclx.load %in
  rcclx.store %x, %own
  %y = rcclx.load %own
  scf.for %k = %c1 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    rcclx.send %y to %p
  }
  scf.for %k = %c1 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %theirs = rcclx.buffer output block(%p)
    %z = rcclx.recv like %in from %p
    rcclx.store %z, %theirs
  }
}

// -----

// A copy of the own data, or what no rank runs, gets no blocks of its own.
// CHECK-LABEL: @own_copy
// CHECK-NOT: group(1)
rcclx.collective @own_copy implements gather (%rank, %world) {
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %root = rcclx.root
  %is_root = arith.cmpi eq, %rank, %root : index
  scf.if %is_root {
    %mine = rcclx.buffer output block(%root)
    %own = rcclx.load %in
    rcclx.store %own, %mine
    scf.for %k = %c1 to %world step %c1 {
      %p = rcclx.shift %root by %k
      %theirs = rcclx.buffer output block(%p)
      %y = rcclx.recv like %in from %p
      rcclx.store %y, %theirs
    }
  } else {
    %x = rcclx.load %in
    rcclx.send %x to %root
  }
  %nobody = arith.cmpi eq, %rank, %world : index
  scf.if %nobody {
    %z = rcclx.load %in
    rcclx.send %z to %root
  }
}
