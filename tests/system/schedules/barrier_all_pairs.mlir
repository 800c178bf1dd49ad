// Every rank signals every other: the operation rcclx.barrier, twice.
rcclx.collective @barrier_all_pairs implements barrier (%rank, %world) {
  %c1 = arith.constant 1 : index
  rcclx.barrier
  rcclx.barrier tag %c1
}
