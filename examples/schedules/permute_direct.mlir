// Direct permute: every rank sends its input to its destination. One hop; a rank
// that is its own destination copies.
rcclx.collective @permute_direct implements permute (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %to = rcclx.destination_of %rank
  %from = rcclx.source_of %rank
  %is_fixed = arith.cmpi eq, %to, %rank : index

  scf.if %is_fixed {
    %x = rcclx.load %in
    rcclx.store %x, %out
  } else {
    %x = rcclx.load %in
    rcclx.send %x to %to
    %y = rcclx.recv like %out from %from
    rcclx.store %y, %out
  }
}
