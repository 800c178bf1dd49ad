// No pass merges two sends, drops a receive or moves one over the other.
// RUN: rcclx-opt %s -cse -canonicalize -sccp | FileCheck %s

// CHECK-LABEL: rcclx.collective @messages_stay
rcclx.collective @messages_stay implements all_reduce (%rank, %world) {
  %in = rcclx.buffer input
  %x = rcclx.load %in
  // CHECK-COUNT-2: rcclx.send
  rcclx.send %x to %rank
  rcclx.send %x to %rank
  // CHECK-COUNT-2: rcclx.recv
  %y = rcclx.recv like %in from %rank
  %z = rcclx.recv like %in from %rank
  // CHECK-COUNT-2: rcclx.signal
  rcclx.signal to %rank
  rcclx.signal to %rank
  // CHECK-COUNT-2: rcclx.wait
  rcclx.wait from %rank
  rcclx.wait from %rank
}

// What has no effect goes: unused slices, loads and arithmetic.
// CHECK-LABEL: rcclx.collective @pure_goes
// CHECK-NOT: rcclx.buffer
// CHECK-NOT: rcclx.load
// CHECK-NOT: rcclx.reduce
rcclx.collective @pure_goes implements all_reduce (%rank, %world) {
  %in = rcclx.buffer input
  %part = rcclx.part %rank of %world in %in
  %x = rcclx.load %part
  %zero = rcclx.identity
  %sum = rcclx.reduce %zero, %x
}

// Equal loads of the input merge.
// CHECK-LABEL: rcclx.collective @input_loads_merge
// CHECK-COUNT-1: rcclx.load
// CHECK-NOT: rcclx.load
rcclx.collective @input_loads_merge implements all_gather (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output block(%rank)
  %x = rcclx.load %in
  %y = rcclx.load %in
  rcclx.store %x, %out
  rcclx.send %y to %rank
}

// A store may change what a load of the output gives.
// CHECK-LABEL: rcclx.collective @output_loads_stay
// CHECK-COUNT-2: rcclx.load
// CHECK: rcclx.return
rcclx.collective @output_loads_stay implements all_gather (%rank, %world) {
  %out = rcclx.buffer output block(%rank)
  %x = rcclx.load %out
  %theirs = rcclx.buffer output block(%world)
  rcclx.store %x, %theirs
  %y = rcclx.load %out
  rcclx.send %y to %rank
}
