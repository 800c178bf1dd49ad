// How many messages of a pair may be under way.
// RUN: not rcclx-opt %s -rcclx-verify="world=4 slots=1" 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not rcclx-opt %s -rcclx-verify="world=4 slots=3" 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: rcclx-opt %s -rcclx-verify="world=4 slots=4 report" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ENOUGH
// RUN: rcclx-opt %s -rcclx-verify="world=4 slots=1000 report" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ENOUGH

// The error names the least number that is safe, not the next one.
// ONE: [[#@LINE+15]]:5: error: {{.*}} at rank 0 of 4: deadlock: {{.*}} 1 slot per pair of ranks is too few, 4 are enough
// THREE: [[#@LINE+14]]:5: error: {{.*}} at rank 0 of 4: deadlock: {{.*}} 3 slots per pair of ranks are too few, 4 are enough
// ENOUGH: proved for 4 ranks: {{.*}} least safe slots 4, 4 tags

// Passes the blocks round the ring, all of them at once.
rcclx.collective @eager implements all_to_all (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %x = rcclx.buffer input block(%rank)
  %y = rcclx.load %x
  scf.for %i = %c0 to %world step %c1 {
    // The blocks themselves are read below.
    rcclx.send %y to %next tag %i
  }
  scf.for %i = %c0 to %world step %c1 {
    %z = rcclx.recv like %x from %prev tag %i
    %mine = rcclx.buffer input block(%rank)
    %w = rcclx.load %mine at %i
    %theirs = rcclx.buffer output block(%i)
    rcclx.store %w, %theirs
  }
}
