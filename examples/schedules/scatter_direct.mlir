// Direct scatter: the root sends block p of its input to rank p. One hop.
rcclx.collective @scatter_direct implements scatter (%rank, %world) {
  %c1 = arith.constant 1 : index
  %out = rcclx.buffer output
  %root = rcclx.root
  %is_root = arith.cmpi eq, %rank, %root : index

  scf.if %is_root {
    scf.for %k = %c1 to %world step %c1 {
      %p = rcclx.shift %root by %k
      %theirs = rcclx.buffer input block(%p)
      %x = rcclx.load %theirs
      rcclx.send %x to %p
    }
    %mine = rcclx.buffer input block(%root)
    %own = rcclx.load %mine
    rcclx.store %own, %out
  } else {
    %x = rcclx.recv like %out from %root
    rcclx.store %x, %out
  }
}
