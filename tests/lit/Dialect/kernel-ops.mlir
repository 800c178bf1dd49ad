// RUN: rcclx-opt %s --verify-roundtrip -o /dev/null
// RUN: rcclx-opt %s | FileCheck %s
// RUN: rcclx-opt %s -mlir-print-op-generic | rcclx-opt | FileCheck %s
// RUN: rcclx-opt %s --emit-bytecode | rcclx-opt | FileCheck %s
// Every operation reads or writes memory, or its result is used: none goes.
// RUN: rcclx-opt %s -canonicalize -cse -loop-invariant-code-motion | FileCheck %s

// CHECK-LABEL: rcclx_kernel.func @all <world = 8, element = bf16, reduction = avg>
// CHECK-SAME: <grid = 4, groups = 2, threads = 256, tile = 64, depth = 4, tags = 2, rows = 1> {
// CHECK-NEXT: ^bb0([[C:%.*]]: !rcclx_kernel.context, [[RANK:%.*]]: index):
rcclx_kernel.func @all <world = 8, element = bf16, reduction = avg> <grid = 4, groups = 2, threads = 256, tile = 64, depth = 4, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  // CHECK: [[C0:%.*]] = arith.constant 0
  %c0 = arith.constant 0 : index
  // CHECK: [[C1:%.*]] = arith.constant 1
  %c1 = arith.constant 1 : index

  // CHECK: rcclx_kernel.open [[C]]
  rcclx_kernel.open %c
  // CHECK: [[TILES:%.*]] = rcclx_kernel.tiles [[C]] longest 3 of 8
  %tiles = rcclx_kernel.tiles %c longest 3 of 8
  // CHECK: [[MINE:%.*]] = rcclx_kernel.in_group [[C]], 1
  %mine = rcclx_kernel.in_group %c, 1
  // CHECK: [[ALIVE:%.*]] = rcclx_kernel.alive [[C]]
  %alive = rcclx_kernel.alive %c
  // CHECK: [[BOTH:%.*]] = arith.andi [[MINE]], [[ALIVE]]
  %both = arith.andi %mine, %alive : i1
  // CHECK: scf.if [[BOTH]]
  scf.if %both {
    // CHECK: rcclx_kernel.wait_window [[C]] tag [[C0]] tile [[C1]]
    rcclx_kernel.wait_window %c tag %c0 tile %c1
    // CHECK: rcclx_kernel.post_window [[C]] tag [[C0]] tile [[C1]]
    rcclx_kernel.post_window %c tag %c0 tile %c1
    // CHECK: rcclx_kernel.wait_credit [[C]] peer [[RANK]] tag [[C0]] tile [[C1]]
    rcclx_kernel.wait_credit %c peer %rank tag %c0 tile %c1
    // CHECK: rcclx_kernel.wait_message [[C]] peer [[RANK]] tag [[C0]] tile [[C1]]
    rcclx_kernel.wait_message %c peer %rank tag %c0 tile %c1
    // CHECK: rcclx_kernel.wait_pull [[C]] peer [[RANK]] tag [[C0]] tile [[C1]]
    rcclx_kernel.wait_pull %c peer %rank tag %c0 tile %c1
    // CHECK: rcclx_kernel.acquire [[C]]
    rcclx_kernel.acquire %c
    // CHECK: [[R:%.*]] = rcclx_kernel.range [[C]] tile [[C1]] slice [[C0]] for [[C1]] of [[TILES]]
    %r = rcclx_kernel.range %c tile %c1 slice %c0 for %c1 of %tiles
    // CHECK: [[FIRST:%.*]] = rcclx_kernel.first [[C]], [[R]]
    %first = rcclx_kernel.first %c, %r
    // CHECK: [[LIMIT:%.*]] = rcclx_kernel.limit [[R]]
    %limit = rcclx_kernel.limit %r
    // CHECK-DAG: [[IN:%.*]] = rcclx_kernel.buffer [[C]] input{{$}}
    %in = rcclx_kernel.buffer %c input
    // CHECK-DAG: [[OUT:%.*]] = rcclx_kernel.buffer [[C]] output block([[RANK]])
    %out = rcclx_kernel.buffer %c output block(%rank)
    // CHECK-DAG: [[TO:%.*]] = rcclx_kernel.slot_to [[C]] peer [[RANK]] tag [[C0]] tile [[C1]] by ll
    %to = rcclx_kernel.slot_to %c peer %rank tag %c0 tile %c1 by ll
    // CHECK-DAG: [[FROM:%.*]] = rcclx_kernel.slot_from [[C]] peer [[RANK]] tag [[C0]] tile [[C1]] by direct
    %from = rcclx_kernel.slot_from %c peer %rank tag %c0 tile %c1 by direct
    // CHECK-DAG: [[ZERO:%.*]] = rcclx_kernel.identity
    %zero = rcclx_kernel.identity
    // CHECK: [[STEP:%.*]] = rcclx_kernel.stride
    %step = rcclx_kernel.stride
    // CHECK: scf.for [[G:%.*]] = [[FIRST]] to [[LIMIT]] step [[STEP]]
    scf.for %g = %first to %limit step %step {
      // CHECK: [[X:%.*]] = rcclx_kernel.load [[IN]], [[R]]{{\[}}[[G]]]
      %x = rcclx_kernel.load %in, %r[%g]
      // CHECK: rcclx_kernel.send [[C]], [[X]], [[TO]], [[R]]{{\[}}[[G]]] by ll
      rcclx_kernel.send %c, %x, %to, %r[%g] by ll
      // CHECK: [[Y:%.*]] = rcclx_kernel.recv [[C]], [[FROM]], [[R]]{{\[}}[[G]]] from [[RANK]] by direct
      %y = rcclx_kernel.recv %c, %from, %r[%g] from %rank by direct
      // CHECK: [[A:%.*]] = rcclx_kernel.reduce [[ZERO]], [[Y]]
      %a = rcclx_kernel.reduce %zero, %y
      // CHECK: [[ROUNDED:%.*]] = rcclx_kernel.round [[A]]
      %rounded = rcclx_kernel.round %a
      // CHECK: [[B:%.*]] = rcclx_kernel.reduce [[A]], [[ROUNDED]]
      %b = rcclx_kernel.reduce %a, %rounded
      // CHECK: [[Z:%.*]] = rcclx_kernel.finish [[B]]
      %z = rcclx_kernel.finish %b
      // CHECK: rcclx_kernel.store [[Z]], [[OUT]], [[R]]{{\[}}[[G]]]
      rcclx_kernel.store %z, %out, %r[%g]
    }
    // CHECK: rcclx_kernel.release [[C]]
    rcclx_kernel.release %c
    // CHECK: rcclx_kernel.post_message [[C]] peer [[RANK]] tag [[C0]] tile [[C1]]
    rcclx_kernel.post_message %c peer %rank tag %c0 tile %c1
    // CHECK: rcclx_kernel.post_credit [[C]] peer [[RANK]] tag [[C0]] tile [[C1]] of [[TILES]]
    rcclx_kernel.post_credit %c peer %rank tag %c0 tile %c1 of %tiles
    // CHECK: rcclx_kernel.post_pull [[C]] peer [[RANK]] tag [[C0]] tile [[C1]]
    rcclx_kernel.post_pull %c peer %rank tag %c0 tile %c1
  }
  // CHECK: rcclx_kernel.drain_window [[C]] tag [[C0]] tiles [[TILES]]
  rcclx_kernel.drain_window %c tag %c0 tiles %tiles
  // CHECK: rcclx_kernel.close [[C]]
  rcclx_kernel.close %c
}

// Order is memory: nothing of it is merged, moved out of a loop or dropped.
// CHECK-LABEL: rcclx_kernel.func @order
// CHECK: scf.for
// CHECK-COUNT-2: rcclx_kernel.acquire
// CHECK-COUNT-2: rcclx_kernel.wait_message
// CHECK-COUNT-2: rcclx_kernel.recv
// CHECK-COUNT-2: rcclx_kernel.post_message
// CHECK-COUNT-2: rcclx_kernel.release
rcclx_kernel.func @order <world = 2, element = f32, reduction = sum> <grid = 1, groups = 1, threads = 1, tile = 64, depth = 4, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = rcclx_kernel.range %c tile %c0 slice %c0 for %c1 of %c1
  %from = rcclx_kernel.slot_from %c peer %rank tag %c0 tile %c0 by sentinel
  scf.for %i = %c0 to %c9 step %c1 {
    rcclx_kernel.acquire %c
    rcclx_kernel.acquire %c
    rcclx_kernel.wait_message %c peer %rank tag %c0 tile %c0
    rcclx_kernel.wait_message %c peer %rank tag %c0 tile %c0
    // A sentinel is reset where it is received: unused, it stays.
    %x = rcclx_kernel.recv %c, %from, %r[%c0] from %rank by sentinel
    %y = rcclx_kernel.recv %c, %from, %r[%c0] from %rank by sentinel
    rcclx_kernel.post_message %c peer %rank tag %c0 tile %c0
    rcclx_kernel.post_message %c peer %rank tag %c0 tile %c0
    rcclx_kernel.release %c
    rcclx_kernel.release %c
  }
  rcclx_kernel.return
}
