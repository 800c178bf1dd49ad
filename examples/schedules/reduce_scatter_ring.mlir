// Ring reduce-scatter: world-1 steps, each with the two neighbours only. A
// partial sum is rounded to the element type at every hop.
rcclx.collective @reduce_scatter_ring implements reduce_scatter (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %out = rcclx.buffer output
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %last = arith.subi %world, %c1 : index
  %many = arith.cmpi sgt, %world, %c1 : index

  // Block rank - 1 starts its way round the ring here, as the message of tag 0,
  // and ends at its owner.
  scf.if %many {
    %first = rcclx.buffer input block(%prev)
    %x = rcclx.load %first
    rcclx.send %x to %next tag %c0
  }

  // Step s adds this rank's share to block rank - 1 - s and passes it on.
  scf.for %s = %c1 to %last step %c1 {
    %minus = arith.subi %cm1, %s : index
    %b = rcclx.shift %rank by %minus
    %block = rcclx.buffer input block(%b)
    %tag = arith.subi %s, %c1 : index
    %zero = rcclx.identity
    %y = rcclx.recv like %block from %prev tag %tag
    %a = rcclx.reduce %zero, %y
    %x = rcclx.load %block
    %sum = rcclx.reduce %a, %x
    %partial = rcclx.round %sum
    rcclx.send %partial to %next tag %s
  }

  // The last share is the own one.
  %others = scf.if %many -> (!rcclx.acc) {
    %tag = arith.subi %last, %c1 : index
    %zero = rcclx.identity
    %y = rcclx.recv like %out from %prev tag %tag
    %a = rcclx.reduce %zero, %y
    scf.yield %a : !rcclx.acc
  } else {
    %zero = rcclx.identity
    scf.yield %zero : !rcclx.acc
  }
  %mine = rcclx.buffer input block(%rank)
  %x = rcclx.load %mine
  %sum = rcclx.reduce %others, %x
  %result = rcclx.finish %sum
  rcclx.store %result, %out
}
