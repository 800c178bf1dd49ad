// A chain: a stage that waits after it has sent, and so goes group by group.
rcclx.collective @all_reduce_chain implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output

  %is0 = arith.cmpi eq, %rank, %c0 : index
  %lastr = arith.subi %world, %c1 : index
  %isl = arith.cmpi eq, %rank, %lastr : index
  %nx = arith.addi %rank, %c1 : index
  %pv = arith.subi %rank, %c1 : index
  %z = rcclx.identity
  %a = scf.if %is0 -> (!rcclx.acc) { scf.yield %z : !rcclx.acc } else {
    %y = rcclx.recv like %in from %pv tag %c0
    %q = rcclx.reduce %z, %y
    scf.yield %q : !rcclx.acc
  }
  %x = rcclx.load %in
  %b = rcclx.reduce %a, %x
  %res = scf.if %isl -> (!rcclx.chunk) {
    %f = rcclx.finish %b
    scf.yield %f : !rcclx.chunk
  } else {
    %r = rcclx.round %b
    rcclx.send %r to %nx tag %c0
    %f = rcclx.recv like %out from %nx tag %c1
    scf.yield %f : !rcclx.chunk
  }
  rcclx.store %res, %out
  scf.if %is0 { } else { rcclx.send %res to %pv tag %c1 }
}
