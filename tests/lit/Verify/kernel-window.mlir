// Faults of a lowered form by `direct`: two ranks read each other's windows.
// RUN: python3 %S/Inputs/check_faults.py rcclx-opt %s | FileCheck %s
// CHECK: {{[1-9][0-9]}} of {{[1-9][0-9]}} faults refused

rcclx.collective @pull implements all_gather bind <world = 2, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 8, depth = 3, tags = 1, rows = 1> (%rank, %world) {
  %c1 = arith.constant 1 : index
  %peer = arith.subi %c1, %rank : index
  %in = rcclx.buffer input
  %own = rcclx.buffer output block(%rank)
  %theirs = rcclx.buffer output block(%peer)
  rcclx.stage over %in {
    %x = rcclx.load %in
    rcclx.store %x, %own
  }
  rcclx.stage over %in {
    %x = rcclx.load %in at %peer
    rcclx.store %x, %theirs
  }
}

rcclx_kernel.func @kernel implements @pull <world = 2, element = f32, reduction = sum> <grid = 1, groups = 1, threads = 1, tile = 8, depth = 3, tags = 1, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  rcclx_kernel.open %c
  %tiles = rcclx_kernel.tiles %c longest 1 of 1
  %less = arith.subi %tiles, %c1 : index
  scf.for %t = %c0 to %tiles step %c1 {
    %next = arith.addi %t, %c1 : index
    %before = arith.subi %t, %c1 : index
    %peer = arith.subi %c1, %rank : index
    %in = rcclx_kernel.buffer %c input
    %own = rcclx_kernel.buffer %c output block(%rank)
    %theirs = rcclx_kernel.buffer %c output block(%peer)
    %r = rcclx_kernel.range %c tile %t slice %c0 for %c1 of %c1
    %first = rcclx_kernel.first %c, %r
    %limit = rcclx_kernel.limit %r
    %stride = rcclx_kernel.stride
    // fault s/tag %c0/tag %c1/: is not there
    rcclx_kernel.wait_window %c tag %c0 tile %t
    rcclx_kernel.acquire %c
    // fault s/tile %t/tile %c0/: in no order with rank . (reading|writing) it
    // fault s/slot_to/slot_from/: no edge to rank|sends into a slot that is received from
    // fault s/by direct/by flag/: goes by direct in a slot of flag
    %window = rcclx_kernel.slot_to %c peer %rank tag %c0 tile %t by direct
    scf.for %g = %first to %limit step %stride {
      %x = rcclx_kernel.load %in, %r[%g]
      // fault drop: in no order with rank . writing it
      rcclx_kernel.send %c, %x, %window, %r[%g] by direct
    }
    // fault drop: in no order with rank . writing it
    // fault later: in no order with rank . writing it
    rcclx_kernel.release %c
    // fault drop: waits for the window of tag 0, tile 0
    // fault s/tile %t/tile %next/: in no order with rank . writing it
    // fault s/tile %t/tile %before/: is not there
    // fault s/tag %c0/tag %c1/: is not there
    rcclx_kernel.post_window %c tag %c0 tile %t
    scf.for %g = %first to %limit step %stride {
      %x = rcclx_kernel.load %in, %r[%g]
      rcclx_kernel.store %x, %own, %r[%g]
    }
    // fault drop: in no order with rank . writing it
    // fault later: in no order with rank . writing it
    // fault s/peer %peer/peer %rank/: no edge to rank
    // fault s/tile %t/tile %before/: is not there|in no order
    // fault s/tile %t/tile %next/: waits for the window
    rcclx_kernel.wait_pull %c peer %peer tag %c0 tile %t
    // fault drop: in no order with rank . writing it
    rcclx_kernel.acquire %c
    // fault s/peer %peer/peer %rank/: no edge to rank|names rank
    // fault s/tile %t/tile %next/: in no order|expects granules
    %from = rcclx_kernel.slot_from %c peer %peer tag %c0 tile %t by direct
    scf.for %g = %first to %limit step %stride {
      // fault s/from %peer/from %rank/: names rank
      %x = rcclx_kernel.recv %c, %from, %r[%g] from %peer by direct
      rcclx_kernel.store %x, %theirs, %r[%g]
    }
    // fault drop: (in no order with rank . reading|may still read)
    // fault later: (in no order with rank . reading|may still read)
    rcclx_kernel.release %c
    // fault drop: waits for the reading of the window
    // fault s/peer %peer/peer %rank/: no edge to rank
    // fault s/tile %t/tile %before/: is not there|waits for the reading
    // fault s/tile %t/tile %next/: (in no order with rank . reading|may still read)
    rcclx_kernel.post_pull %c peer %peer tag %c0 tile %t
  }
  // fault drop: begins a call while rank . may still read its window
  // fault s/tiles %tiles/tiles %less/: may still read its window|is not there
  // fault s/tag %c0/tag %c1/: is not there
  rcclx_kernel.drain_window %c tag %c0 tiles %tiles
  rcclx_kernel.close %c
}
