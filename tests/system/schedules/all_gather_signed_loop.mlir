// A loop from -rank to world - rank: bounds are signed, and differ by rank.
rcclx.collective @all_gather_signed_loop implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index

  %in = rcclx.buffer input
  %x = rcclx.load %in
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    rcclx.send %x to %p
  }
  %lo = arith.subi %c0, %rank : index
  %hi = arith.subi %world, %rank : index
  scf.for %j = %lo to %hi step %c1 {
    %p = arith.addi %rank, %j : index
    %o = rcclx.buffer output block(%p)
    %y = rcclx.recv like %in from %p
    rcclx.store %y, %o
  }
}
