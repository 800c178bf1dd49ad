// RUN: rcclx-opt %s -split-input-file -convert-kernel-to-emitc | FileCheck %s --implicit-check-not=unrealized_conversion_cast --implicit-check-not=rcclx_kernel. --implicit-check-not=arith. --implicit-check-not=scf.

// The frame: parameters by the header's macro, a context on the stack.
// CHECK-LABEL: emitc.func @frame(
// CHECK-SAME: %[[P:.*]]: !emitc.opaque<"RX_PARAMS">, %[[B:.*]]: !emitc.opaque<"rcclx_u32">)
// CHECK-SAME: specifiers = ["extern \22C\22", "RX_KERNEL(256)"]
// CHECK: [[BEGUN:%.*]] = call_opaque "rx::begin"(%[[P]], %[[B]])
// CHECK-NEXT: [[STATE:%.*]] = "emitc.variable"
// CHECK-NEXT: assign [[BEGUN]] : {{.*}} to [[STATE]]
// CHECK-NEXT: [[C:%.*]] = address_of [[STATE]]
// CHECK-NEXT: call_opaque "rx::ownRank"([[C]]) {{.*}} -> !emitc.size_t
// CHECK-NEXT: call_opaque "rx::open"([[C]]) {template_args = [#emitc.opaque<"256">]}
// CHECK-NEXT: call_opaque "rx::tiles"([[C]]) {template_args = [#emitc.opaque<"rx::BF16">, #emitc.opaque<"64">, #emitc.opaque<"3">, #emitc.opaque<"8">]} {{.*}} -> !emitc.size_t
// CHECK-NEXT: call_opaque "rx::inGroup"([[C]]) {template_args = [#emitc.opaque<"2">, #emitc.opaque<"1">]} {{.*}} -> i1
// CHECK-NEXT: call_opaque "rx::alive"([[C]]) {{.*}} -> i1
// CHECK-NEXT: call_opaque "rx::close"([[C]]) {template_args = [#emitc.opaque<"256">]}
// CHECK-NEXT: return
rcclx_kernel.func @frame <world = 8, element = bf16, reduction = avg> <grid = 4, groups = 2, threads = 256, tile = 64, depth = 5, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  rcclx_kernel.open %c
  %tiles = rcclx_kernel.tiles %c longest 3 of 8
  %mine = rcclx_kernel.in_group %c, 1
  %alive = rcclx_kernel.alive %c
  rcclx_kernel.close %c
}

// -----

// Each operation is one call; what is constant in the plan is a template
// argument: types, reduction, protocol, tile, depth, tags, world.
// CHECK-LABEL: emitc.func @calls
// CHECK: [[C:%.*]] = address_of
// CHECK-NEXT: [[RANK:%.*]] = call_opaque "rx::ownRank"
// CHECK-NEXT: [[N:%.*]] = "emitc.constant"() <{value = 7 : index}> : () -> !emitc.size_t
// CHECK-NEXT: call_opaque "rx::waitWindow"([[C]], [[N]], [[RANK]]) {template_args = [#emitc.opaque<"2">, #emitc.opaque<"5">]}
// CHECK-NEXT: call_opaque "rx::postWindow"([[C]], [[N]], [[RANK]]) {template_args = [#emitc.opaque<"2">]}
// CHECK-NEXT: call_opaque "rx::waitCredit"([[C]], [[RANK]], [[N]], [[RANK]]) {template_args = [#emitc.opaque<"2">, #emitc.opaque<"5">]}
// CHECK-NEXT: call_opaque "rx::waitMessage"([[C]], [[RANK]], [[N]], [[RANK]]) {template_args = [#emitc.opaque<"2">]}
// CHECK-NEXT: call_opaque "rx::waitPull"([[C]], [[RANK]], [[N]], [[RANK]]) {template_args = [#emitc.opaque<"2">]}
// CHECK-NEXT: call_opaque "rx::acquire"([[C]])
// CHECK-NEXT: [[R:%.*]] = call_opaque "rx::range"([[C]], [[N]], [[RANK]], [[RANK]], [[N]]) {template_args = [#emitc.opaque<"rx::F16">, #emitc.opaque<"64">, #emitc.opaque<"1">]} {{.*}} -> !emitc.opaque<"rx::Range">
// CHECK-NEXT: [[FIRST:%.*]] = call_opaque "rx::first"([[C]], [[R]])
// CHECK-NEXT: [[LIMIT:%.*]] = call_opaque "rx::limit"([[R]])
// CHECK-NEXT: [[STEP:%.*]] = call_opaque "rx::stride"() {template_args = [#emitc.opaque<"256">]}
// CHECK-NEXT: [[IN:%.*]] = call_opaque "rx::input"([[C]]) : {{.*}} -> !emitc.opaque<"rx::Buffer">
// CHECK-NEXT: [[OUT:%.*]] = call_opaque "rx::output"([[C]])
// CHECK-NEXT: call_opaque "rx::inputBlock"([[C]], [[RANK]]) {template_args = [#emitc.opaque<"rx::F16">]}
// CHECK-NEXT: call_opaque "rx::outputBlock"([[C]], [[RANK]]) {template_args = [#emitc.opaque<"rx::F16">]}
// CHECK-NEXT: [[TO:%.*]] = call_opaque "rx::slotTo"([[C]], [[RANK]], [[N]], [[RANK]]) {template_args = [#emitc.opaque<"rx::LL">, #emitc.opaque<"64">, #emitc.opaque<"5">]} {{.*}} -> !emitc.ptr<!emitc.opaque<"char">>
// CHECK-NEXT: [[FROM:%.*]] = call_opaque "rx::slotFrom"([[C]], [[RANK]], [[N]], [[RANK]]) {template_args = [#emitc.opaque<"rx::Sentinel">, #emitc.opaque<"64">, #emitc.opaque<"5">]}
// CHECK-NEXT: for [[G:%.*]] = [[FIRST]] to [[LIMIT]] step [[STEP]] : !emitc.size_t {
// CHECK-NEXT: [[X:%.*]] = call_opaque "rx::load"([[IN]], [[R]], [[G]]) {template_args = [#emitc.opaque<"rx::F16">]} {{.*}} -> !emitc.opaque<"rx::Pack">
// CHECK-NEXT: call_opaque "rx::send"([[C]], [[X]], [[TO]], [[R]], [[G]]) {template_args = [#emitc.opaque<"rx::F16">, #emitc.opaque<"rx::Flag">]}
// CHECK-NEXT: [[Y:%.*]] = call_opaque "rx::recvPack"([[C]], [[FROM]], [[R]], [[G]], [[RANK]]) {template_args = [#emitc.opaque<"rx::F16">, #emitc.opaque<"rx::Direct">]}
// CHECK-NEXT: [[ZERO:%.*]] = call_opaque "rx::identityPack"() {template_args = [#emitc.opaque<"rx::F16">, #emitc.opaque<"rx::Max">]} {{.*}} -> !emitc.opaque<"rx::PackAcc<rx::F16>">
// CHECK-NEXT: [[A:%.*]] = call_opaque "rx::reduce"([[ZERO]], [[Y]]) {template_args = [#emitc.opaque<"rx::F16">, #emitc.opaque<"rx::Max">]}
// CHECK-NEXT: call_opaque "rx::round"([[A]]) {template_args = [#emitc.opaque<"rx::F16">]}
// CHECK-NEXT: [[Z:%.*]] = call_opaque "rx::finish"([[A]]) {template_args = [#emitc.opaque<"rx::F16">, #emitc.opaque<"rx::Max">, #emitc.opaque<"8">]}
// CHECK-NEXT: call_opaque "rx::store"([[Z]], [[OUT]], [[R]], [[G]]) {template_args = [#emitc.opaque<"rx::F16">]}
// CHECK-NEXT: }
// CHECK-NEXT: call_opaque "rx::release"([[C]])
// CHECK-NEXT: call_opaque "rx::postMessage"([[C]], [[RANK]], [[N]], [[RANK]]) {template_args = [#emitc.opaque<"2">]}
// CHECK-NEXT: call_opaque "rx::postCredit"([[C]], [[RANK]], [[N]], [[RANK]], [[N]]) {template_args = [#emitc.opaque<"2">, #emitc.opaque<"5">]}
// CHECK-NEXT: call_opaque "rx::postPull"([[C]], [[RANK]], [[N]], [[RANK]]) {template_args = [#emitc.opaque<"2">]}
// CHECK-NEXT: call_opaque "rx::drainWindow"([[C]], [[N]], [[RANK]]) {template_args = [#emitc.opaque<"2">]}
// CHECK-NEXT: return
rcclx_kernel.func @calls <world = 8, element = f16, reduction = max> <grid = 4, groups = 1, threads = 256, tile = 64, depth = 5, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %n = arith.constant 7 : index
  rcclx_kernel.wait_window %c tag %n tile %rank
  rcclx_kernel.post_window %c tag %n tile %rank
  rcclx_kernel.wait_credit %c peer %rank tag %n tile %rank
  rcclx_kernel.wait_message %c peer %rank tag %n tile %rank
  rcclx_kernel.wait_pull %c peer %rank tag %n tile %rank
  rcclx_kernel.acquire %c
  %r = rcclx_kernel.range %c tile %n slice %rank for %rank of %n
  %first = rcclx_kernel.first %c, %r
  %limit = rcclx_kernel.limit %r
  %step = rcclx_kernel.stride
  %in = rcclx_kernel.buffer %c input
  %out = rcclx_kernel.buffer %c output
  %inBlock = rcclx_kernel.buffer %c input block(%rank)
  %outBlock = rcclx_kernel.buffer %c output block(%rank)
  %to = rcclx_kernel.slot_to %c peer %rank tag %n tile %rank by ll
  %from = rcclx_kernel.slot_from %c peer %rank tag %n tile %rank by sentinel
  scf.for %g = %first to %limit step %step {
    %x = rcclx_kernel.load %in, %r[%g]
    rcclx_kernel.send %c, %x, %to, %r[%g] by flag
    %y = rcclx_kernel.recv %c, %from, %r[%g] from %rank by direct
    %zero = rcclx_kernel.identity
    %a = rcclx_kernel.reduce %zero, %y
    %rounded = rcclx_kernel.round %a
    %z = rcclx_kernel.finish %a
    rcclx_kernel.store %z, %out, %r[%g]
  }
  rcclx_kernel.release %c
  rcclx_kernel.post_message %c peer %rank tag %n tile %rank
  rcclx_kernel.post_credit %c peer %rank tag %n tile %rank of %n
  rcclx_kernel.post_pull %c peer %rank tag %n tile %rank
  rcclx_kernel.drain_window %c tag %n tiles %rank
}

// -----

// Every type and reduction has the header's name.
// CHECK-LABEL: emitc.func @f32_sum
// CHECK: "rx::identityPack"() {template_args = [#emitc.opaque<"rx::F32">, #emitc.opaque<"rx::Sum">]} : () -> !emitc.opaque<"rx::PackAcc<rx::F32>">
rcclx_kernel.func @f32_sum <world = 8, element = f32, reduction = sum> <grid = 1, groups = 1, threads = 1, tile = 64, depth = 5, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %zero = rcclx_kernel.identity
}
// CHECK-LABEL: emitc.func @i32_avg
// CHECK: "rx::identityPack"() {template_args = [#emitc.opaque<"rx::I32">, #emitc.opaque<"rx::Avg">]} : () -> !emitc.opaque<"rx::PackAcc<rx::I32>">
rcclx_kernel.func @i32_avg <world = 8, element = i32, reduction = avg> <grid = 1, groups = 1, threads = 1, tile = 64, depth = 5, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %zero = rcclx_kernel.identity
}

// -----

// Index arithmetic: what EmitC has not, the header has. Signed comparisons read
// size_t as signed.
// CHECK-LABEL: emitc.func @index
// CHECK: [[RANK:%.*]] = call_opaque "rx::ownRank"
// CHECK: [[N:%.*]] = "emitc.constant"() <{value = -5 : index}> : () -> !emitc.size_t
// CHECK: [[A:%.*]] = call_opaque "rx::divideUnsigned"([[RANK]], [[N]])
// CHECK: [[B:%.*]] = call_opaque "rx::remainderUnsigned"([[A]], [[N]])
// CHECK: [[D:%.*]] = call_opaque "rx::divide"([[B]], [[N]])
// CHECK: [[E:%.*]] = call_opaque "rx::remainder"([[D]], [[N]])
// CHECK: [[F:%.*]] = call_opaque "rx::ceilDivide"([[E]], [[N]])
// CHECK: [[G:%.*]] = call_opaque "rx::floorDivide"([[F]], [[N]])
// CHECK: [[H:%.*]] = call_opaque "rx::ceilDivideUnsigned"([[G]], [[N]])
// CHECK: [[I:%.*]] = call_opaque "rx::minimum"([[H]], [[N]])
// CHECK: [[J:%.*]] = call_opaque "rx::maximum"([[I]], [[N]])
// CHECK: [[K:%.*]] = call_opaque "rx::minimumUnsigned"([[J]], [[N]])
// CHECK: [[L:%.*]] = call_opaque "rx::maximumUnsigned"([[K]], [[N]])
// CHECK: [[M:%.*]] = call_opaque "rx::shift"([[L]], [[N]]) {template_args = [#emitc.opaque<"8">]} : (!emitc.size_t, !emitc.size_t) -> !emitc.size_t
// CHECK: [[O:%.*]] = mul [[M]], [[N]]
// CHECK: [[S:%.*]] = cast [[O]] : !emitc.size_t to !emitc.ptrdiff_t
// CHECK: [[LESS:%.*]] = cmp lt, [[S]], %{{.*}} : (!emitc.ptrdiff_t, !emitc.ptrdiff_t) -> i1
// CHECK: [[BELOW:%.*]] = cmp lt, [[O]], [[N]] : (!emitc.size_t, !emitc.size_t) -> i1
// CHECK: conditional [[LESS]], [[O]], [[N]] : !emitc.size_t
// CHECK: bitwise_and [[LESS]], [[BELOW]] : (i1, i1) -> i1
// CHECK: [[X:%.*]] = bitwise_xor [[O]], [[N]] : (!emitc.size_t, !emitc.size_t) -> !emitc.size_t
// CHECK: [[Y:%.*]] = bitwise_and [[X]], [[N]]
// CHECK: bitwise_or [[Y]], [[N]]
rcclx_kernel.func @index <world = 8, element = f16, reduction = avg> <grid = 4, groups = 2, threads = 256, tile = 64, depth = 4, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %n = arith.constant -5 : index
  %a = arith.divui %rank, %n : index
  %b = arith.remui %a, %n : index
  %d = arith.divsi %b, %n : index
  %e = arith.remsi %d, %n : index
  %f = arith.ceildivsi %e, %n : index
  %g = arith.floordivsi %f, %n : index
  %h = arith.ceildivui %g, %n : index
  %i = arith.minsi %h, %n : index
  %j = arith.maxsi %i, %n : index
  %k = arith.minui %j, %n : index
  %l = arith.maxui %k, %n : index
  %m = rcclx.shift %l by %n
  %o = arith.muli %m, %n : index
  %less = arith.cmpi slt, %o, %n : index
  %below = arith.cmpi ult, %o, %n : index
  %t = arith.select %less, %o, %n : index
  %both = arith.andi %less, %below : i1
  %x = arith.xori %o, %n : index
  %y = arith.andi %x, %n : index
  %z = arith.ori %y, %n : index
}

// -----

// Loops carry accumulators in variables; nothing else is memory.
// CHECK-LABEL: emitc.func @carried
// CHECK: [[ZERO:%.*]] = call_opaque "rx::identityPack"
// CHECK-NEXT: [[ACC:%.*]] = "emitc.variable"() {{.*}} -> !emitc.lvalue<!emitc.opaque<"rx::PackAcc<rx::F32>">>
// CHECK-NEXT: assign [[ZERO]] : {{.*}} to [[ACC]]
// CHECK-NEXT: for
// CHECK-NEXT: [[OLD:%.*]] = load [[ACC]]
// CHECK: [[NEW:%.*]] = call_opaque "rx::reduce"([[OLD]],
// CHECK-NEXT: assign [[NEW]] : {{.*}} to [[ACC]]
// CHECK-NEXT: }
// CHECK-NEXT: [[SUM:%.*]] = load [[ACC]]
// CHECK-NEXT: call_opaque "rx::finish"([[SUM]])
// CHECK: if
// CHECK: } else {
rcclx_kernel.func @carried <world = 2, element = f32, reduction = sum> <grid = 1, groups = 1, threads = 1, tile = 64, depth = 4, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx_kernel.buffer %c input
  %r = rcclx_kernel.range %c tile %c0 slice %c0 for %c1 of %c1
  %zero = rcclx_kernel.identity
  %sum = scf.for %i = %c0 to %rank step %c1 iter_args(%acc = %zero) -> (!rcclx_kernel.acc) {
    %x = rcclx_kernel.load %in, %r[%i]
    %next = rcclx_kernel.reduce %acc, %x
    scf.yield %next : !rcclx_kernel.acc
  }
  %result = rcclx_kernel.finish %sum
  %alive = rcclx_kernel.alive %c
  scf.if %alive {
    rcclx_kernel.release %c
  } else {
    rcclx_kernel.acquire %c
  }
}

// -----

// An element loop that moves groups as they are is one call, which may copy all
// of them at once.
// CHECK-LABEL: emitc.func @moves
// CHECK: [[C:%.*]] = address_of
// CHECK: [[R:%.*]] = call_opaque "rx::range"
// CHECK: [[IN:%.*]] = call_opaque "rx::input"
// CHECK: [[OUT:%.*]] = call_opaque "rx::output"
// CHECK: [[TO:%.*]] = call_opaque "rx::slotTo"
// CHECK: [[FROM:%.*]] = call_opaque "rx::slotFrom"
// CHECK: call_opaque "rx::put"([[C]], [[R]], [[IN]], [[TO]]) {template_args = [#emitc.opaque<"rx::F32">, #emitc.opaque<"rx::Flag">, #emitc.opaque<"64">]}
// CHECK: call_opaque "rx::take"([[C]], [[R]], [[FROM]], {{%.*}}, [[OUT]]) {template_args = [#emitc.opaque<"rx::F32">, #emitc.opaque<"rx::Direct">, #emitc.opaque<"64">]}
// CHECK: call_opaque "rx::copy"([[C]], [[R]], [[IN]], [[OUT]]) {template_args = [#emitc.opaque<"rx::F32">, #emitc.opaque<"64">]}
// Each group of `ll` says that it is there.
// CHECK: for
// CHECK: "rx::load"
// CHECK: "rx::send"
// Other granules than the loop's, two results, another range: not moved as they are.
// CHECK: for
// CHECK: "rx::load"
// CHECK: "rx::store"
// CHECK: for
// CHECK: "rx::load"
// CHECK: "rx::store"
// CHECK: "rx::store"
// CHECK: for
// CHECK: "rx::load"
// CHECK: "rx::store"
// CHECK-NOT: "rx::copy"
rcclx_kernel.func @moves <world = 2, element = f32, reduction = sum> <grid = 1, groups = 1, threads = 64, tile = 64, depth = 4, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = rcclx_kernel.range %c tile %c0 slice %c0 for %c1 of %c1
  %other = rcclx_kernel.range %c tile %c1 slice %c0 for %c1 of %c1
  %first = rcclx_kernel.first %c, %r
  %limit = rcclx_kernel.limit %r
  %step = rcclx_kernel.stride
  %in = rcclx_kernel.buffer %c input
  %out = rcclx_kernel.buffer %c output
  %to = rcclx_kernel.slot_to %c peer %c1 tag %c0 tile %c0 by flag
  %from = rcclx_kernel.slot_from %c peer %c1 tag %c0 tile %c0 by direct
  %ll = rcclx_kernel.slot_to %c peer %c1 tag %c0 tile %c0 by ll
  scf.for %g = %first to %limit step %step {
    %x = rcclx_kernel.load %in, %r[%g]
    rcclx_kernel.send %c, %x, %to, %r[%g] by flag
  }
  scf.for %g = %first to %limit step %step {
    %x = rcclx_kernel.recv %c, %from, %r[%g] from %c1 by direct
    rcclx_kernel.store %x, %out, %r[%g]
  }
  scf.for %g = %first to %limit step %step {
    %x = rcclx_kernel.load %in, %r[%g]
    rcclx_kernel.store %x, %out, %r[%g]
  }
  scf.for %g = %first to %limit step %step {
    %x = rcclx_kernel.load %in, %r[%g]
    rcclx_kernel.send %c, %x, %ll, %r[%g] by ll
  }
  scf.for %g = %first to %limit step %step {
    %x = rcclx_kernel.load %in, %r[%g]
    rcclx_kernel.store %x, %out, %r[%c0]
  }
  scf.for %g = %first to %limit step %step {
    %x = rcclx_kernel.load %in, %r[%g]
    rcclx_kernel.store %x, %out, %r[%g]
    rcclx_kernel.store %x, %out, %r[%g]
  }
  scf.for %g = %first to %limit step %step {
    %x = rcclx_kernel.load %in, %r[%g]
    rcclx_kernel.store %x, %out, %other[%g]
  }
}
