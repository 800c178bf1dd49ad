// Lowered forms that are wrong in one thing, beside the schedules that are right.
// RUN: rcclx-opt %s -split-input-file -rcclx-verify-kernel -verify-diagnostics=only-expected -o /dev/null

// A spare NaN marks what has not arrived: integers have none.
rcclx.collective @integers implements all_reduce bind <world = 1, element = i32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 8, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  rcclx.stage over %in {
    %x = rcclx.load %in
    rcclx.send %x to %rank by ll
    %z = rcclx.identity
    %y = rcclx.recv like %in from %rank by ll
    %s = rcclx.reduce %z, %y
    %r = rcclx.finish %s
    rcclx.store %r, %out
  }
}
rcclx_kernel.func @kernel implements @integers <world = 1, element = i32, reduction = sum> <grid = 1, groups = 1, threads = 1, tile = 8, depth = 2, tags = 1, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  rcclx_kernel.open %c
  %tiles = rcclx_kernel.tiles %c longest 1 of 1
  scf.for %t = %c0 to %tiles step %c1 {
    rcclx_kernel.wait_credit %c peer %rank tag %c0 tile %t
    rcclx_kernel.acquire %c
    %in = rcclx_kernel.buffer %c input
    %out = rcclx_kernel.buffer %c output
    %r = rcclx_kernel.range %c tile %t slice %c0 for %c1 of %c1
    %first = rcclx_kernel.first %c, %r
    %limit = rcclx_kernel.limit %r
    %stride = rcclx_kernel.stride
    %to = rcclx_kernel.slot_to %c peer %rank tag %c0 tile %t by sentinel
    %from = rcclx_kernel.slot_from %c peer %rank tag %c0 tile %t by sentinel
    scf.for %g = %first to %limit step %stride {
      %x = rcclx_kernel.load %in, %r[%g]
      // expected-error @below {{op at rank 0 of 1: sends integers by sentinel, which needs a spare NaN}}
      rcclx_kernel.send %c, %x, %to, %r[%g] by sentinel
      %z = rcclx_kernel.identity
      %y = rcclx_kernel.recv %c, %from, %r[%g] from %rank by sentinel
      %s = rcclx_kernel.reduce %z, %y
      %f = rcclx_kernel.finish %s
      rcclx_kernel.store %f, %out, %r[%g]
    }
    rcclx_kernel.release %c
    rcclx_kernel.post_credit %c peer %rank tag %c0 tile %t of %tiles
  }
  rcclx_kernel.close %c
}

// -----

rcclx.collective @scaled implements all_reduce bind <world = 1, element = f32, reduction = premul_sum> map <grid = 1, groups = 1, threads = 1, tile = 8, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  rcclx.stage over %in {
    %x = rcclx.load %in
    %z = rcclx.identity
    %s = rcclx.reduce %z, %x
    %r = rcclx.finish %s
    rcclx.store %r, %out
  }
}
rcclx_kernel.func @kernel implements @scaled <world = 1, element = f32, reduction = premul_sum> <grid = 1, groups = 1, threads = 1, tile = 8, depth = 2, tags = 1, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  rcclx_kernel.open %c
  %tiles = rcclx_kernel.tiles %c longest 1 of 1
  scf.for %t = %c0 to %tiles step %c1 {
    %in = rcclx_kernel.buffer %c input
    %out = rcclx_kernel.buffer %c output
    %r = rcclx_kernel.range %c tile %t slice %c0 for %c1 of %c1
    %first = rcclx_kernel.first %c, %r
    %limit = rcclx_kernel.limit %r
    %stride = rcclx_kernel.stride
    scf.for %g = %first to %limit step %stride {
      %x = rcclx_kernel.load %in, %r[%g]
      %z = rcclx_kernel.identity
      // expected-error @below {{op at rank 0 of 1: reduces input that was not multiplied by the call's scale}}
      %s = rcclx_kernel.reduce %z, %x
      %f = rcclx_kernel.finish %s
      rcclx_kernel.store %f, %out, %r[%g]
    }
  }
  rcclx_kernel.close %c
}
rcclx_kernel.func @twice implements @scaled <world = 1, element = f32, reduction = premul_sum> <grid = 1, groups = 1, threads = 1, tile = 8, depth = 2, tags = 1, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  rcclx_kernel.open %c
  %tiles = rcclx_kernel.tiles %c longest 1 of 1
  scf.for %t = %c0 to %tiles step %c1 {
    %in = rcclx_kernel.buffer %c input
    %out = rcclx_kernel.buffer %c output
    %r = rcclx_kernel.range %c tile %t slice %c0 for %c1 of %c1
    %first = rcclx_kernel.first %c, %r
    %limit = rcclx_kernel.limit %r
    %stride = rcclx_kernel.stride
    scf.for %g = %first to %limit step %stride {
      %x = rcclx_kernel.load %in, %r[%g]
      %y = rcclx_kernel.prescale %c, %x
      // expected-error @below {{op at rank 0 of 1: multiplies by the call's scale what is no input}}
      %v = rcclx_kernel.prescale %c, %y
      %z = rcclx_kernel.identity
      %s = rcclx_kernel.reduce %z, %v
      %f = rcclx_kernel.finish %s
      rcclx_kernel.store %f, %out, %r[%g]
    }
  }
  rcclx_kernel.close %c
}

// -----

// Two block groups, one of which the kernel gives to the other's blocks.
rcclx.collective @halves implements all_reduce bind <world = 1, element = f32, reduction = sum> map <grid = 2, groups = 2, threads = 1, tile = 8, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %in0 = rcclx.part %c0 of %c2 in %in
  %in1 = rcclx.part %c1 of %c2 in %in
  %out0 = rcclx.part %c0 of %c2 in %out
  %out1 = rcclx.part %c1 of %c2 in %out
  rcclx.stage over %in0 {
    %x = rcclx.load %in0
    %z = rcclx.identity
    %s = rcclx.reduce %z, %x
    %r = rcclx.finish %s
    rcclx.store %r, %out0
  }
  rcclx.stage over %in1 group(1) {
    %x = rcclx.load %in1
    %z = rcclx.identity
    %s = rcclx.reduce %z, %x
    %r = rcclx.finish %s
    rcclx.store %r, %out1
  }
}
// expected-error @below {{op at rank 0 of 1: granules}}
rcclx_kernel.func @kernel implements @halves <world = 1, element = f32, reduction = sum> <grid = 2, groups = 2, threads = 1, tile = 8, depth = 2, tags = 1, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  rcclx_kernel.open %c
  %in = rcclx_kernel.buffer %c input
  %out = rcclx_kernel.buffer %c output
  %stride = rcclx_kernel.stride
  %tiles = rcclx_kernel.tiles %c longest 1 of 2
  %mine = rcclx_kernel.in_group %c, 0
  scf.if %mine {
    scf.for %t = %c0 to %tiles step %c1 {
      %r = rcclx_kernel.range %c tile %t slice %c0 for %c1 of %c2
      %first = rcclx_kernel.first %c, %r
      %limit = rcclx_kernel.limit %r
      scf.for %g = %first to %limit step %stride {
        %x = rcclx_kernel.load %in, %r[%g]
        %z = rcclx_kernel.identity
        %s = rcclx_kernel.reduce %z, %x
        %f = rcclx_kernel.finish %s
        rcclx_kernel.store %f, %out, %r[%g]
      }
    }
  }
  // Group 2 does not exist.
  %other = rcclx_kernel.in_group %c, 2
  scf.if %other {
    scf.for %t = %c0 to %tiles step %c1 {
      %r = rcclx_kernel.range %c tile %t slice %c1 for %c1 of %c2
      %first = rcclx_kernel.first %c, %r
      %limit = rcclx_kernel.limit %r
      scf.for %g = %first to %limit step %stride {
        %x = rcclx_kernel.load %in, %r[%g]
        %z = rcclx_kernel.identity
        %s = rcclx_kernel.reduce %z, %x
        %f = rcclx_kernel.finish %s
        rcclx_kernel.store %f, %out, %r[%g]
      }
    }
  }
  rcclx_kernel.close %c
}
