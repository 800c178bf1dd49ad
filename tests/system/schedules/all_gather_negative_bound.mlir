// A loop whose upper bound is negative on rank 0: it does not run there.
rcclx.collective @all_gather_negative_bound implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index

  %in = rcclx.buffer input
  %x = rcclx.load %in
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    rcclx.send %x to %p
  }
  %rm1 = arith.subi %rank, %c1 : index
  scf.for %p = %c0 to %rm1 step %c1 {
    %o = rcclx.buffer output block(%p)
    %y = rcclx.recv like %in from %p
    rcclx.store %y, %o
  }
  %lo = arith.maxsi %rm1, %c0 : index
  scf.for %p = %lo to %world step %c1 {
    %o = rcclx.buffer output block(%p)
    %y = rcclx.recv like %in from %p
    rcclx.store %y, %o
  }
}
