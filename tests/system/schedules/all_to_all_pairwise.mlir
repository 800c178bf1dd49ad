// Pairwise all-to-all. In place, the block that comes in step k lies where one
// that leaves in a later step does: the runtime must copy the input first.
rcclx.collective @all_to_all_pairwise implements all_to_all (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %world step %c1 {
    %minus = arith.subi %c0, %k : index
    %to = rcclx.shift %rank by %k
    %from = rcclx.shift %rank by %minus
    %theirs = rcclx.buffer input block(%to)
    %x = rcclx.load %theirs
    rcclx.send %x to %to
    %mine = rcclx.buffer output block(%from)
    %y = rcclx.recv like %mine from %from
    rcclx.store %y, %mine
  }
}
