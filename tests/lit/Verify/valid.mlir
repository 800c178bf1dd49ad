// What a proof must see through: pieces of pieces, values carried by loops and
// branches, memory that messages order, stages.
// RUN: rcclx-opt %s -rcclx-verify=world=1 -rcclx-verify=world=2 -rcclx-verify=world=4 -rcclx-verify=world=8 -split-input-file -verify-diagnostics

// Reduced in quarters, gathered as a whole from the output.
rcclx.collective @whole_output_in_one_message implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %isFirst = arith.cmpi eq, %rank, %c0 : index
  scf.if %isFirst {
    %zero = rcclx.identity
    scf.for %i = %c0 to %c4 step %c1 {
      %from = rcclx.part %i of %c4 in %in
      %to = rcclx.part %i of %c4 in %out
      %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
        // Each quarter starts with another rank.
        %q = rcclx.shift %p by %i
        %y = rcclx.load %from at %q
        %b = rcclx.reduce %acc, %y
        scf.yield %b : !rcclx.acc
      }
      %result = rcclx.finish %sum
      rcclx.store %result, %to
    }
    %all = rcclx.load %out
    scf.for %p = %c1 to %world step %c1 {
      rcclx.send %all to %p
    }
  } else {
    %y = rcclx.recv like %out from %c0
    rcclx.store %y, %out
  }
}

// -----

// The owner's halves meet a peer's thirds: the sum has four pieces.
rcclx.collective @pieces_of_pieces implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %in = rcclx.buffer input
  scf.for %p = %c0 to %world step %c1 {
    %theirs = rcclx.buffer output block(%p)
    %half = rcclx.part %c0 of %c2 in %in
    %toHalf = rcclx.part %c0 of %c2 in %theirs
    %x = rcclx.load %half at %p
    rcclx.store %x, %toHalf
    // Parts 3, 4 and 5 of 6 are the other half.
    %rest = rcclx.part %c3 for %c3 of %c6 in %in
    %toRest = rcclx.part %c1 of %c2 in %theirs
    %y = rcclx.load %rest at %p
    rcclx.store %y, %toRest
  }
}

// -----

// Parts of parts: part 1 of 2 in part 0 of 2 is part 1 of 4.
rcclx.collective @parts_of_parts implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %in = rcclx.buffer input
  scf.for %p = %c0 to %world step %c1 {
    %theirs = rcclx.buffer output block(%p)
    scf.for %i = %c0 to %c2 step %c1 {
      %outer = rcclx.part %i of %c2 in %in
      scf.for %j = %c0 to %c2 step %c1 {
        %inner = rcclx.part %j of %c2 in %outer
        %x = rcclx.load %inner at %p
        %twice = arith.muli %i, %c2 : index
        %number = arith.addi %twice, %j : index
        %to = rcclx.part %number of %c4 in %theirs
        rcclx.store %x, %to
      }
    }
  }
}

// -----

// Recursive doubling: pairs at distance 1, 2, 4 swap partial sums. The lower
// rank's sum comes first, so that all ranks build the same tree.
rcclx.collective @recursive_doubling implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %zero = rcclx.identity
  %x = rcclx.load %in
  %own = rcclx.reduce %zero, %x
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %own) -> (!rcclx.acc) {
    %distance = arith.shli %c1, %i : index
    %due = arith.cmpi slt, %distance, %world : index
    %next = scf.if %due -> (!rcclx.acc) {
      %peer = arith.xori %rank, %distance : index
      %mine = rcclx.round %acc
      rcclx.send %mine to %peer tag %i
      %theirs = rcclx.recv like %in from %peer tag %i
      %isLower = arith.cmpi slt, %rank, %peer : index
      %first = arith.select %isLower, %mine, %theirs : !rcclx.chunk
      %second = arith.select %isLower, %theirs, %mine : !rcclx.chunk
      %a = rcclx.reduce %zero, %first
      %b = rcclx.reduce %a, %second
      scf.yield %b : !rcclx.acc
    } else {
      scf.yield %acc : !rcclx.acc
    }
    scf.yield %next : !rcclx.acc
  }
  %result = rcclx.finish %sum
  rcclx.store %result, %out
}

// -----

// Iterations swap what they carry.
rcclx.collective @swapped_values implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %zero = rcclx.identity
  %sums:2 = scf.for %p = %c0 to %world step %c1 iter_args(%a = %zero, %b = %zero) -> (!rcclx.acc, !rcclx.acc) {
    %y = rcclx.load %in at %p
    %next = rcclx.reduce %a, %y
    scf.yield %b, %next : !rcclx.acc, !rcclx.acc
  }
  %even = rcclx.round %sums#0
  %odd = rcclx.round %sums#1
  %0 = rcclx.reduce %zero, %even
  %1 = rcclx.reduce %0, %odd
  %result = rcclx.finish %1
  rcclx.store %result, %out
}

// -----

// Peers push; a signal after the push makes it readable.
rcclx.collective @push_and_signal implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %last = arith.subi %world, %c1 : index
  %in = rcclx.buffer input
  %own = rcclx.buffer output block(%rank)
  %x = rcclx.load %in
  rcclx.store %x, %own
  // Round the ring: step s passes on block rank - s, which prev has pushed here.
  scf.for %s = %c0 to %last step %c1 {
    %minus = arith.subi %c0, %s : index
    %q = rcclx.shift %rank by %minus
    %block = rcclx.buffer output block(%q)
    %y = rcclx.load %block
    rcclx.store %y, %block at %next
    rcclx.signal to %next tag %s
    rcclx.wait from %prev tag %s
  }
}

// -----

// Order goes through a third rank: 0 writes, tells 1, which tells the others.
rcclx.collective @order_by_way_of_another implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output block(%c0)
  %next = rcclx.shift %rank by %c1
  %last = arith.subi %world, %c1 : index
  %isFirst = arith.cmpi eq, %rank, %c0 : index
  %isLast = arith.cmpi eq, %rank, %last : index
  scf.if %isFirst {
    %x = rcclx.load %in
    rcclx.store %x, %out
  } else {
    %before = arith.subi %rank, %c1 : index
    rcclx.wait from %before
    %x = rcclx.load %out at %c0
    rcclx.store %x, %out
  }
  scf.if %isLast {
  } else {
    rcclx.signal to %next
  }
  scf.for %p = %c1 to %world step %c1 {
    %x = rcclx.load %in at %p
    %theirs = rcclx.buffer output block(%p)
    rcclx.store %x, %theirs
  }
}

// -----

// After rcclx-form-stages. A stage runs once.
rcclx.collective @stages implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  rcclx.stage over %in {
    %x = rcclx.load %in
    scf.for %k = %c0 to %world step %c1 {
      %p = rcclx.shift %rank by %k
      rcclx.send %x to %p
    }
  }
  rcclx.stage over %in group(1) {
    %zero = rcclx.identity
    %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
      %y = rcclx.recv like %in from %p
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    %result = rcclx.finish %sum
    rcclx.store %result, %out
  }
}

// -----

// Each block is the own rank's: the trees of the ranks may differ.
rcclx.collective @reduce_scatter implements reduce_scatter (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mine = rcclx.buffer input block(%rank)
  %out = rcclx.buffer output
  %zero = rcclx.identity
  %sum = scf.for %k = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %p = rcclx.shift %rank by %k
    %y = rcclx.load %mine at %p
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  %result = rcclx.finish %sum
  rcclx.store %result, %out
}

// -----

rcclx.collective @all_to_all implements all_to_all (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %theirs = rcclx.buffer input block(%p)
    %x = rcclx.load %theirs
    rcclx.send %x to %p
  }
  scf.for %p = %c0 to %world step %c1 {
    %mine = rcclx.buffer input block(%rank)
    %to = rcclx.buffer output block(%p)
    %y = rcclx.recv like %mine from %p
    rcclx.store %y, %to
  }
}

// -----

// The arithmetic that a schedule may use: any wrong result gives another tag.
rcclx.collective @arithmetic implements barrier (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c15 = arith.constant 15 : index
  %cm2 = arith.constant -2 : index
  %cm7 = arith.constant -7 : index
  %true = arith.constant true
  %a = arith.divsi %cm7, %c2 : index       // -3
  %b = arith.ceildivsi %c7, %c2 : index    //  4
  %c = arith.floordivsi %cm7, %c2 : index  // -4
  %d = arith.remsi %cm7, %c2 : index       // -1
  %e = arith.ceildivsi %cm7, %cm2 : index  //  4
  %f = arith.floordivsi %cm7, %cm2 : index //  3
  %g = arith.remui %c7, %c2 : index        //  1
  %h = arith.divui %c7, %c2 : index        //  3
  %i = arith.ceildivui %c7, %c2 : index    //  4
  %j = arith.maxsi %cm7, %c2 : index       //  2
  %k = arith.minui %cm7, %c2 : index       //  2
  %l = arith.minsi %cm7, %c2 : index       // -7
  %m = arith.ori %c2, %c1 : index          //  3
  %n = arith.andi %c7, %c2 : index         //  2
  %less = arith.cmpi ult, %c7, %cm7 : index
  %not = arith.xori %less, %true : i1
  %o = arith.index_castui %less : i1 to index // 1
  %p = arith.select %not, %c7, %c1 : index    // 1
  %s1 = arith.addi %a, %b : index
  %s2 = arith.addi %s1, %c : index
  %s3 = arith.addi %s2, %d : index
  %s4 = arith.addi %s3, %e : index
  %s5 = arith.addi %s4, %f : index
  %s6 = arith.addi %s5, %g : index
  %s7 = arith.addi %s6, %h : index
  %s8 = arith.addi %s7, %i : index
  %s9 = arith.addi %s8, %j : index
  %s10 = arith.addi %s9, %k : index
  %s11 = arith.addi %s10, %l : index
  %s12 = arith.addi %s11, %m : index
  %s13 = arith.addi %s12, %n : index
  %s14 = arith.addi %s13, %o : index
  %sum = arith.addi %s14, %p : index
  scf.for %q = %c0 to %world step %c1 {
    rcclx.signal to %q tag %sum
  }
  scf.for %q = %c0 to %world step %c1 {
    rcclx.wait from %q tag %c15
  }
}

// -----

// Downwards is not possible, but from -3 to 1 is, and unsigned bounds are.
rcclx.collective @loops implements barrier (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %cm1 = arith.constant -1 : index
  %cm3 = arith.constant -3 : index
  // -3 and -1: two iterations.
  %two = scf.for %i = %cm3 to %c1 step %c2 iter_args(%n = %c0) -> (index) {
    %next = arith.addi %n, %c1 : index
    scf.yield %next : index
  }
  // None: -1 is the largest.
  %none = scf.for unsigned %i = %cm1 to %c4 step %c1 iter_args(%n = %two) -> (index) {
    scf.yield %c0 : index
  }
  scf.for %q = %c0 to %world step %c1 {
    rcclx.signal to %q tag %none
  }
  scf.for %q = %c0 to %world step %c1 {
    rcclx.wait from %q tag %c2
  }
}
