// Root and permutation, of contracts that have them.
// RUN: split-file %s %t
// RUN: rcclx-opt %t/rooted.mlir -rcclx-specialize="world=4 root=3" | FileCheck %t/rooted.mlir
// RUN: not rcclx-opt %t/rooted.mlir -rcclx-specialize="world=4 root=4" 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not rcclx-opt %t/permuted.mlir -rcclx-specialize="world=4 root=1" 2>&1 | FileCheck %s --check-prefix=ROOTLESS
// RUN: rcclx-opt %t/permuted.mlir -rcclx-specialize="world=4 permutation=1,0,2,3" | FileCheck %t/permuted.mlir
// RUN: not rcclx-opt %t/permuted.mlir -rcclx-specialize="world=4 permutation=1,0,2" 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not rcclx-opt %t/permuted.mlir -rcclx-specialize="world=4 permutation=1,0,2,0" 2>&1 | FileCheck %s --check-prefix=DOUBLE
// RUN: not rcclx-opt %t/rooted.mlir -rcclx-specialize="world=2 permutation=1,0" 2>&1 | FileCheck %s --check-prefix=FIXED
// BEYOND: error: expected a root within 0 to 3, found 4
// ROOTLESS: error: 'rcclx.collective' op permute has no root; expected root 0, found 1
// SHORT: error: expected a permutation of 4 ranks, found 3 entries
// DOUBLE: error: expected a permutation of 0 to 3, found 0 twice
// FIXED: error: 'rcclx.collective' op broadcast has no permutation; expected none

//--- rooted.mlir
// The root becomes a constant, too.
// CHECK: implements broadcast bind <world = 4, element = f32, reduction = sum, root = 3> ([[RANK:%.*]], %{{.*}}) {
// CHECK-NOT: rcclx.root
// CHECK: [[ROOT:%.*]] = arith.constant 3 : index
// CHECK: arith.cmpi eq, [[RANK]], [[ROOT]]
rcclx.collective @rooted implements broadcast (%rank, %world) {
  %root = rcclx.root
  %is_root = arith.cmpi eq, %rank, %root : index
}

//--- permuted.mlir
// The permutation stays an attribute: its operations take any rank.
// CHECK: implements permute bind <world = 4, element = f32, reduction = sum, permutation = [1, 0, 2, 3]>
// CHECK: rcclx.destination_of
rcclx.collective @permuted implements permute (%rank, %world) {
  %to = rcclx.destination_of %rank
}
