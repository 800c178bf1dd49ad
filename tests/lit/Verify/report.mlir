// RUN: rcclx-opt %schedules/all_reduce_two_shot.mlir -rcclx-verify="world=8 report" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWO-SHOT
// RUN: rcclx-opt %schedules/all_reduce_ring.mlir -rcclx-verify="world=8 report" -o /dev/null 2>&1 | FileCheck %s --check-prefix=RING
// RUN: rcclx-opt %schedules/all_reduce_one_shot_pull.mlir -rcclx-verify="world=1 report" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PULL

// Messages count between different ranks only.
// TWO-SHOT: remark: @all_reduce_two_shot proved for 8 ranks: 448 operations, 112 messages, least safe slots 1, 2 tags; {{[0-9]+}} us
// RING: remark: @all_reduce_ring proved for 8 ranks: 576 operations, 112 messages, least safe slots 1, 14 tags
// PULL: remark: @all_reduce_one_shot_pull proved for 1 rank: 5 operations, 0 messages, least safe slots 1, 0 tags
