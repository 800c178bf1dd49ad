// Parts of %rank parts: rank 0 would divide by zero, in a loop that it never
// enters.
rcclx.collective @all_reduce_zero_parts implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output

  %sumz = rcclx.identity
  %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %sumz) -> (!rcclx.acc) {
    %y = rcclx.load %in at %p
    %n = rcclx.reduce %acc, %y
    scf.yield %n : !rcclx.acc
  }
  %f = rcclx.finish %sum
  rcclx.store %f, %out
  scf.for %i = %c0 to %rank step %c1 {
    %pt = rcclx.part %c0 of %rank in %in
    %x = rcclx.load %pt
    rcclx.send %x to %rank tag %i
    %y = rcclx.recv like %pt from %rank tag %i
  }
}
