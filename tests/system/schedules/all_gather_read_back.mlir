// All-gather that stores first and sends what it reads back from the output:
// the output is read and written in program order.
rcclx.collective @all_gather_read_back implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %own = rcclx.buffer output block(%rank)
  %x = rcclx.load %in
  rcclx.store %x, %own
  scf.for %k = %c1 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %y = rcclx.load %own
    rcclx.send %y to %p
  }
  scf.for %k = %c1 to %world step %c1 {
    %minus = arith.subi %c0, %k : index
    %p = rcclx.shift %rank by %minus
    %theirs = rcclx.buffer output block(%p)
    %z = rcclx.recv like %in from %p
    rcclx.store %z, %theirs
  }
}
