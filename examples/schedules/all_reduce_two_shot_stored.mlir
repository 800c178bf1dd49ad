// Two-shot all-reduce whose second hop sends what the first has stored, not
// what is still in registers (all_reduce_two_shot.mlir): on a CPU, copies of
// whole tiles are faster than a store to every peer for each element. Two hops;
// each rank sends twice the buffer, whatever the number of ranks.
rcclx.collective @all_reduce_two_shot_stored implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output

  // Scatter: part p goes to rank p.
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %part = rcclx.part %p of %world in %in
    %x = rcclx.load %part
    rcclx.send %x to %p tag %c0
  }

  // Reduce the own part, store it, and send it to every other rank.
  %mine = rcclx.part %rank of %world in %in
  %kept = rcclx.part %rank of %world in %out
  %zero = rcclx.identity
  %sum = scf.for %p = %c0 to %world step %c1 iter_args(%acc = %zero) -> (!rcclx.acc) {
    %y = rcclx.recv like %mine from %p tag %c0
    %next = rcclx.reduce %acc, %y
    scf.yield %next : !rcclx.acc
  }
  %result = rcclx.finish %sum
  rcclx.store %result, %kept
  scf.for %k = %c1 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %stored = rcclx.load %kept
    rcclx.send %stored to %p tag %c1
  }

  // Gather: part p comes from rank p.
  scf.for %k = %c1 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %theirs = rcclx.part %p of %world in %out
    %y = rcclx.recv like %theirs from %p tag %c1
    rcclx.store %y, %theirs
  }
}
