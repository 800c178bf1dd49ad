// RUN: rcclx-opt %s -verify-diagnostics --verify-roundtrip -o /dev/null
// RUN: rcclx-opt %s | FileCheck %s
// RUN: rcclx-opt %s -mlir-print-op-generic | rcclx-opt | FileCheck %s
// RUN: rcclx-opt %s --emit-bytecode | rcclx-opt | FileCheck %s

// CHECK-LABEL: rcclx.collective @structure implements barrier (%{{.*}}, %{{.*}}) {
rcclx.collective @structure implements barrier (%rank, %world) {
  %cm1 = arith.constant -1 : index
  // CHECK: [[PREV:%.*]] = rcclx.shift %{{.*}} by %{{.*}}
  %prev = rcclx.shift %rank by %cm1
  // CHECK: rcclx.signal to [[PREV]]{{$}}
  rcclx.signal to %prev
  // CHECK: rcclx.wait from [[PREV]]{{$}}
  rcclx.wait from %prev
  // CHECK: rcclx.signal to [[PREV]] tag %{{.*}}
  rcclx.signal to %prev tag %rank
  // CHECK: rcclx.wait from [[PREV]] tag %{{.*}}
  rcclx.wait from %prev tag %rank
  // CHECK: rcclx.barrier{{$}}
  rcclx.barrier
  // CHECK: rcclx.barrier tag %{{.*}}
  rcclx.barrier tag %rank
  rcclx.return
}

// CHECK-LABEL: rcclx.collective @attributes implements all_reduce
// CHECK-SAME: bind <world = 8, element = bf16, reduction = avg>
// CHECK-SAME: map <grid = 1, groups = 1, threads = 256, tile = 64, depth = 4, tags = 2, rows = 1>
// CHECK: } {other = 1 : i32}
rcclx.collective @attributes implements all_reduce bind <world = 8, element = bf16, reduction = avg> map <grid = 1, groups = 1, threads = 256, tile = 64, depth = 4, tags = 2, rows = 1> (%rank, %world) {
} {other = 1 : i32}

// CHECK-LABEL: rcclx.collective @rooted implements broadcast
// CHECK-SAME: bind <world = 8, element = f32, reduction = sum, root = 7>
rcclx.collective @rooted implements broadcast bind <world = 8, element = f32, reduction = sum, root = 7> (%rank, %world) {
  // CHECK: [[ROOT:%.*]] = rcclx.root{{$}}
  %root = rcclx.root
  // CHECK: rcclx.shift %{{.*}} by [[ROOT]]
  %p = rcclx.shift %rank by %root
}

// CHECK-LABEL: rcclx.collective @permuted implements permute
// CHECK-SAME: bind <world = 3, element = f32, reduction = sum, permutation = [1, 0, 2]>
rcclx.collective @permuted implements permute bind <world = 3, element = f32, reduction = sum, permutation = [1, 0, 2]> (%rank, %world) {
  // CHECK: [[TO:%.*]] = rcclx.destination_of %{{.*}}
  %to = rcclx.destination_of %rank
  // CHECK: rcclx.source_of [[TO]]
  %back = rcclx.source_of %to
}

// CHECK-LABEL: rcclx.collective @slices implements all_gather
rcclx.collective @slices implements all_gather (%rank, %world) {
  // CHECK: [[IN:%.*]] = rcclx.buffer input{{$}}
  %in = rcclx.buffer input
  // CHECK: [[OUT:%.*]] = rcclx.buffer output block(%{{.*}})
  %out = rcclx.buffer output block(%rank)
  // CHECK: rcclx.buffer scratch block(%{{.*}})
  %own = rcclx.buffer scratch block(%rank)
  // CHECK: rcclx.part %{{.*}} of %{{.*}} in [[IN]]
  %part = rcclx.part %rank of %world in %in
  // CHECK: rcclx.part %{{.*}} for %{{.*}} of %{{.*}} in [[OUT]]
  %parts = rcclx.part %rank for %world of %world in %out
}

// CHECK-LABEL: rcclx.collective @memory implements all_gather
rcclx.collective @memory implements all_gather (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output block(%rank)
  // CHECK: [[X:%.*]] = rcclx.load %{{[^ ]*}}{{$}}
  %x = rcclx.load %in
  // CHECK: [[Y:%.*]] = rcclx.load %{{.*}} at %{{.*}}
  %y = rcclx.load %in at %world
  // CHECK: rcclx.store [[X]], %{{[^ ]*}}{{$}}
  rcclx.store %x, %out
  // CHECK: rcclx.store [[Y]], %{{.*}} at %{{.*}}
  rcclx.store %y, %out at %world
}

// CHECK-LABEL: rcclx.collective @messages implements all_reduce
rcclx.collective @messages implements all_reduce (%rank, %world) {
  %in = rcclx.buffer input
  %x = rcclx.load %in
  // CHECK: rcclx.send [[X:%.*]] to %{{[^ ]*}}{{$}}
  rcclx.send %x to %rank
  // CHECK: rcclx.send [[X]] to %{{.*}} tag %{{[^ ]*}}{{$}}
  rcclx.send %x to %rank tag %world
  // CHECK: rcclx.send [[X]] to %{{.*}} tag %{{.*}} by ll
  rcclx.send %x to %rank tag %world by ll
  // CHECK: rcclx.send [[X]] to %{{.*}} by direct
  rcclx.send %x to %rank by direct
  // CHECK: rcclx.recv like [[IN:%.*]] from %{{[^ ]*}}{{$}}
  %y = rcclx.recv like %in from %rank
  // CHECK: rcclx.recv like [[IN]] from %{{.*}} tag %{{.*}} by sentinel
  %z = rcclx.recv like %in from %rank tag %world by sentinel
  // CHECK: rcclx.recv like [[IN]] from %{{.*}} by flag
  %w = rcclx.recv like %in from %rank by flag
}

// CHECK-LABEL: rcclx.collective @arithmetic implements reduce_scatter
rcclx.collective @arithmetic implements reduce_scatter (%rank, %world) {
  %in = rcclx.buffer input block(%rank)
  %x = rcclx.load %in
  // CHECK: [[ZERO:%.*]] = rcclx.identity
  %zero = rcclx.identity
  // CHECK: [[SUM:%.*]] = rcclx.reduce [[ZERO]], %{{.*}}
  %sum = rcclx.reduce %zero, %x
  // CHECK: rcclx.round [[SUM]]
  %partial = rcclx.round %sum
  // CHECK: rcclx.finish [[SUM]]
  %result = rcclx.finish %sum
}

// CHECK-LABEL: rcclx.collective @stages implements all_to_all
rcclx.collective @stages implements all_to_all (%rank, %world) {
  %in = rcclx.buffer input block(%rank)
  // CHECK: rcclx.stage over [[IN:%.*]] {
  // CHECK-NEXT: rcclx.load [[IN]]
  rcclx.stage over %in {
    %x = rcclx.load %in
  }
  // CHECK: rcclx.stage over [[IN]] group(2) {
  rcclx.stage over %in group(2) {
    rcclx.yield
  }
}
