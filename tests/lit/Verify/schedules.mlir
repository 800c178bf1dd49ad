// The shipped schedules are right for every world of 1 to 16 ranks.
// RUN: rcclx-opt %schedules/all_gather_direct.mlir %prove_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/all_reduce_one_shot.mlir %prove_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/all_reduce_one_shot_pull.mlir %prove_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/all_reduce_ring.mlir %prove_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/all_reduce_two_shot.mlir %prove_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/all_gather_ring.mlir %prove_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/all_to_all_direct.mlir %prove_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/reduce_scatter_direct.mlir %prove_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/reduce_scatter_ring.mlir %prove_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/barrier.mlir %prove_1_to_16 -o /dev/null

// And of as many as there may be.
// RUN: rcclx-opt %schedules/all_reduce_two_shot.mlir -rcclx-verify=world=256 -o /dev/null
// RUN: rcclx-opt %schedules/barrier.mlir -rcclx-verify=world=256 -o /dev/null
