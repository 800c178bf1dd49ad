// A choice between chunks, one of which is received: element-wise, within the
// stage. Ranks that are their own destination send to themselves and take what
// they have instead.
rcclx.collective @permute_select implements permute (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %to = rcclx.destination_of %rank
  %from = rcclx.source_of %rank
  %is_fixed = arith.cmpi eq, %to, %rank : index
  %own = rcclx.load %in
  rcclx.send %own to %to
  %theirs = rcclx.recv like %out from %from
  %result = scf.if %is_fixed -> (!rcclx.chunk) {
    scf.yield %own : !rcclx.chunk
  } else {
    scf.yield %theirs : !rcclx.chunk
  }
  rcclx.store %result, %out
}
