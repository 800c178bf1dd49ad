// Faults that show in a call in place only, where input and output are one memory,
// and of memory that is read back.
// RUN: python3 %S/Inputs/check_faults.py rcclx-opt %s | FileCheck %s
// CHECK: {{[1-9]+}} of {{[1-9]+}} faults refused

rcclx.collective @copy implements all_gather bind <world = 1, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 8, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %in = rcclx.buffer input
  %kept = rcclx.buffer scratch block(%rank)
  %out = rcclx.buffer output block(%rank)
  rcclx.stage over %in {
    %x = rcclx.load %in
    rcclx.store %x, %kept
  }
  rcclx.stage over %in {
    %x = rcclx.load %in
    rcclx.store %x, %out
  }
}

rcclx_kernel.func @kernel implements @copy <world = 1, element = f32, reduction = sum> <grid = 1, groups = 1, threads = 1, tile = 8, depth = 2, tags = 1, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  rcclx_kernel.open %c
  %tiles = rcclx_kernel.tiles %c longest 1 of 1
  scf.for %t = %c0 to %tiles step %c1 {
    %in = rcclx_kernel.buffer %c input
    %kept = rcclx_kernel.buffer %c scratch block(%rank)
    %out = rcclx_kernel.buffer %c output block(%rank)
    %stride = rcclx_kernel.stride
    // Half of it is read by other threads than those that write later.
    // fault s/for %c1 of %c1/for %c1 of %c2/: input that other threads may still read
    %r = rcclx_kernel.range %c tile %t slice %c0 for %c1 of %c1
    %r_first = rcclx_kernel.first %c, %r
    %r_limit = rcclx_kernel.limit %r
    scf.for %g = %r_first to %r_limit step %stride {
      %x = rcclx_kernel.load %in, %r[%g]
      // fault drop: which the same threads have not written before
      // fault twice: again
      // fault later: which the same threads have not written before
      rcclx_kernel.store %x, %kept, %r[%g]
      // fault s/%kept/%out/: which the same threads have not written before
      %y = rcclx_kernel.load %kept, %r[%g]
    }
    // fault s/for %c1 of %c1/for %c1 of %c2/: input that other threads may still read|never written
    %q = rcclx_kernel.range %c tile %t slice %c0 for %c1 of %c1
    %q_first = rcclx_kernel.first %c, %q
    %q_limit = rcclx_kernel.limit %q
    scf.for %g = %q_first to %q_limit step %stride {
      %x = rcclx_kernel.load %in, %q[%g]
      // fault later: of the input, which a call in place has overwritten
      %z = rcclx_kernel.load %in, %q[%g]
      rcclx_kernel.store %x, %out, %q[%g]
    }
  }
  rcclx_kernel.close %c
}
