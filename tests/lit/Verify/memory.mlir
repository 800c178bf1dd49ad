// Writes of the output, and one-sided accesses to it.
// RUN: rcclx-opt %s -rcclx-verify=world=4 -split-input-file -verify-diagnostics

// The last part was forgotten.
// expected-error @below {{at rank 0 of 4: part 3 of 4 of the output is never written}}
rcclx.collective @gap implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %last = arith.subi %world, %c1 : index
  %zero = rcclx.identity
  scf.for %i = %c0 to %last step %c1 {
    %part = rcclx.part %i of %world in %in
    %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
      %y = rcclx.load %part at %p
      %b = rcclx.reduce %acc, %y
      scf.yield %b : !rcclx.acc
    }
    %result = rcclx.finish %sum
    %kept = rcclx.part %i of %world in %out
    rcclx.store %result, %kept
  }
}

// -----

// A rank forgets its own block.
// expected-error @below {{at rank 0 of 4: block 0 of the output is never written}}
rcclx.collective @missing_block implements all_gather (%rank, %world) {
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  scf.for %k = %c1 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %y = rcclx.load %in at %p
    %theirs = rcclx.buffer output block(%p)
    rcclx.store %y, %theirs
  }
}

// -----

// The own block comes by a message, too.
rcclx.collective @written_twice implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %x = rcclx.load %in
  %own = rcclx.buffer output block(%rank)
  // expected-note @below {{rank 0 writes block 0 of the output here}}
  rcclx.store %x, %own
  scf.for %p = %c0 to %world step %c1 {
    %y = rcclx.load %in at %p
    %theirs = rcclx.buffer output block(%p)
    // expected-error @below {{at rank 0 of 4: writes block 0 of the output, which is written already}}
    rcclx.store %y, %theirs
  }
}

// -----

// Thirds overlap halves.
rcclx.collective @overlap implements all_gather (%rank, %world) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c0 = arith.constant 0 : index
  %in = rcclx.buffer input
  %own = rcclx.buffer output block(%rank)
  %half = rcclx.part %c0 of %c2 in %in
  %ownHalf = rcclx.part %c0 of %c2 in %own
  %thirds = rcclx.part %c1 for %c2 of %c3 in %in
  %ownThirds = rcclx.part %c1 for %c2 of %c3 in %own
  %x = rcclx.load %half
  %y = rcclx.load %thirds
  // expected-note @below {{rank 0 writes part 0 of 2 of block 0 of the output here}}
  rcclx.store %x, %ownHalf
  // expected-error @below {{at rank 0 of 4: writes parts 1 to 2 of 3 of block 0 of the output, which is written already}}
  rcclx.store %y, %ownThirds
}

// -----

// Two ranks push into the same place.
rcclx.collective @two_writers implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %in = rcclx.buffer input
  %x = rcclx.load %in
  %first = rcclx.buffer output block(%c0)
  // expected-error @below {{at rank 1 of 4: writes block 0 of the output of rank 0, which is written already}}
  // expected-note @below {{rank 0 writes block 0 of the output here}}
  rcclx.store %x, %first at %c0
}

// -----

// Peers push their blocks; the owner reads them at once.
rcclx.collective @race_on_store_at implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %x = rcclx.load %in
  %mine = rcclx.buffer output block(%rank)
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    // expected-note @below {{rank 1 writes it here}}
    rcclx.store %x, %mine at %p
  }
  %next = rcclx.shift %rank by %c1
  %theirs = rcclx.buffer output block(%next)
  // expected-error @below {{at rank 0 of 4: reads block 1 of the output in no order with the write of rank 1}}
  %y = rcclx.load %theirs
}

// -----

// The signal goes out before the store that it should announce.
rcclx.collective @signal_too_early implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %in = rcclx.buffer input
  %x = rcclx.load %in
  %mine = rcclx.buffer output block(%rank)
  rcclx.signal to %prev
  // expected-note @below {{rank 1 writes it here}}
  rcclx.store %x, %mine
  rcclx.wait from %next
  %theirs = rcclx.buffer output block(%next)
  // expected-error @below {{at rank 0 of 4: reads block 1 of the output of rank 1 in no order with the write of rank 1}}
  %y = rcclx.load %theirs at %next
}

// -----

// The second half of an all-reduce pulls from outputs that may not be ready.
rcclx.collective @unsynchronised_pull implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %mine = rcclx.part %rank of %world in %in
  %kept = rcclx.part %rank of %world in %out
  %zero = rcclx.identity
  %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %y = rcclx.load %mine at %p
    %b = rcclx.reduce %acc, %y
    scf.yield %b : !rcclx.acc
  }
  %result = rcclx.finish %sum
  // expected-note @below {{rank 1 writes it here}}
  rcclx.store %result, %kept
  scf.for %k = %c1 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %theirs = rcclx.part %p of %world in %out
    // expected-error @below {{at rank 0 of 4: reads part 1 of 4 of the output of rank 1 in no order with the write of rank 1}}
    %y = rcclx.load %theirs at %p
    rcclx.store %y, %theirs
  }
}

// -----

rcclx.collective @read_before_write implements all_gather (%rank, %world) {
  %in = rcclx.buffer input
  %own = rcclx.buffer output block(%rank)
  // expected-error @below {{at rank 0 of 4: reads block 0 of the output before it is written}}
  %y = rcclx.load %own
  %x = rcclx.load %in
  // expected-note @below {{written here}}
  rcclx.store %x, %own
}

// -----

rcclx.collective @read_of_nothing implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %half = rcclx.part %c0 of %c2 in %in
  %own = rcclx.buffer output block(%rank)
  %ownHalf = rcclx.part %c0 of %c2 in %own
  %x = rcclx.load %half
  rcclx.store %x, %ownHalf
  // expected-error @below {{at rank 0 of 4: reads block 0 of the output, of which a part is never written}}
  %y = rcclx.load %own
}

// -----

// Block groups of a rank run side by side: program order is not enough.
rcclx.collective @race_of_block_groups implements all_gather (%rank, %world) {
  %in = rcclx.buffer input
  %own = rcclx.buffer output block(%rank)
  rcclx.stage over %in {
    %x = rcclx.load %in
    // expected-note @below {{rank 0's block group 0 writes it here}}
    rcclx.store %x, %own
  }
  rcclx.stage over %own group(1) {
    // expected-error @below {{at rank 0 of 4: reads block 0 of the output in no order with the write of rank 0's block group 0}}
    %y = rcclx.load %own
    rcclx.send %y to %rank
    %z = rcclx.recv like %own from %rank
  }
}

// -----

// A message orders the groups that send and receive it, not their neighbours.
rcclx.collective @race_beside_a_message implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %in = rcclx.buffer input
  %own = rcclx.buffer output block(%rank)
  %theirs = rcclx.buffer output block(%next)
  rcclx.stage over %in {
    %x = rcclx.load %in
    // expected-note @below {{rank 1 writes it here}}
    rcclx.store %x, %own
  }
  rcclx.stage over %in group(1) {
    rcclx.signal to %prev
    rcclx.wait from %next
    // expected-error @below {{at rank 0 of 4: reads block 1 of the output of rank 1 in no order with the write of rank 1}}
    %y = rcclx.load %theirs at %next
  }
}

// -----

// Scratch holds nothing at entry.
rcclx.collective @scratch_unwritten implements all_reduce (%rank, %world) {
  %own = rcclx.buffer scratch block(%rank)
  %out = rcclx.buffer output
  // expected-error @below {{at rank 0 of 4: reads block 0 of scratch, of which a part is never written}}
  %x = rcclx.load %own
  rcclx.store %x, %out
}

// -----

// One block of scratch is not the other, nor the output's.
rcclx.collective @scratch_other_block implements all_gather (%rank, %world) {
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %next = rcclx.shift %rank by %c1
  %own = rcclx.buffer scratch block(%rank)
  %other = rcclx.buffer scratch block(%next)
  %mine = rcclx.buffer output block(%next)
  %x = rcclx.load %in
  rcclx.store %x, %own
  rcclx.store %x, %mine
  // expected-error @below {{at rank 0 of 4: reads block 1 of scratch, of which a part is never written}}
  %y = rcclx.load %other
  rcclx.send %y to %rank
  %z = rcclx.recv like %in from %rank
}

// -----

rcclx.collective @scratch_twice implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %half = rcclx.part %c0 of %c2 in %in
  %own = rcclx.buffer scratch block(%rank)
  %ownHalf = rcclx.part %c0 of %c2 in %own
  %x = rcclx.load %in
  %y = rcclx.load %half
  // expected-note @below {{rank 0 writes block 0 of scratch here}}
  rcclx.store %x, %own
  // expected-error @below {{at rank 0 of 4: writes part 0 of 2 of block 0 of scratch, which is written already}}
  rcclx.store %y, %ownHalf
}
