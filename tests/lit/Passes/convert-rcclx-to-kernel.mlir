// RUN: rcclx-opt %s -split-input-file -convert-rcclx-to-kernel -canonicalize | FileCheck %s

// The nest is tile > stage > element. A flag stage: waits, acquire, elements,
// release, signals.
// CHECK-LABEL: rcclx_kernel.func @rcclx_flag implements @flag
// CHECK-SAME: <world = 2, element = f32, reduction = sum>
// CHECK-SAME: <grid = 4, groups = 1, threads = 64, tile = 32, depth = 2, tags = 2, rows = 1>
// CHECK-NEXT: ^bb0([[C:%.*]]: !rcclx_kernel.context, [[RANK:%.*]]: index):
// CHECK-DAG: [[C0:%.*]] = arith.constant 0 : index
// CHECK-DAG: [[C1:%.*]] = arith.constant 1 : index
// CHECK: rcclx_kernel.open [[C]]
// CHECK-NEXT: [[TILES:%.*]] = rcclx_kernel.tiles [[C]] longest 1 of 1
// CHECK-NEXT: scf.for [[TILE:%.*]] = [[C0]] to [[TILES]] step [[C1]] {
// CHECK-NEXT: [[ALIVE:%.*]] = rcclx_kernel.alive [[C]]
// CHECK-NEXT: scf.if [[ALIVE]] {
// CHECK: rcclx_kernel.wait_credit [[C]] peer [[PEER:%.*]] tag [[C0]] tile [[TILE]]
// CHECK-NEXT: rcclx_kernel.acquire [[C]]
// CHECK-NEXT: [[R:%.*]] = rcclx_kernel.range [[C]] tile [[TILE]] slice [[C0]] for [[C1]] of [[C1]]
// CHECK-NEXT: [[FIRST:%.*]] = rcclx_kernel.first [[C]], [[R]]
// CHECK-NEXT: [[LIMIT:%.*]] = rcclx_kernel.limit [[R]]
// CHECK-NEXT: [[STEP:%.*]] = rcclx_kernel.stride
// CHECK-NEXT: scf.for [[G:%.*]] = [[FIRST]] to [[LIMIT]] step [[STEP]] {
// CHECK-NEXT: [[IN:%.*]] = rcclx_kernel.buffer [[C]] input
// CHECK-NEXT: [[X:%.*]] = rcclx_kernel.load [[IN]], [[R]]{{\[}}[[G]]]
// CHECK-NEXT: [[TO:%.*]] = rcclx_kernel.slot_to [[C]] peer [[PEER]] tag [[C0]] tile [[TILE]] by flag
// CHECK-NEXT: rcclx_kernel.send [[C]], [[X]], [[TO]], [[R]]{{\[}}[[G]]] by flag
// CHECK-NEXT: }
// CHECK-NEXT: rcclx_kernel.release [[C]]
// CHECK-NEXT: rcclx_kernel.post_message [[C]] peer [[PEER]] tag [[C0]] tile [[TILE]]
// The second stage receives and passes on: its waits for the message and for
// the free slot come together, before anything is read.
// CHECK-NEXT: rcclx_kernel.wait_message [[C]] peer [[PEER]] tag [[C0]] tile [[TILE]]
// CHECK-NEXT: rcclx_kernel.wait_credit [[C]] peer [[PEER]] tag [[C1]] tile [[TILE]]
// CHECK-NEXT: rcclx_kernel.acquire [[C]]
// CHECK: scf.for [[H:%.*]] =
// CHECK: [[FROM:%.*]] = rcclx_kernel.slot_from [[C]] peer [[PEER]] tag [[C0]] tile [[TILE]] by flag
// CHECK-NEXT: [[Y:%.*]] = rcclx_kernel.recv [[C]], [[FROM]], %{{.*}}{{\[}}[[H]]] from [[PEER]] by flag
// CHECK: [[OUT:%.*]] = rcclx_kernel.buffer [[C]] output block([[PEER]])
// CHECK-NEXT: rcclx_kernel.store [[Y]], [[OUT]], %{{.*}}{{\[}}[[H]]]
// CHECK: rcclx_kernel.send [[C]], [[Y]]
// CHECK: }
// CHECK-NEXT: rcclx_kernel.release [[C]]
// CHECK-NEXT: rcclx_kernel.post_credit [[C]] peer [[PEER]] tag [[C0]] tile [[TILE]] of [[TILES]]
// CHECK-NEXT: rcclx_kernel.post_message [[C]] peer [[PEER]] tag [[C1]] tile [[TILE]]
// CHECK: rcclx_kernel.close [[C]]
// What it implements stays beside it.
// CHECK: rcclx.collective @flag
rcclx.collective @flag implements all_gather bind <world = 2, element = f32, reduction = sum> map <grid = 4, groups = 1, threads = 64, tile = 32, depth = 2, tags = 2, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %peer = arith.subi %c1, %rank : index
  %theirs = rcclx.buffer output block(%peer)
  rcclx.stage over %in {
    %x = rcclx.load %in
    rcclx.send %x to %peer tag %c0 by flag
  }
  rcclx.stage over %in {
    %y = rcclx.recv like %in from %peer tag %c0 by flag
    rcclx.store %y, %theirs
    rcclx.send %y to %peer tag %c1 by flag
  }
}

// -----

// ll and sentinel wait in the element loop: no signal of a message. Credits stay.
// CHECK-LABEL: rcclx_kernel.func @rcclx_packets
// CHECK-NOT: _message
// CHECK: rcclx_kernel.wait_credit
// CHECK: rcclx_kernel.acquire
// CHECK: rcclx_kernel.send {{.*}} by ll
// CHECK: rcclx_kernel.release
// CHECK: rcclx_kernel.acquire
// CHECK: scf.for
// CHECK: rcclx_kernel.recv {{.*}} by ll
// CHECK: rcclx_kernel.release
// CHECK-NEXT: rcclx_kernel.post_credit
// CHECK-NOT: _message
// CHECK: rcclx_kernel.send {{.*}} by sentinel
// CHECK-NOT: _message
// CHECK: rcclx_kernel.recv {{.*}} by sentinel
// CHECK-NOT: _message
// CHECK: rcclx_kernel.close
rcclx.collective @packets implements all_gather bind <world = 2, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 2, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %peer = arith.subi %c1, %rank : index
  %theirs = rcclx.buffer output block(%peer)
  rcclx.stage over %in {
    %x = rcclx.load %in
    rcclx.send %x to %peer tag %c0 by ll
  }
  rcclx.stage over %in {
    %y = rcclx.recv like %in from %peer tag %c0 by ll
    rcclx.store %y, %theirs
  }
  rcclx.stage over %in {
    %x = rcclx.load %in
    rcclx.send %x to %peer tag %c1 by sentinel
  }
  rcclx.stage over %in {
    %y = rcclx.recv like %in from %peer tag %c1 by sentinel
  }
}

// -----

// Parts multiply: part 1 of 2 of part r of 4 is (2r + 1, 1, 8); `for` lengthens.
// Tiles are those of the longest slice of all stages: 3 of 4.
// CHECK-LABEL: rcclx_kernel.func @rcclx_slices
// CHECK-SAME: world = 4
// CHECK: ^bb0([[C:%.*]]: !rcclx_kernel.context, [[RANK:%.*]]: index):
// CHECK-DAG: [[C1:%.*]] = arith.constant 1 : index
// CHECK-DAG: [[C2:%.*]] = arith.constant 2 : index
// CHECK-DAG: [[C3:%.*]] = arith.constant 3 : index
// CHECK-DAG: [[C4:%.*]] = arith.constant 4 : index
// CHECK-DAG: [[C8:%.*]] = arith.constant 8 : index
// CHECK: rcclx_kernel.tiles [[C]] longest 3 of 4
// CHECK: [[A:%.*]] = arith.muli [[RANK]], [[C2]]
// CHECK: [[B:%.*]] = arith.addi [[A]], [[C1]]
// CHECK: rcclx_kernel.range [[C]] tile %{{.*}} slice [[B]] for [[C1]] of [[C8]]
// CHECK: rcclx_kernel.range [[C]] tile %{{.*}} slice [[C1]] for [[C3]] of [[C4]]
rcclx.collective @slices implements all_reduce bind <world = 4, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %part = rcclx.part %rank of %c4 in %in
  %sub = rcclx.part %c1 of %c2 in %part
  %opart = rcclx.part %rank of %c4 in %out
  %osub = rcclx.part %c1 of %c2 in %opart
  rcclx.stage over %sub {
    %x = rcclx.load %sub
    rcclx.store %x, %osub
  }
  %three = rcclx.part %c1 for %c3 of %c4 in %in
  %othree = rcclx.part %c1 for %c3 of %c4 in %out
  rcclx.stage over %three {
    %x = rcclx.load %three
    rcclx.store %x, %othree
  }
}

// -----

// Pull: the own input goes to the window, tile by tile, before others read it;
// the call ends when they have.
// CHECK-LABEL: rcclx_kernel.func @rcclx_pull
// CHECK: ^bb0([[C:%.*]]: !rcclx_kernel.context, [[RANK:%.*]]: index):
// CHECK: [[TILES:%.*]] = rcclx_kernel.tiles
// CHECK: scf.for [[TILE:%.*]] =
// CHECK: scf.if
// CHECK-NEXT: rcclx_kernel.wait_window [[C]] tag [[C0:%.*]] tile [[TILE]]
// CHECK-NEXT: rcclx_kernel.acquire [[C]]
// CHECK: scf.for
// CHECK: rcclx_kernel.load
// CHECK: [[WINDOW:%.*]] = rcclx_kernel.slot_to [[C]] peer [[RANK]] tag [[C0]] tile [[TILE]] by direct
// CHECK: rcclx_kernel.send [[C]], %{{.*}}, [[WINDOW]], {{.*}} by direct
// CHECK: rcclx_kernel.release [[C]]
// CHECK-NEXT: rcclx_kernel.post_window [[C]] tag [[C0]] tile [[TILE]]
// CHECK: rcclx_kernel.wait_pull [[C]] peer %{{.*}} tag [[C0]] tile [[TILE]]
// CHECK: rcclx_kernel.acquire [[C]]
// Two peers, written out, so that their slots' addresses stay in registers.
// CHECK: scf.for
// CHECK: rcclx_kernel.identity
// CHECK: rcclx_kernel.slot_from {{.*}} by direct
// CHECK: rcclx_kernel.recv {{.*}} by direct
// CHECK-NOT: scf.for
// CHECK: rcclx_kernel.slot_from {{.*}} by direct
// CHECK: rcclx_kernel.recv {{.*}} by direct
// CHECK: rcclx_kernel.finish
// CHECK: rcclx_kernel.store
// CHECK: rcclx_kernel.release [[C]]
// CHECK: rcclx_kernel.post_pull [[C]] peer %{{.*}} tag [[C0]] tile [[TILE]]
// CHECK: rcclx_kernel.drain_window [[C]] tag [[C0]] tiles [[TILES]]
// CHECK: rcclx_kernel.close
rcclx.collective @pull implements all_reduce bind <world = 2, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  rcclx.stage over %in {
    %zero = rcclx.identity
    %sum = scf.for %p = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
      %y = rcclx.load %in at %p
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    %result = rcclx.finish %sum
    rcclx.store %result, %out
  }
}

// -----

// Seventeen peers and more stay a loop, which carries the accumulator.
// CHECK-LABEL: rcclx_kernel.func @rcclx_many_peers
// CHECK: rcclx_kernel.acquire
// CHECK: [[ZERO:%.*]] = rcclx_kernel.identity
// CHECK: [[SUM:%.*]] = scf.for {{.*}} iter_args([[ACC:%.*]] = [[ZERO]]) -> (!rcclx_kernel.acc) {
// CHECK: [[Y:%.*]] = rcclx_kernel.recv
// CHECK: [[NEXT:%.*]] = rcclx_kernel.reduce [[ACC]], [[Y]]
// CHECK: scf.yield [[NEXT]]
// CHECK: rcclx_kernel.finish [[SUM]]
rcclx.collective @many_peers implements all_reduce bind <world = 17, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c17 = arith.constant 17 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  rcclx.stage over %in {
    %zero = rcclx.identity
    %sum = scf.for %p = %c0 to %c17 step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
      %y = rcclx.recv like %in from %p by flag
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    %result = rcclx.finish %sum
    rcclx.store %result, %out
  }
}

// -----

// Sixteen are written out.
// CHECK-LABEL: rcclx_kernel.func @rcclx_sixteen_peers
// CHECK: rcclx_kernel.identity
// CHECK-COUNT-16: rcclx_kernel.recv
// CHECK-NOT: rcclx_kernel.recv
// CHECK: rcclx_kernel.finish
rcclx.collective @sixteen_peers implements all_reduce bind <world = 16, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  rcclx.stage over %in {
    %zero = rcclx.identity
    %sum = scf.for %p = %c0 to %c16 step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
      %y = rcclx.recv like %in from %p by flag
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    %result = rcclx.finish %sum
    rcclx.store %result, %out
  }
}

// -----

// Empty messages: a release before each signal, an acquire after each wait.
// CHECK-LABEL: rcclx_kernel.func @rcclx_signals
// CHECK: [[TILES:%.*]] = rcclx_kernel.tiles %{{.*}} longest 0 of 1
// CHECK: scf.if
// CHECK-NEXT: rcclx_kernel.release [[C:%.*]]
// CHECK-NEXT: rcclx_kernel.post_message [[C]] peer [[P:%.*]] tag [[T:%.*]] tile
// CHECK-NEXT: rcclx_kernel.wait_message [[C]] peer [[P]] tag [[T]] tile
// CHECK-NEXT: rcclx_kernel.acquire [[C]]
// CHECK-NOT: credit
// CHECK: rcclx_kernel.close
rcclx.collective @signals implements barrier bind <world = 2, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  rcclx.signal to %rank
  rcclx.wait from %rank
}

// -----

// A branch around a message guards its wait, its elements and its signal.
// CHECK-LABEL: rcclx_kernel.func @rcclx_branch
// CHECK: [[DUE:%.*]] = arith.cmpi
// CHECK: scf.if [[DUE]] {
// CHECK-NEXT: rcclx_kernel.wait_credit
// CHECK-NEXT: }
// CHECK: rcclx_kernel.acquire
// CHECK: scf.for
// CHECK: rcclx_kernel.store
// CHECK: scf.if
// CHECK: rcclx_kernel.send
// CHECK: rcclx_kernel.release
// CHECK: scf.if
// CHECK-NEXT: rcclx_kernel.post_message
rcclx.collective @branch implements all_reduce bind <world = 2, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  rcclx.stage over %in {
    %x = rcclx.load %in
    rcclx.store %x, %out
    %due = arith.cmpi eq, %rank, %c0 : index
    scf.if %due {
      rcclx.send %x to %rank by flag
    }
  }
}

// -----

// Block groups: each has the nest over its own stages and its own tiles.
// CHECK-LABEL: rcclx_kernel.func @rcclx_two_groups
// CHECK: rcclx_kernel.open [[C:%.*]]
// CHECK: [[FIRST:%.*]] = rcclx_kernel.in_group [[C]], 0
// CHECK: scf.if [[FIRST]] {
// CHECK: rcclx_kernel.tiles [[C]] longest 1 of 2
// CHECK: rcclx_kernel.send {{.*}} by flag
// CHECK-NOT: rcclx_kernel.send {{.*}} by ll
// CHECK: [[SECOND:%.*]] = rcclx_kernel.in_group [[C]], 1
// CHECK: scf.if [[SECOND]] {
// CHECK: rcclx_kernel.tiles [[C]] longest 1 of 4
// CHECK: rcclx_kernel.send {{.*}} by ll
// CHECK-NOT: rcclx_kernel.send {{.*}} by flag
// CHECK: rcclx_kernel.close [[C]]
rcclx.collective @two_groups implements all_reduce bind <world = 2, element = f32, reduction = sum> map <grid = 2, groups = 2, threads = 1, tile = 32, depth = 2, tags = 2, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %in = rcclx.buffer input
  %half = rcclx.part %c0 of %c2 in %in
  %quarter = rcclx.part %c2 of %c4 in %in
  rcclx.stage over %half {
    %x = rcclx.load %half
    rcclx.send %x to %rank tag %c0 by flag
  }
  rcclx.stage over %quarter group(1) {
    %x = rcclx.load %quarter
    rcclx.send %x to %rank tag %c1 by ll
  }
}

// -----

// A barrier: what came before is released, all others are told, then all are
// waited for.
// CHECK-LABEL: rcclx_kernel.func @rcclx_meet
// CHECK: rcclx_kernel.release
// CHECK-NEXT: scf.for [[K:%.*]] = %c1 to %c5 step %c1 {
// CHECK-NEXT: [[P:%.*]] = rcclx.shift %{{.*}} by [[K]]
// CHECK-NEXT: rcclx_kernel.post_message %{{.*}} peer [[P]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.for [[K2:%.*]] = %c1 to %c5 step %c1 {
// CHECK-NEXT: [[P2:%.*]] = rcclx.shift %{{.*}} by [[K2]]
// CHECK-NEXT: rcclx_kernel.wait_message %{{.*}} peer [[P2]]
// CHECK-NEXT: }
// CHECK-NEXT: rcclx_kernel.acquire
rcclx.collective @meet implements barrier bind <world = 5, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  rcclx.barrier
}

// -----

// A permutation becomes a choice of constants, its inverse too; a choice of
// chunks one of groups.
// CHECK-LABEL: rcclx_kernel.func @rcclx_permuted
// CHECK: ^bb0([[C:%.*]]: !rcclx_kernel.context, [[RANK:%.*]]: index):
// CHECK-DAG: [[C0:%.*]] = arith.constant 0 : index
// CHECK-DAG: [[C1:%.*]] = arith.constant 1 : index
// CHECK-DAG: [[C2:%.*]] = arith.constant 2 : index
// CHECK: [[IS1:%.*]] = arith.cmpi eq, [[RANK]], [[C1]]
// CHECK-NEXT: [[TO1:%.*]] = arith.select [[IS1]], [[C0]], [[C2]]
// CHECK-NEXT: [[IS2:%.*]] = arith.cmpi eq, [[RANK]], [[C2]]
// CHECK-NEXT: [[TO:%.*]] = arith.select [[IS2]], [[C1]], [[TO1]]
// CHECK: [[FROM1:%.*]] = arith.select %{{.*}}, [[C2]], [[C1]]
// CHECK: [[FROM:%.*]] = arith.select %{{.*}}, [[C0]], [[FROM1]]
// CHECK: rcclx_kernel.wait_message [[C]] peer [[FROM]]
// CHECK: [[Y:%.*]] = rcclx_kernel.recv
// CHECK: [[Z:%.*]] = arith.select %{{.*}}, %{{.*}}, [[Y]] : !rcclx_kernel.group
// CHECK: rcclx_kernel.store [[Z]]
rcclx.collective @permuted implements permute bind <world = 3, element = f32, reduction = sum, permutation = [2, 0, 1]> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %to = rcclx.destination_of %rank
  %from = rcclx.source_of %rank
  %is_fixed = arith.cmpi eq, %to, %rank : index
  rcclx.stage over %in {
    %x = rcclx.load %in
    rcclx.send %x to %to by flag
  }
  rcclx.stage over %out {
    %x = rcclx.load %in
    %y = rcclx.recv like %out from %from by flag
    %z = arith.select %is_fixed, %x, %y : !rcclx.chunk
    rcclx.store %z, %out
  }
}

// -----

// The next rank of the ring needs no table.
// CHECK-LABEL: rcclx_kernel.func @rcclx_next
// CHECK-NOT: arith.select
// CHECK: [[TO:%.*]] = rcclx.shift %{{.*}} by %c1
// CHECK: [[FROM:%.*]] = rcclx.shift %{{.*}} by %c-1
// CHECK: rcclx_kernel.wait_credit %{{.*}} peer [[TO]]
// CHECK: rcclx_kernel.wait_message %{{.*}} peer [[FROM]]
rcclx.collective @next implements permute bind <world = 3, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %to = rcclx.destination_of %rank
  %from = rcclx.source_of %rank
  rcclx.stage over %in {
    %x = rcclx.load %in
    rcclx.send %x to %to by flag
  }
  rcclx.stage over %out {
    %y = rcclx.recv like %out from %from by flag
    rcclx.store %y, %out
  }
}
