// Ranks that wait for each other.
// RUN: rcclx-opt %s -rcclx-verify=world=3 -split-input-file -verify-diagnostics

// Everyone receives before it sends.
rcclx.collective @recv_first implements all_gather (%rank, %world) {
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %mine = rcclx.buffer input
  // expected-error @below {{at rank 0 of 3: deadlock: waits for rank 2 to send with tag 0; no number of slots is enough}}
  // expected-note @below {{rank 2 waits for rank 1 to send with tag 0}}
  // expected-note @below {{rank 1 waits for rank 0 to send with tag 0}}
  %y = rcclx.recv like %mine from %prev
  %x = rcclx.load %mine
  rcclx.send %x to %next
}

// -----

// As before, but rank 0 is an exception that waits further down.
rcclx.collective @two_places implements barrier (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %isFirst = arith.cmpi eq, %rank, %c0 : index
  scf.if %isFirst {
    // expected-error @below {{at rank 0 of 3: deadlock: waits for rank 2 to send with tag 0; no number of slots is enough}}
    rcclx.wait from %prev
    rcclx.signal to %next
  } else {
    // expected-note @below {{rank 2 waits for rank 1 to send with tag 0}}
    // expected-note @below {{rank 1 waits for rank 0 to send with tag 0}}
    rcclx.wait from %prev
    rcclx.signal to %next
  }
}

// -----

rcclx.collective @waits_for_itself implements all_gather (%rank, %world) {
  %mine = rcclx.buffer input
  // expected-error @below {{at rank 0 of 3: deadlock: waits for itself to send with tag 0; no number of slots is enough}}
  %y = rcclx.recv like %mine from %rank
  rcclx.send %y to %rank
}

// -----

// Sends all parts before it takes the first: 3 slots are needed for 3 ranks.
rcclx.collective @too_many_in_flight implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %in = rcclx.buffer input
  scf.for %i = %c0 to %world step %c1 {
    %part = rcclx.part %i of %world in %in
    %x = rcclx.load %part
    // expected-error @below {{at rank 0 of 3: deadlock: waits for rank 1 to receive the message with tag 0 before it can send with tag 2; 2 slots per pair of ranks are too few, 3 are enough}}
    // expected-note @below {{rank 1 waits for rank 2 to receive the message with tag 0 before it can send with tag 2}}
    // expected-note @below {{rank 2 waits for rank 0 to receive the message with tag 0 before it can send with tag 2}}
    rcclx.send %x to %next tag %i
  }
  scf.for %i = %c0 to %world step %c1 {
    %part = rcclx.part %i of %world in %in
    %y = rcclx.recv like %part from %prev tag %i
  }
}
