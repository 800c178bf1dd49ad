// Faults of a lowered form by `ll` and `sentinel`: two ranks send a part of the
// other's block each, then what they have reduced comes back.
// RUN: python3 %S/Inputs/check_faults.py rcclx-opt %s | FileCheck %s
// CHECK: {{[1-9][0-9]}} of {{[1-9][0-9]}} faults refused

rcclx.collective @there_and_back implements all_reduce bind <world = 2, element = f32, reduction = sum> map <grid = 4, groups = 1, threads = 64, tile = 12, depth = 2, tags = 2, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %peer = arith.subi %c1, %rank : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %theirs = rcclx.part %peer of %c2 in %in
  %mine = rcclx.part %rank of %c2 in %in
  %back = rcclx.part %peer of %c2 in %out
  %kept = rcclx.part %rank of %c2 in %out
  rcclx.stage over %theirs {
    %x = rcclx.load %theirs
    rcclx.send %x to %peer tag %c0 by sentinel
  }
  rcclx.stage over %mine {
    %z = rcclx.identity
    %x = rcclx.load %mine
    %a = rcclx.reduce %z, %x
    %y = rcclx.recv like %mine from %peer tag %c0 by sentinel
    %b = rcclx.reduce %a, %y
    %r = rcclx.finish %b
    rcclx.store %r, %kept
    rcclx.send %r to %peer tag %c1 by ll
  }
  rcclx.stage over %back {
    %y = rcclx.recv like %back from %peer tag %c1 by ll
    rcclx.store %y, %back
  }
}

// fault s/groups = 1/groups = 2/: before rank . has read
// fault s/element = f32/element = i32/: bound to other values
rcclx_kernel.func @kernel implements @there_and_back <world = 2, element = f32, reduction = sum> <grid = 4, groups = 1, threads = 64, tile = 12, depth = 2, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  rcclx_kernel.open %c
  // fault s/1 of 2/1 of 4/: of 1/4 of a block; expected those of the longest slice, 1/2
  // fault s/1 of 2/1 of 3/: of 1/3 of a block
  %tiles = rcclx_kernel.tiles %c longest 1 of 2
  // fault s/to %tiles/to %c2/: never written
  scf.for %t = %c0 to %tiles step %c1 {
    %next = arith.addi %t, %c1 : index
    %peer = arith.subi %c1, %rank : index
    %in = rcclx_kernel.buffer %c input
    %out = rcclx_kernel.buffer %c output
    %stride = rcclx_kernel.stride
    // fault s/slice %peer/slice %rank/: expects granules
    %theirs = rcclx_kernel.range %c tile %t slice %peer for %c1 of %c2
    // fault s/slice %rank/slice %peer/: expects granules
    %mine = rcclx_kernel.range %c tile %t slice %rank for %c1 of %c2
    %theirs_first = rcclx_kernel.first %c, %theirs
    %theirs_limit = rcclx_kernel.limit %theirs
    %mine_first = rcclx_kernel.first %c, %mine
    %mine_limit = rcclx_kernel.limit %mine
    // fault drop: in no order with rank . resetting it|before rank . has read
    // fault s/tile %t/tile %c0/: in no order with rank . resetting it|before rank . has read
    rcclx_kernel.wait_credit %c peer %peer tag %c0 tile %t
    // fault drop: in no order with rank . resetting it
    rcclx_kernel.acquire %c
    // fault s/tag %c0/tag %c1/: goes by|waits for|never received|expects granules
    // fault s/tile %t/tile %c0/: in no order with rank . resetting it|waits for a packet
    // fault s/peer %peer/peer %rank/: no edge to rank
    %to0 = rcclx_kernel.slot_to %c peer %peer tag %c0 tile %t by sentinel
    scf.for %g = %theirs_first to %theirs_limit step %stride {
      // fault s/%theirs[/%mine[/: works on another range
      %x = rcclx_kernel.load %in, %theirs[%g]
      // fault drop: waits for a packet of tag 0, tile 0, from rank ., which never comes
      // fault twice: before rank . has read what lies there
      // fault s/by sentinel/by ll/: goes by ll in a slot of sentinel
      rcclx_kernel.send %c, %x, %to0, %theirs[%g] by sentinel
    }
    // Nothing that this signals.
    rcclx_kernel.release %c
    // fault drop: in no order with rank . resetting it|before rank . has read
    rcclx_kernel.wait_credit %c peer %peer tag %c1 tile %t
    // fault drop: in no order with rank . resetting it
    rcclx_kernel.acquire %c
    // fault s/tag %c0/tag %c1/: waits for|goes by
    // fault s/tile %t/tile %next/: waits for a packet of tag 0, tile
    %from0 = rcclx_kernel.slot_from %c peer %peer tag %c0 tile %t by sentinel
    %to1 = rcclx_kernel.slot_to %c peer %peer tag %c1 tile %t by ll
    scf.for %g = %mine_first to %mine_limit step %stride {
      %z = rcclx_kernel.identity
      %x = rcclx_kernel.load %in, %mine[%g]
      %o = rcclx_kernel.reduce %z, %x
      %x2 = rcclx_kernel.finish %o
      // fault s/%z, %x/%z, %x2/: become .*expected, as in the schedule
      %a = rcclx_kernel.reduce %z, %x
      // fault s/%mine[/%theirs[/: works on another range
      // fault s/from %peer/from %rank/: names rank
      %y = rcclx_kernel.recv %c, %from0, %mine[%g] from %peer by sentinel
      // fault s/%a, %y/%a, %x/: become .*expected, as in the schedule
      // fault s/%a, %y/%z, %y/: become .*expected, as in the schedule
      %b = rcclx_kernel.reduce %a, %y
      // fault s/finish/round/: become .*round.*expected, as in the schedule
      // fault s/%b/%a/: become .*expected, as in the schedule
      %r = rcclx_kernel.finish %b
      // fault s/%r/%y/: went through a sentinel slot
      // fault s/%r/%x/: become in
      // fault drop: never written
      rcclx_kernel.store %r, %out, %mine[%g]
      // fault s/%r/%x/: become in
      // fault s/%r/%y/: went through a sentinel slot
      // fault drop: waits for a packet of tag 1
      rcclx_kernel.send %c, %r, %to1, %mine[%g] by ll
    }
    // fault drop: in no order with rank . resetting it
    rcclx_kernel.release %c
    // The credit of tag 1 comes after it and says the same.
    // fault s/tag %c0/tag %c1/: in no order|waits for the credit|an earlier
    // fault s/tile %t/tile %next/: in no order|before rank|an earlier
    rcclx_kernel.post_credit %c peer %peer tag %c0 tile %t of %tiles
    rcclx_kernel.acquire %c
    // fault s/by ll/by sentinel/: goes by ll in a slot of sentinel
    %from1 = rcclx_kernel.slot_from %c peer %peer tag %c1 tile %t by ll
    scf.for %g = %theirs_first to %theirs_limit step %stride {
      // fault s/by ll/by flag/: goes by flag in a slot of ll
      %y = rcclx_kernel.recv %c, %from1, %theirs[%g] from %peer by ll
      // fault drop: never written
      rcclx_kernel.store %y, %out, %theirs[%g]
    }
    // fault drop: in no order with rank . resetting it
    rcclx_kernel.release %c
    // fault drop: waits for the credit of tag 1
    rcclx_kernel.post_credit %c peer %peer tag %c1 tile %t of %tiles
  }
  // fault drop: ends without rcclx_kernel.close
  rcclx_kernel.close %c
}
