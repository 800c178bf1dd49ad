// One-shot all-reduce, push: every rank sends its input to every rank, and
// every rank reduces all of them in rank order. One network hop; each rank
// sends (world - 1) times the buffer. Best for the smallest messages.
rcclx.collective @all_reduce_one_shot implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output

  // Each rank starts with another peer: rank + k.
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %x = rcclx.load %in
    rcclx.send %x to %p
  }

  %zero = rcclx.identity
  %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %y = rcclx.recv like %in from %p
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  %result = rcclx.finish %sum
  rcclx.store %result, %out
}
