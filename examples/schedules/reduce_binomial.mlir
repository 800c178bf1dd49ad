// Binomial reduce: log2(world) hops, and no rank receives more than log2(world)
// times. Ranks count from the root. Rank v has v + 2^s, for each 2^s below its
// lowest set bit, as children, and v without that bit as parent. It reduces its
// own input and then those of its children, the smallest subtree first, which is
// the order of ranks from the root on; a partial sum is rounded to the element
// type at every hop.
rcclx.collective @reduce_binomial implements reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %root = rcclx.root
  %minus_root = arith.subi %c0, %root : index
  %v = rcclx.shift %rank by %minus_root
  %is_root = arith.cmpi eq, %v, %c0 : index

  // Up to 256 ranks: 2^s is 1, 2, ..., 128.
  %zero = rcclx.identity
  %x = rcclx.load %in
  %own = rcclx.reduce %zero, %x
  %sum = scf.for %s = %c0 to %c8 step %c1 iter_args(%acc = %own) -> (!rcclx.acc) {
    %bit = arith.shli %c1, %s : index
    %twice = arith.addi %bit, %bit : index
    %mask = arith.subi %twice, %c1 : index
    %below = arith.andi %v, %mask : index
    %is_parent = arith.cmpi eq, %below, %c0 : index
    // The first is known when compiled: levels that no rank has go away.
    %is_level = arith.cmpi slt, %bit, %world : index
    %w = arith.addi %v, %bit : index
    %exists = arith.cmpi slt, %w, %world : index
    %maybe = arith.andi %is_level, %is_parent : i1
    %is_child = arith.andi %maybe, %exists : i1
    %next = scf.if %is_child -> (!rcclx.acc) {
      %child = rcclx.shift %rank by %bit
      %y = rcclx.recv like %in from %child
      %more = rcclx.reduce %acc, %y
      scf.yield %more : !rcclx.acc
    } else {
      scf.yield %acc : !rcclx.acc
    }
    scf.yield %next : !rcclx.acc
  }

  scf.if %is_root {
    %result = rcclx.finish %sum
    rcclx.store %result, %out
  } else {
    %minus_v = arith.subi %c0, %v : index
    %lowest = arith.andi %v, %minus_v : index
    %back = arith.subi %c0, %lowest : index
    %parent = rcclx.shift %rank by %back
    %partial = rcclx.round %sum
    rcclx.send %partial to %parent
  }
}
