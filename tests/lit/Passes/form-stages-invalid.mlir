// RUN: rcclx-opt %s -split-input-file -verify-diagnostics -rcclx-form-stages
// What follows is valid; it is the fusion that is refused.
// RUN: rcclx-opt %s -split-input-file -rcclx-verify=world=2 -o /dev/null

// expected-error @below {{is not bound; expected rcclx-specialize first}}
rcclx.collective @unbound implements barrier (%rank, %world) {
  %c1 = arith.constant 1 : index
  %peer = rcclx.shift %rank by %c1
  rcclx.signal to %peer
  rcclx.wait from %peer
}

// -----

// The second send of %y would have to come before a message of an earlier tag.
// expected-error @below {{cannot be fused: its operations on one slice are too far apart}}
rcclx.collective @far_apart implements all_gather bind <world = 2, element = f32, reduction = sum> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %peer = rcclx.shift %rank by %c1
  %own = rcclx.buffer output block(%rank)
  %theirs = rcclx.buffer output block(%peer)
  %x = rcclx.load %in
  rcclx.store %x, %own
  rcclx.send %x to %peer tag %c0
  %y = rcclx.recv like %in from %peer tag %c0
  rcclx.store %y, %theirs
  // expected-error @below {{tag 1 to rank 1 follows tag 2; expected tags to rise}}
  rcclx.send %x to %peer tag %c1
  // expected-note @below {{tag 2 is used here}}
  rcclx.send %y to %peer tag %c2
  %z = rcclx.recv like %in from %peer tag %c1
  %w = rcclx.recv like %in from %peer tag %c2
}

// -----

rcclx.collective @inner_slice implements all_reduce bind <world = 2, element = f32, reduction = sum> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  scf.for %p = %c0 to %world step %c1 {
    %x = rcclx.load %in
    rcclx.send %x to %p tag %c0
  }
  %zero = rcclx.identity
  // expected-error @below {{starts a stage whose slices are all made inside its loops; expected one that is known outside of them}}
  %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %nought = arith.subi %p, %p : index
    %whole = rcclx.part %nought of %c1 in %in
    %y = rcclx.recv like %whole from %p tag %c0
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  %result = rcclx.finish %sum
  rcclx.send %result to %rank tag %c1
  %last = rcclx.recv like %in from %rank tag %c1
  rcclx.store %last, %out
}

// -----

// The peer is computed by a loop that runs after the stage has started.
rcclx.collective @late_index implements all_gather bind <world = 2, element = f32, reduction = sum> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %peer = rcclx.shift %rank by %c1
  %own = rcclx.buffer output block(%rank)
  %theirs = rcclx.buffer output block(%peer)
  %x = rcclx.load %in
  rcclx.store %x, %own
  rcclx.send %x to %peer tag %c0
  %y = rcclx.recv like %in from %peer tag %c0
  rcclx.store %y, %theirs
  %i = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %rank) -> (index) {
    %n = arith.addi %s, %k : index
    scf.yield %n : index
  }
  %q = rcclx.shift %i by %c0
  // expected-error @below {{uses a value that is not known where its stage would run}}
  rcclx.send %y to %q tag %c1
  %w = rcclx.recv like %in from %peer tag %c1
}
