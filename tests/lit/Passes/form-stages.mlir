// RUN: rcclx-opt %s -split-input-file -rcclx-specialize=world=2 -rcclx-verify -rcclx-form-stages -canonicalize | FileCheck %s
// RUN: rcclx-opt %schedules/all_reduce_ring.mlir -rcclx-specialize=world=4 -canonicalize -rcclx-form-stages -canonicalize | FileCheck %s --check-prefix=RING
// RUN: rcclx-opt %schedules/all_reduce_two_shot.mlir -rcclx-specialize=world=4 -rcclx-form-stages -canonicalize | FileCheck %s --check-prefix=TWOSHOT
// RUN: rcclx-opt %schedules/broadcast_binomial.mlir -rcclx-prepare="world=8 root=3 count=1000" | FileCheck %s --check-prefix=BINOMIAL

// A tree receives in one stage and sends to each child in another, which reads
// back the output: all by flag, tile by tile, in one block group.
// BINOMIAL-LABEL: @broadcast_binomial
// BINOMIAL-SAME: groups = 1
// BINOMIAL: rcclx.stage over [[OUT:%.*]] {
// BINOMIAL-NEXT: rcclx.load
// BINOMIAL-NEXT: rcclx.store
// BINOMIAL: rcclx.stage over [[OUT]] {
// BINOMIAL-NEXT: [[X:%.*]] = rcclx.recv like [[OUT]] from %{{.*}} by flag
// BINOMIAL-NEXT: rcclx.store [[X]], [[OUT]]
// BINOMIAL: scf.for
// BINOMIAL: scf.if
// BINOMIAL: rcclx.stage over [[OUT]] {
// BINOMIAL-NEXT: [[Y:%.*]] = rcclx.load [[OUT]]
// BINOMIAL-NEXT: rcclx.send [[Y]] to %{{.*}} by flag

// A step of the ring: receive, reduce, load, reduce, round, send. One stage.
// RING-LABEL: @all_reduce_ring
// RING: scf.for
// RING: rcclx.stage over [[PART:%.*]] {
// RING-NEXT: rcclx.identity
// RING-NEXT: [[Y:%.*]] = rcclx.recv like [[PART]]
// RING-NEXT: [[A:%.*]] = rcclx.reduce %{{.*}}, [[Y]]
// RING-NEXT: [[X:%.*]] = rcclx.load [[PART]]
// RING-NEXT: [[B:%.*]] = rcclx.reduce [[A]], [[X]]
// RING-NEXT: [[P:%.*]] = rcclx.round [[B]]
// RING-NEXT: rcclx.send [[P]]
// RING-NEXT: }
// The last step sends what it stores.
// RING: rcclx.stage
// RING: [[R:%.*]] = rcclx.finish
// RING-NEXT: rcclx.store [[R]]
// RING-NEXT: rcclx.send [[R]]
// A copy that is passed on in all steps but the last.
// RING: scf.for
// RING: rcclx.stage
// RING-NEXT: [[Z:%.*]] = rcclx.recv
// RING-NEXT: rcclx.store [[Z]]
// RING: scf.if
// RING: rcclx.send [[Z]]

// Scatter, reduce and gather are three stages; the middle one both stores and
// sends its result, to all peers, from registers.
// TWOSHOT-LABEL: @all_reduce_two_shot
// TWOSHOT: scf.for
// TWOSHOT: rcclx.stage
// TWOSHOT: rcclx.load
// TWOSHOT: rcclx.send
// TWOSHOT: rcclx.stage
// TWOSHOT: scf.for
// TWOSHOT: rcclx.recv
// TWOSHOT-NEXT: rcclx.reduce
// TWOSHOT: [[R:%.*]] = rcclx.finish
// TWOSHOT: rcclx.store [[R]]
// TWOSHOT: scf.for
// TWOSHOT: rcclx.send [[R]]
// TWOSHOT: scf.for
// TWOSHOT: rcclx.stage
// TWOSHOT: rcclx.recv
// TWOSHOT: rcclx.store
// TWOSHOT-NOT: rcclx.stage

// Iterations that share an accumulator, or a loaded chunk, go inside a stage.
// CHECK-LABEL: @shared
// CHECK: rcclx.stage over [[IN:%.*]] {
// CHECK-NEXT: [[X:%.*]] = rcclx.load [[IN]]
// CHECK-NEXT: scf.for
// CHECK: rcclx.send [[X]]
// CHECK: rcclx.stage over [[IN]] {
// CHECK: [[SUM:%.*]] = scf.for {{.*}} iter_args
// CHECK: rcclx.recv
// CHECK: rcclx.reduce
// CHECK: [[R:%.*]] = rcclx.finish [[SUM]]
// CHECK: rcclx.store [[R]]
// CHECK: }
// CHECK-NOT: rcclx.stage
rcclx.collective @shared implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %x = rcclx.load %in
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    rcclx.send %x to %p
  }
  %zero = rcclx.identity
  %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %y = rcclx.recv like %in from %p
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  %result = rcclx.finish %sum
  rcclx.store %result, %out
}

// -----

// Iterations that share nothing are a sequence of stages.
// CHECK-LABEL: @separate
// CHECK: scf.for
// CHECK: rcclx.stage
// CHECK-NEXT: [[X:%.*]] = rcclx.load
// CHECK-NEXT: rcclx.send [[X]]
// CHECK: scf.for
// CHECK: rcclx.stage
// CHECK-NEXT: [[Y:%.*]] = rcclx.recv
// CHECK-NEXT: rcclx.store [[Y]]
// CHECK-NOT: rcclx.stage
rcclx.collective @separate implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mine = rcclx.buffer input
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %x = rcclx.load %mine
    rcclx.send %x to %p
  }
  scf.for %p = %c0 to %world step %c1 {
    %theirs = rcclx.buffer output block(%p)
    %y = rcclx.recv like %mine from %p
    rcclx.store %y, %theirs
  }
}

// -----

// A load of the input is repeated: what sends it does not wait for what else
// uses it. The sends of an exchange come before its waits.
// CHECK-LABEL: @exchange
// CHECK: rcclx.stage
// CHECK-NEXT: [[X:%.*]] = rcclx.load [[IN:%.*]]
// CHECK-NEXT: rcclx.send [[X]]
// CHECK-NEXT: }
// CHECK: rcclx.stage
// CHECK-DAG: [[Y:%.*]] = rcclx.recv
// CHECK-DAG: [[AGAIN:%.*]] = rcclx.load [[IN]]
// CHECK-DAG: rcclx.reduce %{{.*}}, [[Y]]
// CHECK-DAG: rcclx.reduce %{{.*}}, [[AGAIN]]
// CHECK: rcclx.store
// CHECK-NOT: rcclx.stage
rcclx.collective @exchange implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %peer = rcclx.shift %rank by %c1
  %x = rcclx.load %in
  rcclx.send %x to %peer
  %y = rcclx.recv like %in from %peer
  %first = arith.cmpi eq, %rank, %c0 : index
  %sum = scf.if %first -> (!rcclx.acc) {
    %zero = rcclx.identity
    %a = rcclx.reduce %zero, %x
    %b = rcclx.reduce %a, %y
    scf.yield %b : !rcclx.acc
  } else {
    %zero = rcclx.identity
    %a = rcclx.reduce %zero, %y
    %b = rcclx.reduce %a, %x
    scf.yield %b : !rcclx.acc
  }
  %result = rcclx.finish %sum
  rcclx.store %result, %out
}

// -----

// A branch that gives data is part of the stage; one that holds effects alone
// stays around its stage.
// CHECK-LABEL: @branches
// CHECK: scf.if
// CHECK-NEXT: rcclx.stage
// CHECK: rcclx.send
// CHECK: scf.if
// CHECK-NEXT: rcclx.stage
// CHECK: rcclx.recv
// CHECK: rcclx.stage
// CHECK: [[A:%.*]] = scf.if %{{.*}} -> (!rcclx.acc) {
// CHECK: scf.yield
// CHECK: } else {
// CHECK: scf.yield
// CHECK: [[B:%.*]] = rcclx.reduce [[A]]
// CHECK: rcclx.finish [[B]]
// CHECK: rcclx.store
rcclx.collective @branches implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %peer = rcclx.shift %rank by %c1
  %first = arith.cmpi eq, %rank, %c0 : index
  %x = rcclx.load %in
  // Rank 0 sends a message that nobody uses.
  scf.if %first {
    %extra = rcclx.load %in
    rcclx.send %extra to %peer tag %c0
  }
  %second = arith.cmpi ne, %rank, %c0 : index
  scf.if %second {
    %unused = rcclx.recv like %in from %peer tag %c0
  }
  rcclx.send %x to %c0 tag %c1
  rcclx.send %x to %c1 tag %c2
  %tag = arith.addi %rank, %c1 : index
  %start = scf.if %first -> (!rcclx.acc) {
    %zero = rcclx.identity
    %y = rcclx.recv like %in from %c0 tag %tag
    %a = rcclx.reduce %zero, %y
    scf.yield %a : !rcclx.acc
  } else {
    %zero = rcclx.identity
    %y = rcclx.recv like %in from %c0 tag %tag
    %a = rcclx.reduce %zero, %y
    scf.yield %a : !rcclx.acc
  }
  %z = rcclx.recv like %in from %c1 tag %tag
  %sum = rcclx.reduce %start, %z
  %result = rcclx.finish %sum
  rcclx.store %result, %out
}

// -----

// Halves that never meet get block groups of their own.
// CHECK-LABEL: @two_halves
// CHECK: rcclx.stage over %{{[^ ]*}} {
// CHECK-NEXT: rcclx.load
// CHECK-NEXT: rcclx.store
// CHECK: rcclx.stage over %{{[^ ]*}} group(1) {
// CHECK-NEXT: rcclx.load
// CHECK-NEXT: rcclx.store
// CHECK: rcclx.stage over %{{[^ ]*}} {
// CHECK: rcclx.send
// CHECK: rcclx.stage over %{{[^ ]*}} group(1) {
// CHECK: rcclx.send
// CHECK: rcclx.stage over %{{[^ ]*}} {
// CHECK: rcclx.recv
// CHECK: rcclx.stage over %{{[^ ]*}} group(1) {
// CHECK: rcclx.recv
rcclx.collective @two_halves implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %peer = rcclx.shift %rank by %c1
  %own = rcclx.buffer output block(%rank)
  %theirs = rcclx.buffer output block(%peer)
  %in0 = rcclx.part %c0 of %c2 in %in
  %in1 = rcclx.part %c1 of %c2 in %in
  %own0 = rcclx.part %c0 of %c2 in %own
  %own1 = rcclx.part %c1 of %c2 in %own
  %theirs0 = rcclx.part %c0 of %c2 in %theirs
  %theirs1 = rcclx.part %c1 of %c2 in %theirs
  %x0 = rcclx.load %in0
  rcclx.store %x0, %own0
  %x1 = rcclx.load %in1
  rcclx.store %x1, %own1
  rcclx.send %x0 to %peer tag %c0
  rcclx.send %x1 to %peer tag %c1
  %y0 = rcclx.recv like %in0 from %peer tag %c0
  rcclx.store %y0, %theirs0
  %y1 = rcclx.recv like %in1 from %peer tag %c1
  rcclx.store %y1, %theirs1
}

// -----

// An empty message orders all stages: one group.
// CHECK-LABEL: @ordered
// CHECK-NOT: group(
// CHECK: rcclx.signal
// CHECK-NOT: group(
// CHECK: rcclx.return
rcclx.collective @ordered implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %peer = rcclx.shift %rank by %c1
  %own = rcclx.buffer output block(%rank)
  %theirs = rcclx.buffer output block(%peer)
  %x = rcclx.load %in
  rcclx.store %x, %own
  rcclx.signal to %peer tag %c0
  rcclx.wait from %peer tag %c0
  %in0 = rcclx.part %c0 of %c2 in %in
  %in1 = rcclx.part %c1 of %c2 in %in
  %theirs0 = rcclx.part %c0 of %c2 in %theirs
  %theirs1 = rcclx.part %c1 of %c2 in %theirs
  %x0 = rcclx.load %in0
  %x1 = rcclx.load %in1
  rcclx.send %x0 to %peer tag %c1
  rcclx.send %x1 to %peer tag %c2
  %y0 = rcclx.recv like %in0 from %peer tag %c1
  rcclx.store %y0, %theirs0
  %y1 = rcclx.recv like %in1 from %peer tag %c2
  rcclx.store %y1, %theirs1
}

// -----

// What has no effect is dropped.
// CHECK-LABEL: @dead
// CHECK: rcclx.finish
// CHECK-NOT: rcclx.round
// CHECK: rcclx.return
rcclx.collective @dead implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %x = rcclx.load %in
  scf.for %p = %c0 to %world step %c1 {
    rcclx.send %x to %p
  }
  %zero = rcclx.identity
  %unused = rcclx.reduce %zero, %x
  %rounded = rcclx.round %unused
  %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %y = rcclx.recv like %in from %p
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  %result = rcclx.finish %sum
  rcclx.store %result, %out
}

// -----

// What the canonicalizer makes of an scf.if that only chooses: part of the stage.
// CHECK-LABEL: @chooses
// CHECK: rcclx.stage
// CHECK: rcclx.send
// CHECK: rcclx.stage
// CHECK-NEXT: [[X:%.*]] = rcclx.load
// CHECK-NEXT: [[Y:%.*]] = rcclx.recv
// CHECK-NEXT: [[Z:%.*]] = arith.select %{{.*}}, [[X]], [[Y]] : !rcclx.chunk
// CHECK-NEXT: rcclx.store [[Z]]
// CHECK-NOT: rcclx.stage
rcclx.collective @chooses implements permute (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %to = rcclx.destination_of %rank
  %from = rcclx.source_of %rank
  %is_fixed = arith.cmpi eq, %to, %rank : index
  %x = rcclx.load %in
  rcclx.send %x to %to
  %y = rcclx.recv like %out from %from
  %z = arith.select %is_fixed, %x, %y : !rcclx.chunk
  rcclx.store %z, %out
}
