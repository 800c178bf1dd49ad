// Faults of a lowered form by `flag`: two ranks gather each other's blocks in two
// halves, tag by tag. One slot a message, so that nothing but credits says that it
// is free.
// RUN: python3 %S/Inputs/check_faults.py rcclx-opt %s | FileCheck %s
// CHECK: {{[1-9][0-9]}} of {{[1-9][0-9]}} faults refused

rcclx.collective @halves implements all_gather bind <world = 2, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 8, depth = 1, tags = 2, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %peer = arith.subi %c1, %rank : index
  %in = rcclx.buffer input
  %own = rcclx.buffer output block(%rank)
  %out = rcclx.buffer output block(%peer)
  rcclx.stage over %in {
    %x = rcclx.load %in
    rcclx.store %x, %own
  }
  scf.for %i = %c0 to %c2 step %c1 {
    %p = rcclx.part %i of %c2 in %in
    rcclx.stage over %p {
      %y = rcclx.load %p
      rcclx.send %y to %peer tag %i by flag
    }
  }
  scf.for %i = %c0 to %c2 step %c1 {
    %p = rcclx.part %i of %c2 in %out
    rcclx.stage over %p {
      %y = rcclx.recv like %p from %peer tag %i by flag
      rcclx.store %y, %p
    }
  }
}

// fault s/depth = 1/depth = 65536/: lies outside of its half
// fault s/tags = 2/tags = 1/: names a rank, tag or tile that is not there
// fault s/@halves/@others/: cannot be proved without its schedule
// fault s/ implements @halves//: cannot be proved without its schedule
// fault s/reduction = sum/reduction = max/: bound to other values than the schedule
rcclx_kernel.func @kernel implements @halves <world = 2, element = f32, reduction = sum> <grid = 1, groups = 1, threads = 1, tile = 8, depth = 1, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %cm1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // fault drop: before rcclx_kernel.open
  // fault twice: opens the call again
  // fault later: before rcclx_kernel.open
  rcclx_kernel.open %c
  rcclx_kernel.release %c
  // fault s/1 of 1/1 of 2/: of 1/2 of a block
  // fault s/1 of 1/0 of 1/: of 0/1 of a block
  // fault s/1 of 1/999 of 1000/: of 999/1000 of a block; expected those of the longest slice, 1/1
  // fault s/1 of 1/1 of 0/: expected a fraction of a block
  // fault s/1 of 1/-1 of 1/: expected a fraction of a block
  %tiles = rcclx_kernel.tiles %c longest 1 of 1
  %less = arith.subi %tiles, %c1 : index
  %more = arith.addi %tiles, %c1 : index
  // fault s/= %c0 to/= %c1 to/: rcclx_kernel.wait|never written
  // fault s/to %tiles/to %less/: never written
  // fault s/to %tiles/to %c1/: never written
  // fault s/step %c1/step %c2/: waits for the credit|never written
  // fault s/step %c1/step %c0/: a step of at least 1
  // fault s/= %c0 to/= %cm1 to/: expected bounds of at least 0
  scf.for %t = %c0 to %tiles step %c1 {
    %next = arith.addi %t, %c1 : index
    %before = arith.subi %t, %c1 : index
    // fault s/%c1/%c2/: is not there|never written|names a rank
    // fault s/%rank/%c0/: become|never comes|names a rank|no edge
    %peer = arith.subi %c1, %rank : index
    // fault s/tile %t/tile %next/: never written|again
    // fault s/for %c1/for %c2/: not in the block
    // fault s/slice %c0/slice %c1/: never written|not in the block
    %all = rcclx_kernel.range %c tile %t slice %c0 for %c1 of %c1
    %all_first = rcclx_kernel.first %c, %all
    %all_limit = rcclx_kernel.limit %all
    %stride = rcclx_kernel.stride
    // fault s/input/output block(%peer)/: have not written before
    // fault s/input/scratch/: have not written before
    // fault s/input/input block(%c1)/: reads a block that is not there
    %in = rcclx_kernel.buffer %c input
    // fault s/output/scratch/: never written
    // fault s/%rank/%peer/: again|become
    // fault s/%rank/%c2/: writes to a block that is not there
    %own = rcclx_kernel.buffer %c output block(%rank)
    // fault s/step %stride/step %c1/: from the first to the limit
    // fault s/to %all_limit/to %tiles/: from the first to the limit
    // fault s/= %all_first/= %c0/: from the first to the limit
    scf.for %g = %all_first to %all_limit step %stride {
      %x = rcclx_kernel.load %in, %all[%g]
      // fault drop: never written
      // fault twice: again
      // fault s/[%g]/[%t]/: expected the granule of the loop
      rcclx_kernel.store %x, %own, %all[%g]
    }
    // fault s/%c0 to/%c1 to/: reads the slot of tag 0, tile 0, in no order
    // fault s/to %c2/to %c1/: the message of tag 1
    scf.for %i = %c0 to %c2 step %c1 {
      %other = arith.subi %c1, %i : index
      // fault drop: overwrites the slot|in no order with rank . writing it
      // fault later: overwrites the slot|in no order with rank . writing it
      // fault s/peer %peer/peer %rank/: no edge to rank
      // fault s/tile %t/tile %next/: waits for the credit
      // fault s/tile %t/tile %before/: is not there|overwrites the slot
      rcclx_kernel.wait_credit %c peer %peer tag %i tile %t
      // fault drop: overwrites the slot of tag
      rcclx_kernel.acquire %c
      // fault s/slice %i/slice %other/: expects granules|waits for|no order
      // fault s/for %c1/for %c2/: expects granules|not in the block
      // fault s/of %c2/of %c1/: expects granules|not in the block
      // fault s/tile %t/tile %next/: waits for|no order|expects granules
      %half = rcclx_kernel.range %c tile %t slice %i for %c1 of %c2
      // fault s/%half/%all/: of one range to the limit of another
      %first = rcclx_kernel.first %c, %half
      // fault s/%half/%all/: of one range to the limit of another
      %limit = rcclx_kernel.limit %half
      // fault s/peer %peer/peer %rank/: no edge to rank
      // fault s/peer %peer/peer %c2/: of a rank, tag or tile that is not there
      // fault s/tag %i/tag %other/: overwrites the slot|expects granules|no order
      // fault s/tag %i/tag %c2/: of a rank, tag or tile that is not there
      // fault s/by flag/by ll/: goes by flag in a slot of ll
      // fault s/slot_to/slot_from/: sends into a slot that is received from
      %to = rcclx_kernel.slot_to %c peer %peer tag %i tile %t by flag
      scf.for %g = %first to %limit step %stride {
        // fault s/%half[/%all[/: works on another range than its loop
        %x = rcclx_kernel.load %in, %half[%g]
        // fault drop: in no order with rank
        // fault s/by flag/by ll/: goes by ll in a slot of flag
        // fault s/%half[/%all[/: works on another range than its loop
        rcclx_kernel.send %c, %x, %to, %half[%g] by flag
      }
      // fault drop: in no order with rank
      // fault later: in no order with rank
      rcclx_kernel.release %c
      // fault drop: waits for the message|in no order with rank
      // fault s/peer %peer/peer %rank/: no edge to rank
      // fault s/tag %i/tag %other/: an earlier tile or tag
      // fault s/tag %i/tag %c1/: in no order with rank
      // fault s/tile %t/tile %next/: an earlier tile or tag|in no order
      // fault s/tile %t/tile %c0/: waits for the message|an earlier tile
      rcclx_kernel.post_message %c peer %peer tag %i tile %t
    }
    // fault s/%peer/%rank/: again
    %theirs = rcclx_kernel.buffer %c output block(%peer)
    // fault s/to %c2/to %c1/: waits for the credit of tag 1|never written
    // fault s/to %c2/to %c0/: waits for the credit of tag 0|never written
    scf.for %i = %c0 to %c2 step %c1 {
      %other = arith.subi %c1, %i : index
      // fault drop: in no order with rank
      // fault later: in no order with rank
      // fault s/peer %peer/peer %rank/: no edge to rank
      // fault s/tag %i/tag %c0/: in no order with rank
      // fault s/tile %t/tile %before/: is not there|in no order with rank
      // fault s/tile %t/tile %next/: waits for the message
      rcclx_kernel.wait_message %c peer %peer tag %i tile %t
      // fault drop: in no order with rank
      rcclx_kernel.acquire %c
      // fault s/slice %i/slice %other/: expects granules
      %half = rcclx_kernel.range %c tile %t slice %i for %c1 of %c2
      %first = rcclx_kernel.first %c, %half
      %limit = rcclx_kernel.limit %half
      // fault s/peer %peer/peer %rank/: no edge to rank|names rank
      // fault s/tag %i/tag %other/: in no order|expects granules
      // fault s/by flag/by sentinel/: goes by flag in a slot of sentinel
      %from = rcclx_kernel.slot_from %c peer %peer tag %i tile %t by flag
      scf.for %g = %first to %limit step %stride {
        // fault s/from %peer/from %rank/: names rank
        %y = rcclx_kernel.recv %c, %from, %half[%g] from %peer by flag
        // fault drop: never written
        // fault twice: again
        // fault s/%half[/%all[/: works on another range than its loop
        rcclx_kernel.store %y, %theirs, %half[%g]
      }
      // fault drop: overwrites the slot of tag
      // fault later: overwrites the slot of tag
      rcclx_kernel.release %c
      // fault drop: waits for the credit
      // fault s/peer %peer/peer %rank/: no edge to rank
      // fault s/tag %i/tag %c1/: overwrites the slot of tag .|an earlier tile or tag
      // fault s/tag %i/tag %other/: an earlier tile or tag
      // fault s/tile %t/tile %next/: overwrites the slot|an earlier tile or tag|waits for
      // fault s/of %tiles/of %less/: waits for the credit
      rcclx_kernel.post_credit %c peer %peer tag %i tile %t of %tiles
    }
  }
  // fault drop: ends without rcclx_kernel.close
  // fault twice: after rcclx_kernel.close
  rcclx_kernel.close %c
}
