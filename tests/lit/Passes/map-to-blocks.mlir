// DEFINE: %{schedule} = all_reduce_one_shot
// DEFINE: %{protocol} = flag
// DEFINE: %{options} =
// DEFINE: %{map} = rcclx-opt %schedules/%{schedule}.mlir -rcclx-specialize=world=4 -canonicalize \
// DEFINE:   -rcclx-form-stages -rcclx-select-protocol=protocol=%{protocol} \
// DEFINE:   -rcclx-map-to-blocks="%{options}" | FileCheck %s

// Host: one thread a rank.
// RUN: %{map} --check-prefix=HOST
// HOST: map <grid = 1, groups = 1, threads = 1, tile = 4096, depth = 2, tags = 1, rows = 1>
// REDEFINE: %{options} = kind=host count=1000000000
// RUN: %{map} --check-prefix=HOST

// GPU: as few blocks as hold the message, up to 64.
// REDEFINE: %{options} = kind=gpu count=0
// RUN: %{map} --check-prefix=SMALL
// REDEFINE: %{options} = kind=gpu count=512
// RUN: %{map} --check-prefix=SMALL
// SMALL: map <grid = 1, groups = 1, threads = 128, tile = 512, depth = 4, tags = 1, rows = 1>
// REDEFINE: %{options} = kind=gpu count=1024
// RUN: %{map} --check-prefix=TWO
// TWO: map <grid = 2, groups = 1, threads = 128, tile = 1024, depth = 4,
// REDEFINE: %{options} = kind=gpu count=1025
// RUN: %{map} --check-prefix=WIDE
// WIDE: map <grid = 2, groups = 1, threads = 256, tile = 2048, depth = 4,
// REDEFINE: %{options} = kind=gpu count=1000000000
// RUN: %{map} --check-prefix=LARGE
// LARGE: map <grid = 64, groups = 1, threads = 256, tile = 16384, depth = 4,

// `ll` takes twice the room: fewer tiles in flight, before smaller ones.
// REDEFINE: %{protocol} = ll
// RUN: %{map} --check-prefix=LL
// LL: map <grid = 64, groups = 1, threads = 256, tile = 16384, depth = 2,

// Every tag has slots of its own: 1 MiB / (6 tags * 16 bytes) = 10922 groups.
// REDEFINE: %{protocol} = flag
// REDEFINE: %{schedule} = all_reduce_ring
// REDEFINE: %{options} = kind=gpu count=1000000000
// RUN: %{map} --check-prefix=TAGS
// TAGS: map <grid = 64, groups = 1, threads = 256, tile = 10922, depth = 1, tags = 6,
// REDEFINE: %{options} =
// RUN: %{map} --check-prefix=HOSTTAGS
// HOSTTAGS: map <grid = 1, groups = 1, threads = 1, tile = 4096, depth = 2, tags = 6,
// A schedule without messages has one.
// REDEFINE: %{schedule} = all_reduce_one_shot_pull
// RUN: %{map} --check-prefix=HOST
// REDEFINE: %{schedule} = barrier
// RUN: %{map} --check-prefix=BARRIER
// BARRIER: map <grid = 1, groups = 1, threads = 1, tile = 4096, depth = 2, tags = 2,

// What a test asks for.
// REDEFINE: %{schedule} = all_reduce_one_shot
// REDEFINE: %{options} = max-tile=3 max-depth=2 grid=5
// RUN: %{map} --check-prefix=ASKED
// ASKED: map <grid = 5, groups = 1, threads = 1, tile = 3, depth = 2,
// REDEFINE: %{options} = max-tile=1000000
// RUN: %{map} --check-prefix=CLIPPED
// CLIPPED: map <grid = 1, groups = 1, threads = 1, tile = 65536, depth = 1,
