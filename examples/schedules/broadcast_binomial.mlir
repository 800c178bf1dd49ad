// Binomial broadcast: log2(world) hops, and no rank sends more than log2(world)
// times. Ranks count from the root. Rank v has v without its lowest set bit as
// parent, and v + 2^s, for each 2^s below that bit, as children: the one with
// the most ranks below it comes first. What a rank has received lies in its
// output; each child gets it from there, a tile behind the parent.
rcclx.collective @broadcast_binomial implements broadcast (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %root = rcclx.root
  %minus_root = arith.subi %c0, %root : index
  %v = rcclx.shift %rank by %minus_root
  %is_root = arith.cmpi eq, %v, %c0 : index

  scf.if %is_root {
    %own = rcclx.load %in
    rcclx.store %own, %out
  } else {
    %minus_v = arith.subi %c0, %v : index
    %lowest = arith.andi %v, %minus_v : index
    %back = arith.subi %c0, %lowest : index
    %parent = rcclx.shift %rank by %back
    %x = rcclx.recv like %out from %parent
    rcclx.store %x, %out
  }

  // Up to 256 ranks: 2^s is 128, 64, ..., 1.
  scf.for %i = %c0 to %c8 step %c1 {
    %s = arith.subi %c7, %i : index
    %bit = arith.shli %c1, %s : index
    %twice = arith.addi %bit, %bit : index
    %mask = arith.subi %twice, %c1 : index
    %below = arith.andi %v, %mask : index
    %is_parent = arith.cmpi eq, %below, %c0 : index
    %w = arith.addi %v, %bit : index
    %exists = arith.cmpi slt, %w, %world : index
    %is_child = arith.andi %is_parent, %exists : i1
    scf.if %is_child {
      %child = rcclx.shift %rank by %bit
      %x = rcclx.load %out
      rcclx.send %x to %child
    }
  }
}
