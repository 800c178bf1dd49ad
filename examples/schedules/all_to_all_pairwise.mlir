// Pairwise all-to-all: in step k, every rank sends to rank + k and receives from
// rank - k. world - 1 steps, one message of a rank in flight at a time: what is
// in flight stays in caches.
rcclx.collective @all_to_all_pairwise implements all_to_all (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index

  %own = rcclx.buffer input block(%rank)
  %kept = rcclx.buffer output block(%rank)
  %x = rcclx.load %own
  rcclx.store %x, %kept
  scf.for %k = %c1 to %world step %c1 {
    %to = rcclx.shift %rank by %k
    %theirs = rcclx.buffer input block(%to)
    %sent = rcclx.load %theirs
    rcclx.send %sent to %to

    %minus = arith.subi %c0, %k : index
    %from = rcclx.shift %rank by %minus
    %mine = rcclx.buffer output block(%from)
    %y = rcclx.recv like %mine from %from
    rcclx.store %y, %mine
  }
}
