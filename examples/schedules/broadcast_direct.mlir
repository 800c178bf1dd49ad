// Direct broadcast: the root sends its input to every other rank. One hop; the
// root sends the buffer world-1 times.
rcclx.collective @broadcast_direct implements broadcast (%rank, %world) {
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %root = rcclx.root
  %is_root = arith.cmpi eq, %rank, %root : index

  scf.if %is_root {
    scf.for %k = %c1 to %world step %c1 {
      %p = rcclx.shift %root by %k
      %x = rcclx.load %in
      rcclx.send %x to %p
    }
    %own = rcclx.load %in
    rcclx.store %own, %out
  } else {
    %x = rcclx.recv like %out from %root
    rcclx.store %x, %out
  }
}
