// Results that miss, double or misplace a contribution.
// RUN: rcclx-opt %s -rcclx-verify=world=4 -split-input-file -verify-diagnostics

// A ring of one reducing step too few.
rcclx.collective @ring_one_step_short implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %cm1 = arith.constant -1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %steps = arith.subi %world, %c2 : index

  %x0 = rcclx.load %in
  rcclx.send %x0 to %next tag %c0
  %zero = rcclx.identity
  %a0 = rcclx.reduce %zero, %x0
  %sum = scf.for %s = %c0 to %steps step %c1 iter_args(%acc = %a0) -> (!rcclx.acc) {
    %y = rcclx.recv like %in from %prev tag %s
    %tag = arith.addi %s, %c1 : index
    rcclx.send %y to %next tag %tag
    %b = rcclx.reduce %acc, %y
    scf.yield %b : !rcclx.acc
  }
  %y = rcclx.recv like %in from %prev tag %steps
  // expected-note @below {{rank 0 finishes finish(((in0 + in3) + in2)) here}}
  %result = rcclx.finish %sum
  // expected-error @below {{at rank 0 of 4: the output misses the contribution of rank 1}}
  rcclx.store %result, %out
}

// -----

// The own contribution was forgotten: peers start at 1.
rcclx.collective @own_missing implements all_reduce (%rank, %world) {
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %x = rcclx.load %in
  scf.for %k = %c1 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    rcclx.send %x to %p
  }
  %zero = rcclx.identity
  %sum = scf.for %k = %c1 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %p = rcclx.shift %rank by %k
    %y = rcclx.recv like %in from %p
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  // expected-note @below {{rank 0 finishes finish(((in1 + in2) + in3)) here}}
  %result = rcclx.finish %sum
  // expected-error @below {{at rank 0 of 4: the output misses the contribution of rank 0}}
  rcclx.store %result, %out
}

// -----

// The own contribution comes by a message and is added once more.
rcclx.collective @own_twice implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %x = rcclx.load %in
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    rcclx.send %x to %p
  }
  %zero = rcclx.identity
  %own = rcclx.reduce %zero, %x
  %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %own) -> (!rcclx.acc) {
    %y = rcclx.recv like %in from %p
    // expected-note @below {{added again here, by rank 0}}
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  // expected-note @below {{rank 0 finishes finish(((((in0 + in0) + in1) + in2) + in3)) here}}
  %result = rcclx.finish %sum
  // expected-error @below {{at rank 0 of 4: the output holds the contribution of rank 0 twice}}
  rcclx.store %result, %out
}

// -----

// Doubled through a shared partial result: the tree has 2^40 leaves.
rcclx.collective @doubling implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %x = rcclx.load %in
  %zero = rcclx.identity
  %own = rcclx.reduce %zero, %x
  %sum = scf.for %i = %c0 to %c40 step %c1 iter_args(%acc = %own) -> (!rcclx.acc) {
    %y = rcclx.round %acc
    // expected-note @below {{added again here, by rank 0}}
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  // expected-note @below {{rank 0 finishes finish(((((((((}}
  %result = rcclx.finish %sum
  // expected-error @below {{at rank 0 of 4: the output holds the contribution of rank 0 twice}}
  rcclx.store %result, %out
}

// -----

// Part p is reduced, but stored in the place of part p + 1.
rcclx.collective @wrong_part implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %zero = rcclx.identity
  scf.for %i = %c0 to %world step %c1 {
    %part = rcclx.part %i of %world in %in
    %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
      %y = rcclx.load %part at %p
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    %result = rcclx.finish %sum
    %j = rcclx.shift %i by %c1
    %kept = rcclx.part %j of %world in %out
    // expected-error @below {{at rank 0 of 4: stores part 0 of 4 in part 1 of 4 of the output}}
    rcclx.store %result, %kept
  }
}

// -----

// Rounded, as for a hop, not finished.
rcclx.collective @no_finish implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %zero = rcclx.identity
  %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %y = rcclx.load %in at %p
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  %result = rcclx.round %sum
  // expected-error @below {{at rank 0 of 4: the output holds a partial result, round((((in0 + in1) + in2) + in3)); expected rcclx.finish}}
  rcclx.store %result, %out
}

// -----

// Finished before the last contribution.
rcclx.collective @finish_twice implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %last = arith.subi %world, %c1 : index
  %zero = rcclx.identity
  %sum = scf.for %p = %c0 to %last step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %y = rcclx.load %in at %p
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  // expected-note @below {{rank 0 finishes it here}}
  %early = rcclx.finish %sum
  // expected-error @below {{at rank 0 of 4: reduces a result that is finished already}}
  %a = rcclx.reduce %zero, %early
  %y = rcclx.load %in at %last
  %b = rcclx.reduce %a, %y
  %result = rcclx.finish %b
  rcclx.store %result, %out
}

// -----

// Every rank starts with its own contribution: sums of floats differ.
rcclx.collective @different_order implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %zero = rcclx.identity
  %sum = scf.for %k = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %p = rcclx.shift %rank by %k
    %y = rcclx.load %in at %p
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  %result = rcclx.finish %sum
  // expected-error @below {{at rank 1 of 4: the output holds finish((((in1 + in2) + in3) + in0)), but rank 0 holds finish((((in0 + in1) + in2) + in3)) there; expected the same order of reduction on all ranks}}
  // expected-note @below {{written here by rank 0}}
  rcclx.store %result, %out
}

// -----

// In another order in one half only, on one rank only.
rcclx.collective @different_order_in_a_half implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %zero = rcclx.identity
  %last = arith.subi %world, %c1 : index
  %isLast = arith.cmpi eq, %rank, %last : index
  scf.for %half = %c0 to %c2 step %c1 {
    %from = rcclx.part %half of %c2 in %in
    %to = rcclx.part %half of %c2 in %out
    %isSecond = arith.cmpi eq, %half, %c1 : index
    %turned = arith.andi %isLast, %isSecond : i1
    %sum = scf.for %i = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
      %back = arith.subi %last, %i : index
      %p = arith.select %turned, %back, %i : index
      %y = rcclx.load %from at %p
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    %result = rcclx.finish %sum
    // expected-error @below {{at rank 3 of 4: part 1 of 2 of the output holds finish((((in3 + in2) + in1) + in0)), but rank 0 holds finish((((in0 + in1) + in2) + in3)) there; expected the same order of reduction on all ranks}}
    // expected-note @below {{written here by rank 0}}
    rcclx.store %result, %to
  }
}

// -----

// Stored without a reduction.
rcclx.collective @not_reduced implements all_reduce (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %x = rcclx.load %in
  // expected-error @below {{at rank 0 of 4: the output holds the input of rank 0, expected a reduction, finished by rcclx.finish}}
  rcclx.store %x, %out
}

// -----

// The neutral element is no result.
rcclx.collective @nothing_reduced implements all_reduce (%rank, %world) {
  %out = rcclx.buffer output
  %zero = rcclx.identity
  // expected-note @below {{rank 0 finishes finish(identity) here}}
  %result = rcclx.finish %zero
  // expected-error @below {{at rank 0 of 4: the output misses the contribution of rank 0}}
  rcclx.store %result, %out
}

// -----

// Each rank reduces the block of its neighbour.
rcclx.collective @foreign_block implements reduce_scatter (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %next = rcclx.shift %rank by %c1
  %mine = rcclx.buffer input block(%next)
  %out = rcclx.buffer output
  %zero = rcclx.identity
  %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %y = rcclx.load %mine at %p
    // expected-note @below {{added here, by rank 0}}
    %b = rcclx.reduce %acc, %y
    scf.yield %b : !rcclx.acc
  }
  // expected-note @below {{rank 0 finishes finish((((in0[1] + in1[1]) + in2[1]) + in3[1])) here}}
  %result = rcclx.finish %sum
  // expected-error @below {{at rank 0 of 4: the output holds a contribution of block 1 of the input of rank 0, expected block 0}}
  rcclx.store %result, %out
}

// -----

// Blocks land in the order of arrival, not of their owners.
rcclx.collective @misplaced_block implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %y = rcclx.load %in at %p
    %theirs = rcclx.buffer output block(%k)
    // expected-error @below {{at rank 1 of 4: block 0 of the output holds the input of rank 1, expected the input of rank 0}}
    rcclx.store %y, %theirs
  }
}

// -----

// Everyone gets the block that is meant for rank 0.
rcclx.collective @wrong_block implements all_to_all (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = rcclx.buffer input block(%c0)
  scf.for %p = %c0 to %world step %c1 {
    %y = rcclx.load %first at %p
    %theirs = rcclx.buffer output block(%p)
    // expected-error @below {{at rank 1 of 4: block 0 of the output holds block 0 of the input of rank 0, expected block 1 of the input of rank 0}}
    rcclx.store %y, %theirs
  }
}

// -----

// One round too few: 2 of the 4 ranks hear of each other.
// expected-error @below {{at rank 0 of 4: may leave the barrier before rank 1 has entered it}}
rcclx.collective @short_barrier implements barrier (%rank, %world) {
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %to = rcclx.shift %rank by %c1
  %from = rcclx.shift %rank by %cm1
  rcclx.signal to %to
  rcclx.wait from %from
}
