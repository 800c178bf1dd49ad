// RUN: rcclx-opt %s -rcclx-specialize="world=4 element=bf16 reduction=avg" | FileCheck %s
// RUN: rcclx-opt %s -rcclx-specialize=world=4 | FileCheck %s --check-prefix=DEFAULTS
// RUN: rcclx-opt %s -rcclx-specialize="world=4 element=i32 reduction=max" -rcclx-specialize="world=4 element=i32 reduction=max" | FileCheck %s --check-prefix=TWICE
// RUN: rcclx-opt %s -rcclx-specialize="world=4 element=f8E4M3FN reduction=premul_sum" | FileCheck %s --check-prefix=NARROW
// RUN: rcclx-opt %s -rcclx-specialize="world=4 element=u64 reduction=prod" | rcclx-opt -rcclx-specialize="world=4 element=u64 reduction=prod" | FileCheck %s --check-prefix=UNSIGNED
// RUN: not rcclx-opt %s -rcclx-specialize="world=4 element=ui8" 2>&1 | FileCheck %s --check-prefix=MLIR
// RUN: not rcclx-opt %s -rcclx-specialize 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not rcclx-opt %s -rcclx-specialize=world=257 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not rcclx-opt %s -rcclx-specialize="world=4 element=f80" 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not rcclx-opt %s -rcclx-specialize="world=4 element=F32" 2>&1 | FileCheck %s --check-prefix=CASE
// RUN: not rcclx-opt %s -rcclx-specialize="world=4 reduction=product" 2>&1 | FileCheck %s --check-prefix=REDUCTION
// RUN: not rcclx-opt %s -rcclx-specialize=world=many 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: rcclx-opt %s -rcclx-specialize="world=4 element=i32 reduction=max" | not rcclx-opt -rcclx-specialize=world=5 2>&1 | FileCheck %s --check-prefix=OTHER

// ZERO: error: {{.*}}1 to 256
// LARGE: error: {{.*}}1 to 256{{.*}}257
// ELEMENT: error: unknown element type 'f80'; expected f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, u8, i32, u32, i64 or u64
// CASE: error: unknown element type 'F32'
// REDUCTION: error: unknown reduction 'product'; expected sum, prod, min, max, avg or premul_sum
// MLIR: error: unknown element type 'ui8'; expected {{.*}} i8, u8,
// NUMBER: 'many' value invalid for uint
// OTHER: error: 'rcclx.collective' op is bound to #rcclx.spec<world = 4, element = i32, reduction = max>; expected it unbound or bound to #rcclx.spec<world = 5, element = f32, reduction = sum>

// The world becomes a constant; the rank stays.
// CHECK-LABEL: rcclx.collective @uses implements barrier
// CHECK-SAME: bind <world = 4, element = bf16, reduction = avg>
// CHECK-SAME: ([[RANK:%.*]], [[WORLD:%.*]]) {
// CHECK-NOT: [[WORLD]]
// CHECK: [[FOUR:%.*]] = arith.constant 4 : index
// CHECK: arith.addi [[RANK]], [[FOUR]]
// CHECK-NOT: [[WORLD]]
// CHECK: rcclx.return
// NARROW: @uses implements barrier bind <world = 4, element = f8E4M3FN, reduction = premul_sum>
// UNSIGNED: @uses implements barrier bind <world = 4, element = ui64, reduction = prod>
// DEFAULTS: @uses implements barrier bind <world = 4, element = f32, reduction = sum>
// TWICE: @uses implements barrier bind <world = 4, element = i32, reduction = max>
rcclx.collective @uses implements barrier (%rank, %world) {
  %next = arith.addi %rank, %world : index
  scf.for %i = %rank to %world step %world {
    %x = arith.muli %i, %world : index
  }
}

// Every collective of a module is bound.
// CHECK-LABEL: rcclx.collective @second implements all_gather
// CHECK-SAME: bind <world = 4, element = bf16, reduction = avg>
// DEFAULTS: @second implements all_gather bind <world = 4
// TWICE: @second implements all_gather bind <world = 4
rcclx.collective @second implements all_gather (%rank, %world) {
}
