// Recursive doubling on four ranks is one stage that sends and waits twice: each
// granule is an exchange of its own, and the kernel is proved so.
// RUN: rcclx-opt %s -rcclx-prepare=world=4 -rcclx-to-kernel -rcclx-verify-kernel=report=true -o /dev/null 2>&1 | FileCheck %s
// RUN: rcclx-opt %s -rcclx-prepare="world=4 protocol=sentinel kind=gpu count=1000000" -rcclx-to-kernel -rcclx-verify-kernel=report=true -o /dev/null 2>&1 | FileCheck %s
// CHECK: remark: @rcclx_rd proved in 6 calls
rcclx.collective @rd implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %x = rcclx.load %in
  %z = rcclx.identity
  %a0 = rcclx.reduce %z, %x
  %p1 = arith.xori %rank, %c1 : index
  %m1 = rcclx.round %a0
  rcclx.send %m1 to %p1 tag %c0
  %y1 = rcclx.recv like %in from %p1 tag %c0
  %lo1 = arith.cmpi slt, %rank, %p1 : index
  %a1 = scf.if %lo1 -> (!rcclx.acc) {
    %i = rcclx.identity
    %j = rcclx.reduce %i, %m1
    %k = rcclx.reduce %j, %y1
    scf.yield %k : !rcclx.acc
  } else {
    %i = rcclx.identity
    %j = rcclx.reduce %i, %y1
    %k = rcclx.reduce %j, %m1
    scf.yield %k : !rcclx.acc
  }
  %p2 = arith.xori %rank, %c2 : index
  %m2 = rcclx.round %a1
  rcclx.send %m2 to %p2 tag %c1
  %y2 = rcclx.recv like %in from %p2 tag %c1
  %lo2 = arith.cmpi slt, %rank, %p2 : index
  %a2 = scf.if %lo2 -> (!rcclx.acc) {
    %i = rcclx.identity
    %j = rcclx.reduce %i, %m2
    %k = rcclx.reduce %j, %y2
    scf.yield %k : !rcclx.acc
  } else {
    %i = rcclx.identity
    %j = rcclx.reduce %i, %y2
    %k = rcclx.reduce %j, %m2
    scf.yield %k : !rcclx.acc
  }
  %r = rcclx.finish %a2
  rcclx.store %r, %out
}
