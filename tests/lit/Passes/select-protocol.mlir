// DEFINE: %{element} = f32
// DEFINE: %{schedule} = all_reduce_one_shot
// DEFINE: %{options} =
// DEFINE: %{select} = rcclx-opt %schedules/%{schedule}.mlir \
// DEFINE:   -rcclx-specialize="world=4 element=%{element}" -canonicalize -rcclx-form-stages \
// DEFINE:   -rcclx-select-protocol="%{options}" | FileCheck %s

// What is wanted and legal is taken.
// REDEFINE: %{options} = protocol=ll
// RUN: %{select} --check-prefix=LL --implicit-check-not="by sentinel" --implicit-check-not="by flag"
// REDEFINE: %{options} = protocol=sentinel
// RUN: %{select} --check-prefix=SENTINEL --implicit-check-not="by ll" --implicit-check-not="by flag"
// REDEFINE: %{options} = protocol=flag
// RUN: %{select} --check-prefix=FLAG --implicit-check-not="by ll" --implicit-check-not="by sentinel"
// LL: rcclx.send {{.*}} by ll
// LL: rcclx.recv {{.*}} by ll
// SENTINEL: rcclx.send {{.*}} by sentinel
// SENTINEL: rcclx.recv {{.*}} by sentinel
// FLAG: rcclx.send {{.*}} by flag
// FLAG: rcclx.recv {{.*}} by flag

// Integers have no value to spare: sentinel becomes flag.
// REDEFINE: %{options} = protocol=sentinel
// REDEFINE: %{element} = i32
// RUN: %{select} --check-prefix=FLAG --implicit-check-not="by ll" --implicit-check-not="by sentinel"
// REDEFINE: %{element} = bf16
// RUN: %{select} --check-prefix=SENTINEL --implicit-check-not="by ll" --implicit-check-not="by flag"

// REDEFINE: %{element} = u64
// RUN: %{select} --check-prefix=FLAG --implicit-check-not="by ll" --implicit-check-not="by sentinel"
// REDEFINE: %{element} = i8
// RUN: %{select} --check-prefix=FLAG --implicit-check-not="by ll" --implicit-check-not="by sentinel"
// Floats of any width have a NaN that is never sent.
// REDEFINE: %{element} = f64
// RUN: %{select} --check-prefix=SENTINEL --implicit-check-not="by ll" --implicit-check-not="by flag"
// REDEFINE: %{element} = f8E4M3FN
// RUN: %{select} --check-prefix=SENTINEL --implicit-check-not="by ll" --implicit-check-not="by flag"
// REDEFINE: %{element} = f8E5M2
// RUN: %{select} --check-prefix=SENTINEL --implicit-check-not="by ll" --implicit-check-not="by flag"

// So do copies: what is only moved keeps its NaN payloads.
// REDEFINE: %{element} = f32
// REDEFINE: %{schedule} = all_gather_direct
// RUN: %{select} --check-prefix=FLAG --implicit-check-not="by ll" --implicit-check-not="by sentinel"
// REDEFINE: %{options} = protocol=ll
// RUN: %{select} --check-prefix=LL --implicit-check-not="by flag" --implicit-check-not="by sentinel"

// Results of round and finish are canonical, also when they are passed on: both
// halves of a two-shot and of a ring may use sentinel.
// REDEFINE: %{options} = protocol=sentinel
// REDEFINE: %{schedule} = all_reduce_two_shot
// RUN: %{select} --check-prefix=ALL4 --implicit-check-not="by ll" --implicit-check-not="by flag"
// REDEFINE: %{schedule} = all_reduce_ring
// RUN: %{select} --check-prefix=ALL8 --implicit-check-not="by ll" --implicit-check-not="by flag"
// ALL4-COUNT-4: by sentinel
// ALL8-COUNT-7: by sentinel

// By size. Host: flag, at any size.
// REDEFINE: %{schedule} = all_reduce_one_shot
// REDEFINE: %{options} = kind=host count=1
// RUN: %{select} --check-prefix=FLAG --implicit-check-not="by ll" --implicit-check-not="by sentinel"
// REDEFINE: %{options} = kind=host count=100000000
// RUN: %{select} --check-prefix=FLAG --implicit-check-not="by ll" --implicit-check-not="by sentinel"
// GPU: ll up to 4 KiB, sentinel up to 8 MiB.
// REDEFINE: %{options} = kind=gpu count=0
// RUN: %{select} --check-prefix=LL --implicit-check-not="by flag" --implicit-check-not="by sentinel"
// REDEFINE: %{options} = kind=gpu count=1024
// RUN: %{select} --check-prefix=LL --implicit-check-not="by flag" --implicit-check-not="by sentinel"
// REDEFINE: %{options} = kind=gpu count=1025
// RUN: %{select} --check-prefix=SENTINEL --implicit-check-not="by flag" --implicit-check-not="by ll"
// REDEFINE: %{options} = kind=gpu count=2097152
// RUN: %{select} --check-prefix=SENTINEL --implicit-check-not="by flag" --implicit-check-not="by ll"
// REDEFINE: %{options} = kind=gpu count=2097153
// RUN: %{select} --check-prefix=FLAG --implicit-check-not="by ll" --implicit-check-not="by sentinel"
// Half as wide, twice as many.
// REDEFINE: %{element} = f16
// REDEFINE: %{options} = kind=gpu count=2048
// RUN: %{select} --check-prefix=LL --implicit-check-not="by flag" --implicit-check-not="by sentinel"
// REDEFINE: %{options} = kind=gpu count=4194304
// RUN: %{select} --check-prefix=SENTINEL --implicit-check-not="by flag" --implicit-check-not="by ll"
// REDEFINE: %{options} = kind=gpu count=4194305
// RUN: %{select} --check-prefix=FLAG --implicit-check-not="by ll" --implicit-check-not="by sentinel"
// REDEFINE: %{element} = f8E5M2
// REDEFINE: %{options} = kind=gpu count=4096
// RUN: %{select} --check-prefix=LL --implicit-check-not="by flag" --implicit-check-not="by sentinel"
// REDEFINE: %{options} = kind=gpu count=4097
// RUN: %{select} --check-prefix=SENTINEL --implicit-check-not="by flag" --implicit-check-not="by ll"
// REDEFINE: %{element} = f64
// REDEFINE: %{options} = kind=gpu count=512
// RUN: %{select} --check-prefix=LL --implicit-check-not="by flag" --implicit-check-not="by sentinel"
// REDEFINE: %{options} = kind=gpu count=513
// RUN: %{select} --check-prefix=SENTINEL --implicit-check-not="by flag" --implicit-check-not="by ll"
// REDEFINE: %{element} = f16
// Copies skip sentinel.
// REDEFINE: %{schedule} = all_gather_direct
// REDEFINE: %{options} = kind=gpu count=2049
// RUN: %{select} --check-prefix=FLAG --implicit-check-not="by ll" --implicit-check-not="by sentinel"

// Peers' memory is read by direct; it has no edge.
// REDEFINE: %{schedule} = all_reduce_one_shot_pull
// REDEFINE: %{options} = protocol=ll
// RUN: %{select} --check-prefix=PULL --implicit-check-not="by ll"
// PULL: rcclx.load {{.*}} at
