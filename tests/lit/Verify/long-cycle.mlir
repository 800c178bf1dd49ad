// Of a long cycle, not every rank gets a note.
// RUN: rcclx-opt %s -rcclx-verify=world=16 -verify-diagnostics

rcclx.collective @recv_first implements barrier (%rank, %world) {
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  // expected-error @below {{at rank 0 of 16: deadlock: waits for rank 15 to send with tag 0; no number of slots is enough}}
  // expected-note @below {{rank 15 waits for rank 14 to send with tag 0}}
  // expected-note @below {{rank 14 waits for rank 13}}
  // expected-note @below {{rank 13 waits for rank 12}}
  // expected-note @below {{rank 12 waits for rank 11}}
  // expected-note @below {{rank 11 waits for rank 10}}
  // expected-note @below {{rank 10 waits for rank 9}}
  // expected-note @below {{and so on, in a cycle of 16 ranks}}
  rcclx.wait from %prev
  rcclx.signal to %next
}
