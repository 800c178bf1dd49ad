// Direct gather: every rank sends its input to the root. One hop.
rcclx.collective @gather_direct implements gather (%rank, %world) {
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %root = rcclx.root
  %is_root = arith.cmpi eq, %rank, %root : index

  scf.if %is_root {
    %mine = rcclx.buffer output block(%root)
    %own = rcclx.load %in
    rcclx.store %own, %mine
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
