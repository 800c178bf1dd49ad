// Direct reduce-scatter: every rank sends block p of its input to rank p, and
// reduces what it gets in rank order. One hop; each rank sends the buffer once.
rcclx.collective @reduce_scatter_direct implements reduce_scatter (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %out = rcclx.buffer output

  // Each rank starts with another peer: rank + k.
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %theirs = rcclx.buffer input block(%p)
    %x = rcclx.load %theirs
    rcclx.send %x to %p
  }

  %zero = rcclx.identity
  %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %y = rcclx.recv like %out from %p
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  %result = rcclx.finish %sum
  rcclx.store %result, %out
}
