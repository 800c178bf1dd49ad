// One case per diagnostic of the dialect.
// RUN: rcclx-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{unknown contract 'all_reduction'; expected one of: all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, gather, scatter, permute, barrier}}
rcclx.collective @unknown_contract implements all_reduction (%rank, %world) {
}

// -----

rcclx.collective @unknown_buffer implements all_reduce (%rank, %world) {
  // expected-error @below {{unknown buffer 'window'; expected one of: input, output, scratch}}
  %x = rcclx.buffer window
}

// -----

// expected-error @below {{expected the arguments (%rank, %world), found 1}}
rcclx.collective @one_argument implements barrier (%rank) {
}

// -----

// expected-error @below {{expected two index arguments, rank and world}}
"rcclx.collective"() <{sym_name = "no_world", contract = #rcclx<contract barrier>}> ({
^bb0(%rank: index):
  "rcclx.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{expected two index arguments, rank and world}}
"rcclx.collective"() <{sym_name = "narrow_world", contract = #rcclx<contract barrier>}> ({
^bb0(%rank: index, %world: i32):
  "rcclx.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{expected a world of 1 to 256 ranks, found 0}}
rcclx.collective @no_ranks implements barrier bind <world = 0, element = f32, reduction = sum> (%rank, %world) {
}

// -----

// expected-error @below {{expected a world of 1 to 256 ranks, found 257}}
rcclx.collective @too_many_ranks implements barrier bind <world = 257, element = f32, reduction = sum> (%rank, %world) {
}

// -----

// expected-error @below {{expected element type f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i8, u8, i32, u32, i64 or u64, found 'i16'}}
rcclx.collective @other_element implements barrier bind <world = 2, element = i16, reduction = sum> (%rank, %world) {
}

// -----

// Signed integers are those without a sign in their name.
// expected-error @below {{or u64, found 'si32'}}
rcclx.collective @other_spelling implements barrier bind <world = 2, element = si32, reduction = sum> (%rank, %world) {
}

// -----

// The 8-bit floats are those of OCP, not of gfx942.
// expected-error @below {{or u64, found 'f8E4M3FNUZ'}}
rcclx.collective @other_format implements barrier bind <world = 2, element = f8E4M3FNUZ, reduction = sum> (%rank, %world) {
}

// -----

// expected-error @below {{expected a grid of 1 to 512 blocks, found 513}}
rcclx.collective @large_grid implements barrier map <grid = 513, groups = 1, threads = 1, tile = 1, depth = 1, tags = 1, rows = 1> (%rank, %world) {
}

// -----

// expected-error @below {{expected a grid that 2 block groups divide, found 3}}
rcclx.collective @uneven_groups implements barrier map <grid = 3, groups = 2, threads = 1, tile = 1, depth = 1, tags = 1, rows = 1> (%rank, %world) {
}

// -----

// expected-error @below {{expected a grid that 0 block groups divide, found 1}}
rcclx.collective @no_groups implements barrier map <grid = 1, groups = 0, threads = 1, tile = 1, depth = 1, tags = 1, rows = 1> (%rank, %world) {
}

// -----

// expected-error @below {{expected 1 to 1024 threads a block, found 0}}
rcclx.collective @no_threads implements barrier map <grid = 1, groups = 1, threads = 0, tile = 1, depth = 1, tags = 1, rows = 1> (%rank, %world) {
}

// -----

// expected-error @below {{expected tile, depth, tags and rows of at least 1}}
rcclx.collective @no_depth implements barrier map <grid = 1, groups = 1, threads = 1, tile = 1, depth = 0, tags = 1, rows = 1> (%rank, %world) {
}

// -----

rcclx.collective @no_parts implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %in = rcclx.buffer input
  // expected-error @below {{expected at least 1 part, found 0}}
  %part = rcclx.part %rank of %c0 in %in
}

// -----

rcclx.collective @empty_part implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %in = rcclx.buffer input
  // expected-error @below {{expected a length of at least 1 part, found 0}}
  %part = rcclx.part %rank for %c0 of %c4 in %in
}

// -----

rcclx.collective @part_beyond implements all_reduce (%rank, %world) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %in = rcclx.buffer input
  // expected-error @below {{expected parts within 0 to 4, found 3 to 5}}
  %part = rcclx.part %c3 for %c2 of %c4 in %in
}

// -----

rcclx.collective @part_negative implements all_reduce (%rank, %world) {
  %cm1 = arith.constant -1 : index
  %c4 = arith.constant 4 : index
  %in = rcclx.buffer input
  // expected-error @below {{expected parts within 0 to 4, found -1 to 0}}
  %part = rcclx.part %cm1 of %c4 in %in
}

// -----

rcclx.collective @other_operation implements barrier (%rank, %world) {
  // expected-error @below {{is not allowed in a schedule; expected rcclx, arith, scf.for or scf.if operations}}
  scf.execute_region {
    scf.yield
  }
}

// -----

rcclx.collective @carried_slice implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  // expected-error @below {{carries a slice; expected slices to be made by rcclx.buffer and rcclx.part where they are used}}
  %last = scf.for %i = %c0 to %world step %c1 iter_args(%slice = %in) -> (!rcclx.slice) {
    scf.yield %slice : !rcclx.slice
  }
}

// -----

rcclx.collective @given_slice implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %isFirst = arith.cmpi eq, %rank, %c0 : index
  // expected-error @below {{gives a slice; expected slices to be made by rcclx.buffer and rcclx.part where they are used}}
  %slice = scf.if %isFirst -> (!rcclx.slice) {
    %in = rcclx.buffer input
    scf.yield %in : !rcclx.slice
  } else {
    %out = rcclx.buffer output
    scf.yield %out : !rcclx.slice
  }
}

// -----

rcclx.collective @barrier_with_buffer implements barrier (%rank, %world) {
  // expected-error @below {{a barrier has no buffers}}
  %in = rcclx.buffer input
}

// -----

rcclx.collective @no_block implements all_gather (%rank, %world) {
  // expected-error @below {{the output of all_gather has one block per rank; expected block(...)}}
  %out = rcclx.buffer output
}

// -----

rcclx.collective @needless_block implements all_reduce (%rank, %world) {
  // expected-error @below {{the input of all_reduce has one block only; expected no block(...)}}
  %in = rcclx.buffer input block(%rank)
}

// -----

rcclx.collective @input_written implements all_reduce (%rank, %world) {
  // expected-note @below {{the slice comes from here}}
  %in = rcclx.buffer input
  %part = rcclx.part %rank of %world in %in
  %x = rcclx.load %part
  // expected-error @below {{writes the input; expected a slice of the output or of scratch}}
  rcclx.store %x, %part
}

// -----

rcclx.collective @reduces implements all_gather (%rank, %world) {
  // expected-error @below {{reduces, but all_gather only moves data}}
  %zero = rcclx.identity
}

// -----

rcclx.collective @part_of_itself implements all_reduce (%rank, %world) {
  %in = rcclx.buffer input
  // expected-error @below {{does not dominate this use}}
  // expected-note @below {{operand defined here}}
  %part = rcclx.part %rank of %world in %part
  %x = rcclx.load %part
}

// -----

rcclx.collective @part_overflows implements all_reduce (%rank, %world) {
  %most = arith.constant 9223372036854775807 : index
  %c4 = arith.constant 4 : index
  %in = rcclx.buffer input
  // expected-error @below {{expected parts within 0 to 4, found 9223372036854775807 to 9223372036854775807}}
  %part = rcclx.part %most of %c4 in %in
}

// -----

rcclx.collective @selected_slice implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %in = rcclx.buffer input
  %out = rcclx.buffer output
  %first = arith.cmpi eq, %rank, %c0 : index
  // expected-error @below {{gives a slice; expected slices to be made by rcclx.buffer and rcclx.part where they are used}}
  %slice = arith.select %first, %in, %out : !rcclx.slice
}

// -----

rcclx.collective @outer implements all_reduce (%rank, %world) {
  // expected-error @below {{symbol's parent must have the SymbolTable trait}}
  rcclx.collective @inner implements all_reduce (%r, %w) {
  }
}

// -----

rcclx.collective @scratch_without_block implements all_reduce (%rank, %world) {
  // expected-error @below {{the scratch of all_reduce has one block per rank; expected block(...)}}
  %own = rcclx.buffer scratch
}

// -----

// expected-error @below {{expected a root within 0 to 2, found 3}}
rcclx.collective @root_beyond_the_world implements broadcast bind <world = 3, element = f32, reduction = sum, root = 3> (%rank, %world) {
}

// -----

// expected-error @below {{expected a permutation of 3 ranks, found 2 entries}}
rcclx.collective @short_permutation implements permute bind <world = 3, element = f32, reduction = sum, permutation = [1, 0]> (%rank, %world) {
}

// -----

// expected-error @below {{expected a permutation of 0 to 2, found 1 twice}}
rcclx.collective @not_a_permutation implements permute bind <world = 3, element = f32, reduction = sum, permutation = [1, 2, 1]> (%rank, %world) {
}

// -----

// expected-error @below {{expected a permutation of 0 to 2, found -1}}
rcclx.collective @negative_rank implements permute bind <world = 3, element = f32, reduction = sum, permutation = [1, -1, 0]> (%rank, %world) {
}

// -----

rcclx.collective @root_of_an_all_reduce implements all_reduce (%rank, %world) {
  // expected-error @below {{'rcclx.root' op is used in all_reduce, which has no root; expected broadcast, reduce, gather or scatter}}
  %root = rcclx.root
}

// -----

rcclx.collective @root_of_a_permute implements permute (%rank, %world) {
  // expected-error @below {{'rcclx.root' op is used in permute, which has no root}}
  %root = rcclx.root
}

// -----

rcclx.collective @destination_in_a_broadcast implements broadcast (%rank, %world) {
  // expected-error @below {{'rcclx.destination_of' op is used in broadcast, which has no permutation; expected permute}}
  %to = rcclx.destination_of %rank
}

// -----

rcclx.collective @source_in_a_barrier implements barrier (%rank, %world) {
  // expected-error @below {{'rcclx.source_of' op is used in barrier, which has no permutation; expected permute}}
  %from = rcclx.source_of %rank
}

// -----

rcclx.collective @broadcast_reduces implements broadcast (%rank, %world) {
  // expected-error @below {{reduces, but broadcast only moves data}}
  %zero = rcclx.identity
}

// -----

rcclx.collective @reduce_has_one_block implements reduce (%rank, %world) {
  // expected-error @below {{the output of reduce has one block only; expected no block(...)}}
  %out = rcclx.buffer output block(%rank)
}

// -----

rcclx.collective @gather_has_blocks implements gather (%rank, %world) {
  // expected-error @below {{the output of gather has one block per rank; expected block(...)}}
  %out = rcclx.buffer output
}

// -----

rcclx.collective @scatter_has_blocks implements scatter (%rank, %world) {
  // expected-error @below {{the input of scatter has one block per rank; expected block(...)}}
  %in = rcclx.buffer input
}
