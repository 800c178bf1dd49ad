// Direct all-gather: every rank sends its block to every other rank, and keeps
// a copy. One hop.
rcclx.collective @all_gather_direct implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mine = rcclx.buffer input

  scf.for %k = %c1 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %x = rcclx.load %mine
    rcclx.send %x to %p
  }
  %own = rcclx.buffer output block(%rank)
  %x = rcclx.load %mine
  rcclx.store %x, %own
  // Rank - k sends to this rank k-th.
  scf.for %k = %c1 to %world step %c1 {
    %minus = arith.subi %c0, %k : index
    %p = rcclx.shift %rank by %minus
    %theirs = rcclx.buffer output block(%p)
    %y = rcclx.recv like %mine from %p
    rcclx.store %y, %theirs
  }
}
