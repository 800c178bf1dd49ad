// Every rank passes on what it receives, in the registers of one stage.
rcclx.collective @broadcast_chain implements broadcast (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %root = rcclx.root
  %minus = arith.subi %c0, %root : index
  %v = rcclx.shift %rank by %minus
  %is_root = arith.cmpi eq, %v, %c0 : index
  %x = scf.if %is_root -> (!rcclx.chunk) {
    %own = rcclx.load %in
    scf.yield %own : !rcclx.chunk
  } else {
    %prev = rcclx.shift %rank by %cm1
    %y = rcclx.recv like %out from %prev
    scf.yield %y : !rcclx.chunk
  }
  %w = arith.addi %v, %c1 : index
  %more = arith.cmpi slt, %w, %world : index
  scf.if %more {
    %next = rcclx.shift %rank by %c1
    rcclx.send %x to %next
  }
  rcclx.store %x, %out
}
