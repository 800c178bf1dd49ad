// All-reduce whose first half leaves its result in scratch: a reduce-scatter
// into the own scratch block, then an all-gather of what is read back from it.
rcclx.collective @all_reduce_scratch implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %own = rcclx.buffer scratch block(%rank)
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %part = rcclx.part %p of %world in %in
    %x = rcclx.load %part
    rcclx.send %x to %p tag %c0
  }
  %mine = rcclx.part %rank of %world in %own
  %zero = rcclx.identity
  %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %y = rcclx.recv like %mine from %p tag %c0
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  %result = rcclx.finish %sum
  rcclx.store %result, %mine
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %z = rcclx.load %mine
    rcclx.send %z to %p tag %c1
  }
  scf.for %k = %c0 to %world step %c1 {
    %minus = arith.subi %c0, %k : index
    %p = rcclx.shift %rank by %minus
    %theirs = rcclx.part %p of %world in %out
    %z = rcclx.recv like %theirs from %p tag %c1
    rcclx.store %z, %theirs
  }
}
