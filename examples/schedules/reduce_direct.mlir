// Direct reduce: every rank sends its input to the root, which reduces in rank
// order. One hop; the root receives the buffer world-1 times.
rcclx.collective @reduce_direct implements reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %root = rcclx.root
  %is_root = arith.cmpi eq, %rank, %root : index

  scf.if %is_root {
    %zero = rcclx.identity
    %before = scf.for %p = %c0 to %root step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
      %y = rcclx.recv like %in from %p
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    %own = rcclx.load %in
    %with_own = rcclx.reduce %before, %own
    %after_root = arith.addi %root, %c1 : index
    %sum = scf.for %p = %after_root to %world step %c1 iter_args(%acc = %with_own) -> (!rcclx.acc) {
      %y = rcclx.recv like %in from %p
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    %result = rcclx.finish %sum
    rcclx.store %result, %out
  } else {
    %x = rcclx.load %in
    rcclx.send %x to %root
  }
}
