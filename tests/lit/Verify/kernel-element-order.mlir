// Loops that wait after they have sent go granule by granule, where the proof of
// the schedule sees one step.
// RUN: rcclx-opt %s -split-input-file -rcclx-to-kernel -rcclx-verify-kernel -verify-diagnostics=only-expected -o /dev/null

// Both ranks send, then wait: each granule is an exchange of its own.
rcclx.collective @exchange implements all_gather bind <world = 2, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 8, depth = 2, tags = 2, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %peer = arith.subi %c1, %rank : index
  %in = rcclx.buffer input
  %own = rcclx.buffer output block(%rank)
  %theirs = rcclx.buffer output block(%peer)
  rcclx.stage over %in {
    %x = rcclx.load %in
    rcclx.store %x, %own
    rcclx.send %x to %peer tag %c0 by ll
    %y = rcclx.recv like %in from %peer tag %c0 by ll
    rcclx.store %y, %theirs
  }
}

// -----

// Rank 0 sends a granule and waits for one; rank 1 first takes all of a tile, then
// sends: with more than one granule, each waits for the other.
rcclx.collective @asymmetric implements all_gather bind <world = 2, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 8, depth = 2, tags = 2, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %first = rcclx.buffer output block(%c0)
  %second = rcclx.buffer output block(%c1)
  %is0 = arith.cmpi eq, %rank, %c0 : index
  scf.if %is0 {
    rcclx.stage over %in {
      %x = rcclx.load %in
      rcclx.store %x, %first
      rcclx.send %x to %c1 tag %c0 by ll
      // expected-error @below {{op at rank 0 of 2: waits, after its loop has sent, for a message that may wait for the loop}}
      %y = rcclx.recv like %in from %c1 tag %c0 by ll
      rcclx.store %y, %second
    }
  } else {
    rcclx.stage over %in {
      %y = rcclx.recv like %in from %c0 tag %c0 by ll
      rcclx.store %y, %first
    }
    rcclx.stage over %in {
      %x = rcclx.load %in
      rcclx.store %x, %second
      // expected-note @below {{sent here}}
      rcclx.send %x to %c0 tag %c0 by ll
    }
  }
}

// -----

// What rank 1 sends here depends on nothing that it waits for: all is there before
// the first granule.
rcclx.collective @independent implements all_gather bind <world = 2, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 8, depth = 2, tags = 2, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %first = rcclx.buffer output block(%c0)
  %second = rcclx.buffer output block(%c1)
  %is0 = arith.cmpi eq, %rank, %c0 : index
  scf.if %is0 {
    rcclx.stage over %in {
      %x = rcclx.load %in
      rcclx.store %x, %first
      rcclx.send %x to %c1 tag %c0 by ll
      %y = rcclx.recv like %in from %c1 tag %c0 by ll
      rcclx.store %y, %second
    }
  } else {
    rcclx.stage over %in {
      %x = rcclx.load %in
      rcclx.store %x, %second
      rcclx.send %x to %c0 tag %c0 by ll
    }
    rcclx.stage over %in {
      %y = rcclx.recv like %in from %c0 tag %c0 by ll
      rcclx.store %y, %first
    }
  }
}

// -----

// The loop runs twice a tile: the second time, the ranks wait for what depends on
// the first.
rcclx.collective @repeated implements all_gather bind <world = 2, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 8, depth = 2, tags = 2, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %peer = arith.subi %c1, %rank : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output block(%rank)
  %back = rcclx.buffer output block(%peer)
  scf.for %i = %c0 to %c2 step %c1 {
    %half = rcclx.part %i of %c2 in %in
    %own = rcclx.part %i of %c2 in %out
    %theirs = rcclx.part %i of %c2 in %back
    // expected-error @below {{a loop that waits after it has sent depends on itself or on a later one}}
    rcclx.stage over %half {
      %x = rcclx.load %half
      rcclx.store %x, %own
      rcclx.send %x to %peer tag %i by ll
      %y = rcclx.recv like %half from %peer tag %i by ll
      rcclx.store %y, %theirs
    }
  }
}
