// Ring all-gather: every block goes once round the ring, world-1 hops with the
// two neighbours only.
rcclx.collective @all_gather_ring implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %in = rcclx.buffer input
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %last = arith.subi %world, %c1 : index
  %many = arith.cmpi sgt, %world, %c1 : index

  // The own block: sent on as the message of tag 0, and kept.
  %own = rcclx.buffer output block(%rank)
  %x = rcclx.load %in
  scf.if %many {
    rcclx.send %x to %next tag %c0
  }
  rcclx.store %x, %own

  // Step s brings block rank - s and passes it on but the last.
  scf.for %s = %c1 to %world step %c1 {
    %minus = arith.subi %c0, %s : index
    %b = rcclx.shift %rank by %minus
    %theirs = rcclx.buffer output block(%b)
    %tag = arith.subi %s, %c1 : index
    %z = rcclx.recv like %theirs from %prev tag %tag
    rcclx.store %z, %theirs
    %more = arith.cmpi slt, %s, %last : index
    scf.if %more {
      rcclx.send %z to %next tag %s
    }
  }
}
