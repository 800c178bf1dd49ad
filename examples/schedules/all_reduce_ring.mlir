// Ring all-reduce: world-1 reducing steps, then world-1 copying steps, each
// with the two neighbours only. Bandwidth-optimal with one link per rank; a
// partial sum is rounded to the element type at every hop.
rcclx.collective @all_reduce_ring implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %last = arith.subi %world, %c1 : index
  %many = arith.cmpi sgt, %world, %c1 : index

  // Part r starts its way round the ring at rank r, as the message of tag 0.
  scf.if %many {
    %first = rcclx.part %rank of %world in %in
    %x = rcclx.load %first
    rcclx.send %x to %next tag %c0
  }

  // Step s adds this rank's share to part rank - s and passes it on.
  scf.for %s = %c1 to %last step %c1 {
    %minus = arith.subi %c0, %s : index
    %p = rcclx.shift %rank by %minus
    %part = rcclx.part %p of %world in %in
    %tag = arith.subi %s, %c1 : index
    %zero = rcclx.identity
    %y = rcclx.recv like %part from %prev tag %tag
    %a = rcclx.reduce %zero, %y
    %x = rcclx.load %part
    %b = rcclx.reduce %a, %x
    %partial = rcclx.round %b
    rcclx.send %partial to %next tag %s
  }

  // The last share: part rank + 1 is complete here and starts a second round.
  %mine = rcclx.part %next of %world in %in
  %kept = rcclx.part %next of %world in %out
  %others = scf.if %many -> (!rcclx.acc) {
    %tag = arith.subi %last, %c1 : index
    %zero = rcclx.identity
    %y = rcclx.recv like %mine from %prev tag %tag
    %a = rcclx.reduce %zero, %y
    scf.yield %a : !rcclx.acc
  } else {
    %zero = rcclx.identity
    scf.yield %zero : !rcclx.acc
  }
  %x = rcclx.load %mine
  %sum = rcclx.reduce %others, %x
  %result = rcclx.finish %sum
  rcclx.store %result, %kept
  scf.if %many {
    rcclx.send %result to %next tag %last
  }

  // Step s brings part rank + 1 - s, finished, and passes it on but the last.
  scf.for %s = %c1 to %world step %c1 {
    %minus = arith.subi %c1, %s : index
    %p = rcclx.shift %rank by %minus
    %theirs = rcclx.part %p of %world in %out
    %before = arith.subi %s, %c1 : index
    %tagIn = arith.addi %last, %before : index
    %z = rcclx.recv like %theirs from %prev tag %tagIn
    rcclx.store %z, %theirs
    %more = arith.cmpi slt, %s, %last : index
    scf.if %more {
      %tagOut = arith.addi %last, %s : index
      rcclx.send %z to %next tag %tagOut
    }
  }
}
