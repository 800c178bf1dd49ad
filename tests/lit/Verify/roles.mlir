// Results of contracts with a root or a permutation that miss, double or
// misplace something, and buffers that a rank does not have.
// RUN: rcclx-opt %s -rcclx-verify="world=4 roots" -split-input-file -verify-diagnostics

// Rank 0 is taken for the root.
rcclx.collective @broadcast_of_rank_0 implements broadcast (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %is_root = arith.cmpi eq, %rank, %c0 : index
  scf.if %is_root {
    // expected-error @below {{at rank 0 of 4, root 1: uses the input of rank 0, which has none; in broadcast only the root has an input}}
    %x = rcclx.load %in
    scf.for %p = %c1 to %world step %c1 {
      rcclx.send %x to %p
    }
    rcclx.store %x, %out
  } else {
    %y = rcclx.recv like %out from %c0
    rcclx.store %y, %out
  }
}

// -----

// Every rank loads, though only the root sends it on.
rcclx.collective @broadcast_loads_everywhere implements broadcast (%rank, %world) {
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %root = rcclx.root
  // expected-error @below {{at rank 1 of 4, root 0: uses the input of rank 1, which has none}}
  %x = rcclx.load %in
  %is_root = arith.cmpi eq, %rank, %root : index
  scf.if %is_root {
    scf.for %k = %c1 to %world step %c1 {
      %p = rcclx.shift %root by %k
      rcclx.send %x to %p
    }
    rcclx.store %x, %out
  } else {
    %y = rcclx.recv like %out from %root
    rcclx.store %y, %out
  }
}

// -----

// The root forgets its own output.
// expected-error @below {{at rank 0 of 4, root 0: the output is never written}}
rcclx.collective @broadcast_not_to_itself implements broadcast (%rank, %world) {
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %root = rcclx.root
  %is_root = arith.cmpi eq, %rank, %root : index
  scf.if %is_root {
    scf.for %k = %c1 to %world step %c1 {
      %p = rcclx.shift %root by %k
      %x = rcclx.load %in
      rcclx.send %x to %p
    }
  } else {
    %y = rcclx.recv like %out from %root
    rcclx.store %y, %out
  }
}

// -----

// The last rank of the chain is left out.
rcclx.collective @broadcast_chain_too_short implements broadcast (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %root = rcclx.root
  %minus = arith.subi %c0, %root : index
  %v = rcclx.shift %rank by %minus
  %is_root = arith.cmpi eq, %v, %c0 : index
  %next = rcclx.shift %rank by %c1
  scf.if %is_root {
    %x = rcclx.load %in
    rcclx.send %x to %next
    rcclx.store %x, %out
  } else {
    %prev = rcclx.shift %rank by %cm1
    // expected-error @below {{at rank 3 of 4, root 0: the message with tag 0 from rank 2 is never sent}}
    %y = rcclx.recv like %out from %prev
    rcclx.store %y, %out
    %w = arith.addi %v, %c2 : index
    %more = arith.cmpi slt, %w, %world : index
    scf.if %more {
      rcclx.send %y to %next
    }
  }
}

// -----

// Every rank reads what the one before it was given, which is nothing.
rcclx.collective @broadcast_reads_a_peer implements broadcast (%rank, %world) {
  %cm1 = arith.constant -1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %prev = rcclx.shift %rank by %cm1
  // expected-error @below {{at rank 0 of 4, root 0: uses the input of rank 3, which has none}}
  %x = rcclx.load %in at %prev
  rcclx.store %x, %out
}

// -----

// The root's own contribution is missing.
rcclx.collective @reduce_without_own implements reduce (%rank, %world) {
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %root = rcclx.root
  %is_root = arith.cmpi eq, %rank, %root : index
  scf.if %is_root {
    %zero = rcclx.identity
    %sum = scf.for %k = %c1 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
      %p = rcclx.shift %root by %k
      %y = rcclx.recv like %in from %p
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    // expected-note @below {{rank 0 finishes finish(((in1 + in2) + in3)) here}}
    %result = rcclx.finish %sum
    // expected-error @below {{at rank 0 of 4, root 0: the output misses the contribution of rank 0}}
    rcclx.store %result, %out
  } else {
    %x = rcclx.load %in
    rcclx.send %x to %root
  }
}

// -----

// The root sends to itself and adds its input again.
rcclx.collective @reduce_own_twice implements reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %root = rcclx.root
  %x = rcclx.load %in
  rcclx.send %x to %root
  %is_root = arith.cmpi eq, %rank, %root : index
  scf.if %is_root {
    %zero = rcclx.identity
    %own = rcclx.reduce %zero, %x
    %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %own) -> (!rcclx.acc) {
      %y = rcclx.recv like %in from %p
      // expected-note @below {{added again here, by rank 0}}
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    // expected-note @below {{rank 0 finishes}}
    %result = rcclx.finish %sum
    // expected-error @below {{at rank 0 of 4, root 0: the output holds the contribution of rank 0 twice}}
    rcclx.store %result, %out
  }
}

// -----

// All ranks store a result, as in an all-reduce.
rcclx.collective @reduce_to_all implements reduce (%rank, %world) {
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
  %result = rcclx.finish %sum
  // expected-error @below {{at rank 1 of 4, root 0: uses the output of rank 1, which has none; in reduce only the root has an output}}
  rcclx.store %result, %out
}

// -----

// The result goes to the rank after the root.
rcclx.collective @reduce_to_the_next implements reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %root = rcclx.root
  %next_of_root = rcclx.shift %root by %c1
  %x = rcclx.load %in
  rcclx.send %x to %next_of_root
  %is_next = arith.cmpi eq, %rank, %next_of_root : index
  scf.if %is_next {
    %zero = rcclx.identity
    %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
      %y = rcclx.recv like %in from %p
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    %result = rcclx.finish %sum
    // expected-error @below {{at rank 1 of 4, root 0: uses the output of rank 1, which has none}}
    rcclx.store %result, %out
  }
}

// -----

// A chain that finishes at every hop.
rcclx.collective @reduce_finishes_too_early implements reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %root = rcclx.root
  %minus = arith.subi %c0, %root : index
  %v = rcclx.shift %rank by %minus
  %is_root = arith.cmpi eq, %v, %c0 : index
  %w = arith.addi %v, %c1 : index
  %is_last = arith.cmpi eq, %w, %world : index
  %zero = rcclx.identity
  %x = rcclx.load %in
  %own = rcclx.reduce %zero, %x
  %sum = scf.if %is_last -> (!rcclx.acc) {
    scf.yield %own : !rcclx.acc
  } else {
    %next = rcclx.shift %rank by %c1
    %y = rcclx.recv like %in from %next
    // expected-error @below {{at rank 2 of 4, root 0: reduces a result that is finished already}}
    %more = rcclx.reduce %own, %y
    scf.yield %more : !rcclx.acc
  }
  // expected-note @below {{rank 3 finishes it here}}
  %result = rcclx.finish %sum
  scf.if %is_root {
    rcclx.store %result, %out
  } else {
    %prev = rcclx.shift %rank by %cm1
    rcclx.send %result to %prev
  }
}

// -----

// The result is not finished.
rcclx.collective @reduce_rounds implements reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %root = rcclx.root
  %x = rcclx.load %in
  rcclx.send %x to %root
  %is_root = arith.cmpi eq, %rank, %root : index
  scf.if %is_root {
    %zero = rcclx.identity
    %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
      %y = rcclx.recv like %in from %p
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    %result = rcclx.round %sum
    // expected-error @below {{at rank 0 of 4, root 0: the output holds a partial result, round((((in0 + in1) + in2) + in3)); expected rcclx.finish}}
    rcclx.store %result, %out
  }
}

// -----

// Blocks are counted from the root. Right for root 0 alone.
rcclx.collective @gather_counts_from_the_root implements gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %root = rcclx.root
  %x = rcclx.load %in
  rcclx.send %x to %root
  %is_root = arith.cmpi eq, %rank, %root : index
  scf.if %is_root {
    scf.for %k = %c0 to %world step %c1 {
      %p = rcclx.shift %root by %k
      %theirs = rcclx.buffer output block(%k)
      %y = rcclx.recv like %in from %p
      // expected-error @below {{at rank 1 of 4, root 1: block 0 of the output holds the input of rank 1, expected the input of rank 0}}
      rcclx.store %y, %theirs
    }
  }
}

// -----

// The root's own block is missing.
// expected-error @below {{at rank 0 of 4, root 0: block 0 of the output is never written}}
rcclx.collective @gather_without_own implements gather (%rank, %world) {
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %root = rcclx.root
  %is_root = arith.cmpi eq, %rank, %root : index
  scf.if %is_root {
    scf.for %k = %c1 to %world step %c1 {
      %p = rcclx.shift %root by %k
      %theirs = rcclx.buffer output block(%p)
      %y = rcclx.recv like %in from %p
      rcclx.store %y, %theirs
    }
  } else {
    %x = rcclx.load %in
    rcclx.send %x to %root
  }
}

// -----

// The root's own block is copied, and comes by a message too.
rcclx.collective @gather_own_twice implements gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %root = rcclx.root
  %x = rcclx.load %in
  rcclx.send %x to %root
  %is_root = arith.cmpi eq, %rank, %root : index
  scf.if %is_root {
    %mine = rcclx.buffer output block(%root)
    // expected-note @below {{rank 0 writes block 0 of the output here}}
    rcclx.store %x, %mine
    scf.for %k = %c0 to %world step %c1 {
      %p = rcclx.shift %root by %k
      %theirs = rcclx.buffer output block(%p)
      %y = rcclx.recv like %in from %p
      // expected-error @below {{at rank 0 of 4, root 0: writes block 0 of the output, which is written already}}
      rcclx.store %y, %theirs
    }
  }
}

// -----

// Every rank is sent the root's block.
rcclx.collective @scatter_one_block implements scatter (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %out = rcclx.buffer output
  %root = rcclx.root
  %is_root = arith.cmpi eq, %rank, %root : index
  scf.if %is_root {
    scf.for %k = %c0 to %world step %c1 {
      %p = rcclx.shift %root by %k
      %theirs = rcclx.buffer input block(%root)
      %x = rcclx.load %theirs
      rcclx.send %x to %p
    }
  }
  %y = rcclx.recv like %out from %root
  // expected-error @below {{at rank 1 of 4, root 0: the output holds block 0 of the input of rank 0, expected block 1 of the input of rank 0}}
  rcclx.store %y, %out
}

// -----

// Half of a block comes from the block of the next rank.
rcclx.collective @scatter_half_of_another implements scatter (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %out = rcclx.buffer output
  %root = rcclx.root
  %is_root = arith.cmpi eq, %rank, %root : index
  scf.if %is_root {
    scf.for %k = %c0 to %world step %c1 {
      %p = rcclx.shift %root by %k
      scf.for %h = %c0 to %c2 step %c1 {
        %b = rcclx.shift %p by %h
        %theirs = rcclx.buffer input block(%b)
        %half = rcclx.part %h of %c2 in %theirs
        %x = rcclx.load %half
        rcclx.send %x to %p tag %h
      }
    }
  }
  scf.for %h = %c0 to %c2 step %c1 {
    %half = rcclx.part %h of %c2 in %out
    %y = rcclx.recv like %half from %root tag %h
    // expected-error @below {{at rank 0 of 4, root 0: part 1 of 2 of the output holds block 1 of the input of rank 0, expected block 0 of the input of rank 0}}
    rcclx.store %y, %half
  }
}

// -----

// Backwards: what is bound here is the next rank.
rcclx.collective @permute_backwards implements permute (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %to = rcclx.source_of %rank
  %from = rcclx.destination_of %rank
  %x = rcclx.load %in
  rcclx.send %x to %to
  %y = rcclx.recv like %out from %from
  // expected-error @below {{at rank 0 of 4: the output holds the input of rank 1, expected the input of rank 3}}
  rcclx.store %y, %out
}

// -----

// Sent to the destination, awaited from it.
rcclx.collective @permute_awaits_the_wrong_rank implements permute (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %to = rcclx.destination_of %rank
  %x = rcclx.load %in
  // expected-error @below {{at rank 0 of 4: the message with tag 0 to rank 1 is never received}}
  rcclx.send %x to %to
  %y = rcclx.recv like %out from %to
  rcclx.store %y, %out
}

// -----

// Nothing moves.
rcclx.collective @permute_copies implements permute (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %x = rcclx.load %in
  // expected-error @below {{at rank 0 of 4: the output holds the input of rank 0, expected the input of rank 3}}
  rcclx.store %x, %out
}

// -----

// Not a rank.
rcclx.collective @permute_of_no_rank implements permute (%rank, %world) {
  %c1 = arith.constant 1 : index
  %next = arith.addi %rank, %c1 : index
  // expected-error @below {{at rank 3 of 4: expected a rank within 0 to 3, found 4}}
  %to = rcclx.destination_of %next
}
