// All-gather by pull: every rank copies its block to a window, once, and reads
// those of the others. One hop; no rank writes more than its own block to memory
// that it shares, whatever the number of ranks.
rcclx.collective @all_gather_pull implements all_gather (%rank, %world) {
  %c1 = arith.constant 1 : index
  %mine = rcclx.buffer input

  %own = rcclx.buffer output block(%rank)
  %x = rcclx.load %mine
  rcclx.store %x, %own
  // Each rank starts with another peer: rank + k.
  scf.for %k = %c1 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %theirs = rcclx.buffer output block(%p)
    %y = rcclx.load %mine at %p
    rcclx.store %y, %theirs
  }
}
