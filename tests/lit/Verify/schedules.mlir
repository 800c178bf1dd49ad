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
// RUN: rcclx-opt %schedules/all_reduce_two_shot_stored.mlir %prove_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/all_to_all_pairwise.mlir %prove_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/all_gather_pull.mlir %prove_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/permute_direct.mlir %prove_1_to_16 -o /dev/null

// Those with a root, for every root.
// RUN: rcclx-opt %schedules/broadcast_direct.mlir %prove_every_root_of_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/broadcast_binomial.mlir %prove_every_root_of_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/reduce_direct.mlir %prove_every_root_of_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/reduce_binomial.mlir %prove_every_root_of_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/gather_direct.mlir %prove_every_root_of_1_to_16 -o /dev/null
// RUN: rcclx-opt %schedules/scatter_direct.mlir %prove_every_root_of_1_to_16 -o /dev/null

// And of as many as there may be.
// RUN: rcclx-opt %schedules/broadcast_binomial.mlir -rcclx-verify="world=256 roots" -o /dev/null
// RUN: rcclx-opt %schedules/reduce_binomial.mlir -rcclx-verify="world=256 roots" -o /dev/null
// RUN: rcclx-opt %schedules/all_reduce_two_shot.mlir -rcclx-verify=world=256 -o /dev/null
// RUN: rcclx-opt %schedules/barrier.mlir -rcclx-verify=world=256 -o /dev/null

// Permutations with and without fixed points.
// RUN: rcclx-opt %schedules/permute_direct.mlir -rcclx-specialize="world=5 permutation=4,3,2,1,0" -rcclx-verify -o /dev/null
// RUN: rcclx-opt %schedules/permute_direct.mlir -rcclx-specialize="world=5 permutation=0,1,2,3,4" -rcclx-verify -o /dev/null
// RUN: rcclx-opt %schedules/permute_direct.mlir -rcclx-specialize="world=6 permutation=1,2,0,4,5,3" -rcclx-verify -o /dev/null
