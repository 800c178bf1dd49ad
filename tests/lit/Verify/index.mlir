// Index arithmetic that goes wrong, and what it may not give.
// RUN: rcclx-opt %s -rcclx-verify=world=4 -split-input-file -verify-diagnostics

// rank + 1 without the ring.
rcclx.collective @peer_too_large implements barrier (%rank, %world) {
  %c1 = arith.constant 1 : index
  %p = arith.addi %rank, %c1 : index
  // expected-error @below {{at rank 3 of 4: expected a rank within 0 to 3, found 4}}
  rcclx.signal to %p
}

// -----

rcclx.collective @peer_negative implements barrier (%rank, %world) {
  %c1 = arith.constant 1 : index
  %p = arith.subi %rank, %c1 : index
  // expected-error @below {{at rank 0 of 4: expected a rank within 0 to 3, found -1}}
  rcclx.wait from %p
}

// -----

rcclx.collective @owner_too_large implements all_reduce (%rank, %world) {
  %in = rcclx.buffer input
  // expected-error @below {{at rank 0 of 4: expected a rank within 0 to 3, found 4}}
  %x = rcclx.load %in at %world
}

// -----

rcclx.collective @block_too_large implements all_gather (%rank, %world) {
  // expected-error @below {{at rank 0 of 4: expected a block within 0 to 3, found 4}}
  %out = rcclx.buffer output block(%world)
}

// -----

rcclx.collective @part_too_large implements all_reduce (%rank, %world) {
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %i = arith.addi %rank, %c1 : index
  // expected-error @below {{at rank 3 of 4: expected parts within 0 to 3, found part 4}}
  %part = rcclx.part %i of %world in %in
}

// -----

rcclx.collective @parts_too_long implements all_reduce (%rank, %world) {
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  // expected-error @below {{at rank 3 of 4: expected parts within 0 to 3, found 2 parts from 3}}
  %part = rcclx.part %rank for %c2 of %world in %in
}

// -----

rcclx.collective @no_parts implements all_reduce (%rank, %world) {
  %in = rcclx.buffer input
  // expected-error @below {{at rank 0 of 4: expected 1 to 2147483648 parts, found 0}}
  %part = rcclx.part %rank of %rank in %in
}

// -----

rcclx.collective @empty_part implements all_reduce (%rank, %world) {
  %in = rcclx.buffer input
  // expected-error @below {{at rank 0 of 4: expected a length of at least 1 part, found 0}}
  %part = rcclx.part %rank for %rank of %world in %in
}

// -----

rcclx.collective @too_fine implements all_reduce (%rank, %world) {
  %c1000 = arith.constant 1000 : index
  %many = arith.muli %c1000, %c1000 : index
  %in = rcclx.buffer input
  %part = rcclx.part %rank of %many in %in
  // expected-error @below {{at rank 0 of 4: cuts a buffer into more parts than 2147483648}}
  %partOfPart = rcclx.part %rank of %many in %part
}

// -----

rcclx.collective @tag_negative implements barrier (%rank, %world) {
  %cm1 = arith.constant -1 : index
  // expected-error @below {{at rank 0 of 4: expected a tag within 0 to 2147483647, found -1}}
  rcclx.signal to %rank tag %cm1
}

// -----

rcclx.collective @tag_too_large implements barrier (%rank, %world) {
  %large = arith.constant 2147483648 : index
  // expected-error @below {{at rank 0 of 4: expected a tag within 0 to 2147483647, found 2147483648}}
  rcclx.wait from %rank tag %large
}

// -----

rcclx.collective @hostile_bound implements barrier (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %large = arith.constant 1000000000000 : index
  // expected-error @below {{at rank 0 of 4: the loop runs 1000000000000 times; expected a schedule of at most 67108864 operations by all ranks}}
  scf.for %i = %c0 to %large step %c1 {
  }
}

// -----

rcclx.collective @hostile_nest implements barrier (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %large = arith.constant 100000 : index
  scf.for %i = %c0 to %large step %c1 {
    scf.for %j = %c0 to %large step %c1 {
      // expected-error @below {{at rank 0 of 4: the schedule executes too many operations; expected at most 67108864 by all ranks, 8388608 of them on chunks}}
      %k = arith.addi %i, %j : index
    }
  }
}

// -----

rcclx.collective @hostile_messages implements barrier (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %large = arith.constant 10000000 : index
  scf.for %i = %c0 to %large step %c1 {
    // expected-error @below {{at rank 0 of 4: the schedule executes too many operations}}
    rcclx.signal to %rank tag %i
  }
}

// -----

rcclx.collective @zero_step implements barrier (%rank, %world) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{at rank 0 of 4: expected a step of at least 1, found 0}}
  scf.for %i = %c0 to %world step %rank {
  }
}

// -----

rcclx.collective @division_by_zero implements barrier (%rank, %world) {
  // expected-error @below {{at rank 0 of 4: division of 4 by zero}}
  %q = arith.divsi %world, %rank : index
}

// -----

rcclx.collective @unsigned_division_by_zero implements barrier (%rank, %world) {
  // expected-error @below {{at rank 0 of 4: division of 4 by zero}}
  %q = arith.remui %world, %rank : index
}

// -----

// (rank - 1) mod world, as one writes it in Python.
rcclx.collective @wraps_unsigned implements barrier (%rank, %world) {
  %c1 = arith.constant 1 : index
  %before = arith.subi %rank, %c1 : index
  // expected-error @below {{at rank 0 of 4: unsigned division of -1 by 4; expected no negative numbers (rcclx.shift wraps round)}}
  %p = arith.remui %before, %world : index
  rcclx.signal to %p
}

// -----

rcclx.collective @overflow implements barrier (%rank, %world) {
  %large = arith.constant 4611686018427387904 : index
  // expected-error @below {{at rank 0 of 4: index arithmetic on 4611686018427387904 and 4 overflows}}
  %x = arith.muli %large, %world : index
}

// -----

rcclx.collective @other_integers implements barrier (%rank, %world) {
  // expected-error @below {{computes with 'i32'; expected index arithmetic}}
  %c = arith.constant 1 : i32
}

// -----

rcclx.collective @other_arithmetic implements barrier (%rank, %world) {
  %c1 = arith.constant 1 : index
  // expected-error @below {{is not index arithmetic that a schedule may use}}
  %x = arith.shrsi %world, %c1 : index
}

// -----

rcclx.collective @arithmetic_on_truth implements barrier (%rank, %world) {
  %a = arith.cmpi eq, %rank, %world : index
  // expected-error @below {{is not index arithmetic that a schedule may use}}
  %x = arith.addi %a, %a : i1
}

// -----

rcclx.collective @truncation implements barrier (%rank, %world) {
  // expected-error @below {{is not index arithmetic that a schedule may use}}
  %x = arith.index_castui %world : index to i1
}

// -----

rcclx.collective @order_of_truth implements barrier (%rank, %world) {
  %a = arith.cmpi eq, %rank, %world : index
  // expected-error @below {{is not index arithmetic that a schedule may use}}
  %x = arith.cmpi slt, %a, %a : i1
}

// -----

rcclx.collective @too_many_groups implements all_gather (%rank, %world) {
  %in = rcclx.buffer input
  // expected-error @below {{at rank 0 of 4: expected a block group within 0 to 63, found 64}}
  rcclx.stage over %in group(64) {
  }
}
