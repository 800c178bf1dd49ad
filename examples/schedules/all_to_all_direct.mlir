// Direct all-to-all: block p of every rank's input goes to rank p; the own block
// is copied. One hop.
rcclx.collective @all_to_all_direct implements all_to_all (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index

  scf.for %k = %c1 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %theirs = rcclx.buffer input block(%p)
    %x = rcclx.load %theirs
    rcclx.send %x to %p
  }
  %own = rcclx.buffer input block(%rank)
  %kept = rcclx.buffer output block(%rank)
  %x = rcclx.load %own
  rcclx.store %x, %kept
  // Rank - k sends to this rank k-th.
  scf.for %k = %c1 to %world step %c1 {
    %minus = arith.subi %c0, %k : index
    %p = rcclx.shift %rank by %minus
    %from = rcclx.buffer output block(%p)
    %y = rcclx.recv like %from from %p
    rcclx.store %y, %from
  }
}
