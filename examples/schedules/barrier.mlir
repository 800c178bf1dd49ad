// Dissemination barrier: in round i every rank signals the rank 2^i further
// and waits for the rank 2^i before it. ceil(log2(world)) rounds.
rcclx.collective @barrier implements barrier (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %end = scf.for %i = %c0 to %c8 step %c1 iter_args(%distance = %c1) -> (index) {
    %due = arith.cmpi slt, %distance, %world : index
    scf.if %due {
      %minus = arith.subi %c0, %distance : index
      %to = rcclx.shift %rank by %distance
      %from = rcclx.shift %rank by %minus
      rcclx.signal to %to tag %i
      rcclx.wait from %from tag %i
    }
    %double = arith.addi %distance, %distance : index
    scf.yield %double : index
  }
}
