// Two one-shot all-reduces, one of each half of the buffer, that share nothing:
// they run in two block groups, side by side.
rcclx.collective @all_reduce_two_halves implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
    %half0 = rcclx.part %c0 of %c2 in %in
    %to0 = rcclx.part %c0 of %c2 in %out
    %x0 = rcclx.load %half0
    scf.for %k = %c0 to %world step %c1 {
      %p = rcclx.shift %rank by %k
      rcclx.send %x0 to %p tag %c0
    }
    %zero0 = rcclx.identity
    %sum0 = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero0) -> (!rcclx.acc) {
      %y = rcclx.recv like %half0 from %p tag %c0
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    %result0 = rcclx.finish %sum0
    rcclx.store %result0, %to0
    %half1 = rcclx.part %c1 of %c2 in %in
    %to1 = rcclx.part %c1 of %c2 in %out
    %x1 = rcclx.load %half1
    scf.for %k = %c0 to %world step %c1 {
      %p = rcclx.shift %rank by %k
      rcclx.send %x1 to %p tag %c1
    }
    %zero1 = rcclx.identity
    %sum1 = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero1) -> (!rcclx.acc) {
      %y = rcclx.recv like %half1 from %p tag %c1
      %next = rcclx.reduce %acc, %y
      scf.yield %next : !rcclx.acc
    }
    %result1 = rcclx.finish %sum1
    rcclx.store %result1, %to1
}
