// RUN: rcclx-opt %s -split-input-file -verify-diagnostics -convert-rcclx-to-kernel

// expected-error @below {{is not mapped; expected rcclx-map-to-blocks first}}
rcclx.collective @unmapped implements barrier bind <world = 2, element = f32, reduction = sum> (%rank, %world) {
}

// -----

rcclx.collective @no_protocol implements all_reduce bind <world = 1, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %in = rcclx.buffer input
  rcclx.stage over %in {
    %x = rcclx.load %in
    // expected-error @below {{has no protocol; expected rcclx-select-protocol first}}
    rcclx.send %x to %rank
  }
}

// -----

rcclx.collective @no_stage implements all_reduce bind <world = 1, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %in = rcclx.buffer input
  // expected-error @below {{is not in a stage; expected rcclx-form-stages first}}
  %x = rcclx.load %in
  rcclx.send %x to %rank by flag
}

// -----

rcclx.collective @load_other_part implements all_reduce bind <world = 1, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %half = rcclx.part %c0 of %c2 in %out
  rcclx.stage over %out {
    %x = rcclx.load %in
    rcclx.store %x, %out
  }
  rcclx.stage over %half {
    // expected-error @below {{reads output that was stored as other parts, which is not lowered yet; expected the same parts, or the chunk that was stored}}
    %x = rcclx.load %half
    rcclx.send %x to %rank by flag
  }
}

// -----

rcclx.collective @store_at implements all_reduce bind <world = 1, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  rcclx.stage over %out {
    %x = rcclx.load %in
    // expected-error @below {{writes another rank's memory, which is not lowered yet; expected a message}}
    rcclx.store %x, %out at %rank
  }
}

// -----

rcclx.collective @pull_output implements all_reduce bind <world = 1, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %out = rcclx.buffer output
  rcclx.stage over %out {
    // expected-error @below {{reads another rank's memory in a way that is not lowered yet; expected a slice of the input that is the same for every reader}}
    %x = rcclx.load %out at %rank
    rcclx.store %x, %out
  }
}

// -----

rcclx.collective @pull_own_part implements all_reduce bind <world = 2, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %mine = rcclx.part %rank of %c2 in %in
  rcclx.stage over %mine {
    // expected-error @below {{expected a slice of the input that is the same for every reader}}
    %x = rcclx.load %mine at %rank
    rcclx.store %x, %out
  }
}

// -----

// Not the same either, though the operands of the branch and of the loop are.
rcclx.collective @pull_in_disguise implements all_reduce bind <world = 2, element = f32, reduction = sum> map <grid = 1, groups = 1, threads = 1, tile = 32, depth = 2, tags = 1, rows = 1> (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %i = scf.for %k = %c0 to %c1 step %c1 iter_args(%s = %c0) -> (index) {
    %n = arith.addi %s, %rank : index
    scf.yield %n : index
  }
  %mine = rcclx.part %i of %c2 in %in
  rcclx.stage over %mine {
    // expected-error @below {{expected a slice of the input that is the same for every reader}}
    %x = rcclx.load %mine at %rank
    rcclx.store %x, %out
  }
}
