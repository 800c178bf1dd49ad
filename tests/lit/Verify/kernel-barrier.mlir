// Faults of a barrier's lowered form: nothing is written, only order counts.
// RUN: python3 %S/Inputs/check_faults.py rcclx-opt %s | FileCheck %s
// CHECK: {{[1-9][0-9]}} of {{[1-9][0-9]}} faults refused

rcclx.collective @barrier implements barrier bind <world = 3, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 8, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  rcclx.barrier
}

rcclx_kernel.func @kernel implements @barrier <world = 3, element = f32, reduction = sum> <grid = 1, groups = 1, threads = 1, tile = 8, depth = 2, tags = 1, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  // fault drop: before rcclx_kernel.open
  rcclx_kernel.open %c
  // Nothing was done since open, which releases too.
  rcclx_kernel.release %c
  // fault s/%c1 to/%c2 to/: waits for the message of tag 0, tile 0, from rank ., which never comes
  // fault s/to %c3/to %c2/: waits for the message of tag 0, tile 0, from rank ., which never comes
  scf.for %k = %c1 to %c3 step %c1 {
    // fault s/by %k/by %c1/: waits for the message of tag 0, tile 0, from rank ., which never comes
    %p = rcclx.shift %rank by %k
    // fault drop: waits for the message of tag 0, tile 0, from rank ., which never comes
    // fault s/peer %p/peer %rank/: no edge to rank
    // fault s/tag %c0/tag %c1/: names a rank, tag or tile that is not there
    rcclx_kernel.post_message %c peer %p tag %c0 tile %c0
  }
  // fault s/%c1 to/%c2 to/: may leave the barrier before rank . has entered it
  // fault s/to %c3/to %c2/: may leave the barrier before rank . has entered it
  scf.for %k = %c1 to %c3 step %c1 {
    // fault s/by %k/by %c1/: may leave the barrier before rank . has entered it
    %p = rcclx.shift %rank by %k
    // fault drop: may leave the barrier before rank . has entered it
    // fault s/tile %c0/tile %c1/: waits for the message of tag 0, tile 1
    rcclx_kernel.wait_message %c peer %p tag %c0 tile %c0
  }
  // fault drop: may leave the barrier before rank . has entered it
  rcclx_kernel.acquire %c
  rcclx_kernel.close %c
}
