// RUN: rcclx-opt %s -rcclx-specialize="world=4 element=bf16 reduction=avg" | FileCheck %s
// RUN: rcclx-opt %s -rcclx-specialize=world=4 | FileCheck %s --check-prefix=DEFAULTS
// RUN: rcclx-opt %s -rcclx-specialize="world=4 element=i32 reduction=max" -rcclx-specialize="world=4 element=i32 reduction=max" | FileCheck %s --check-prefix=TWICE
// RUN: not rcclx-opt %s -rcclx-specialize 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not rcclx-opt %s -rcclx-specialize=world=257 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not rcclx-opt %s -rcclx-specialize="world=4 element=f64" 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not rcclx-opt %s -rcclx-specialize="world=4 element=F32" 2>&1 | FileCheck %s --check-prefix=CASE
// RUN: not rcclx-opt %s -rcclx-specialize="world=4 reduction=product" 2>&1 | FileCheck %s --check-prefix=REDUCTION
// RUN: not rcclx-opt %s -rcclx-specialize=world=many 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: rcclx-opt %s -rcclx-specialize="world=4 element=i32 reduction=max" | not rcclx-opt -rcclx-specialize=world=5 2>&1 | FileCheck %s --check-prefix=OTHER

// ZERO: error: {{.*}}1 to 256
// LARGE: error: {{.*}}1 to 256{{.*}}257
// ELEMENT: error: unknown element type 'f64'; expected f32, f16, bf16 or i32
// CASE: error: unknown element type 'F32'
// REDUCTION: error: unknown reduction 'product'; expected sum, max or avg
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
