// Messages without a partner, of another extent or under a wrong tag.
// RUN: rcclx-opt %s -rcclx-verify=world=3 -split-input-file -verify-diagnostics

// Sends to itself too, but only receives from the others.
rcclx.collective @send_without_recv implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mine = rcclx.buffer input
  %x = rcclx.load %mine
  scf.for %k = %c0 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    // expected-error @below {{at rank 0 of 3: the message with tag 0 to rank 0 is never received}}
    rcclx.send %x to %p
  }
  scf.for %k = %c1 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    %theirs = rcclx.buffer output block(%p)
    %y = rcclx.recv like %mine from %p
    rcclx.store %y, %theirs
  }
  %own = rcclx.buffer output block(%rank)
  rcclx.store %x, %own
}

// -----

// Receives from itself too, but only sends to the others.
rcclx.collective @recv_without_send implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mine = rcclx.buffer input
  %x = rcclx.load %mine
  scf.for %k = %c1 to %world step %c1 {
    %p = rcclx.shift %rank by %k
    rcclx.send %x to %p
  }
  scf.for %p = %c0 to %world step %c1 {
    %theirs = rcclx.buffer output block(%p)
    // expected-error @below {{at rank 0 of 3: the message with tag 0 from rank 0 is never sent}}
    %y = rcclx.recv like %mine from %p
    rcclx.store %y, %theirs
  }
}

// -----

// The wrong neighbour.
rcclx.collective @wrong_neighbour implements all_gather (%rank, %world) {
  %c1 = arith.constant 1 : index
  %mine = rcclx.buffer input
  %x = rcclx.load %mine
  %next = rcclx.shift %rank by %c1
  // expected-error @below {{at rank 0 of 3: the message with tag 0 to rank 1 is never received}}
  rcclx.send %x to %next
  %y = rcclx.recv like %mine from %next
}

// -----

// A last message that nobody takes.
rcclx.collective @one_send_too_many implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %mine = rcclx.buffer input
  %x = rcclx.load %mine
  %last = arith.subi %world, %c1 : index
  scf.for %s = %c0 to %world step %c1 {
    // expected-error @below {{at rank 0 of 3: the message with tag 2 to rank 1 is never received}}
    rcclx.send %x to %next tag %s
  }
  scf.for %s = %c0 to %last step %c1 {
    // expected-note @below {{rank 1 receives its last message of rank 0 here}}
    %y = rcclx.recv like %mine from %prev tag %s
  }
}

// -----

// A last message that nobody sends.
rcclx.collective @one_recv_too_many implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %mine = rcclx.buffer input
  %x = rcclx.load %mine
  %last = arith.subi %world, %c1 : index
  scf.for %s = %c0 to %last step %c1 {
    // expected-note @below {{rank 0 sends its last message to rank 1 here}}
    rcclx.send %x to %next tag %s
  }
  scf.for %s = %c0 to %world step %c1 {
    // expected-error @below {{at rank 1 of 3: the message with tag 2 from rank 0 is never sent}}
    %y = rcclx.recv like %mine from %prev tag %s
  }
}

// -----

// The receiver counts its tags from 1.
rcclx.collective @tag_too_high implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %mine = rcclx.buffer input
  %x = rcclx.load %mine
  // expected-error @below {{at rank 0 of 3: the message with tag 0 to rank 1 is never received}}
  rcclx.send %x to %next tag %c0
  // expected-note @below {{rank 1 expects tag 1 next}}
  %y = rcclx.recv like %mine from %prev tag %c1
}

// -----

// The sender counts its tags from 1.
rcclx.collective @tag_too_low implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %mine = rcclx.buffer input
  %x = rcclx.load %mine
  // expected-note @below {{rank 0 sends tag 1 next}}
  rcclx.send %x to %next tag %c1
  // expected-error @below {{at rank 1 of 3: the message with tag 0 from rank 0 is never sent}}
  %y = rcclx.recv like %mine from %prev tag %c0
}

// -----

// A loop that forgets its tag.
rcclx.collective @tag_repeated_by_sender implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %next = rcclx.shift %rank by %c1
  %mine = rcclx.buffer input
  %x = rcclx.load %mine
  scf.for %s = %c0 to %c2 step %c1 {
    // expected-error @below {{at rank 0 of 3: tag 0 to rank 1 is used twice in the call}}
    // expected-note @below {{first used here}}
    rcclx.send %x to %next
  }
}

// -----

rcclx.collective @tag_repeated_by_receiver implements all_gather (%rank, %world) {
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %mine = rcclx.buffer input
  %x = rcclx.load %mine
  rcclx.send %x to %next
  rcclx.send %x to %next tag %c1
  // expected-note @below {{first used here}}
  %y = rcclx.recv like %mine from %prev
  // expected-error @below {{at rank 0 of 3: tag 0 from rank 2 is used twice in the call}}
  %z = rcclx.recv like %mine from %prev
}

// -----

// Halves are sent in falling order.
rcclx.collective @tags_fall_at_sender implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %next = rcclx.shift %rank by %c1
  %mine = rcclx.buffer input
  %x = rcclx.load %mine
  // expected-note @below {{tag 1 is used here}}
  rcclx.send %x to %next tag %c1
  // expected-error @below {{at rank 0 of 3: tag 0 to rank 1 follows tag 1; expected tags to rise}}
  rcclx.send %x to %next tag %c0
}

// -----

rcclx.collective @tags_fall_at_receiver implements all_gather (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %mine = rcclx.buffer input
  %x = rcclx.load %mine
  rcclx.send %x to %next tag %c0
  rcclx.send %x to %next tag %c1
  // expected-note @below {{tag 1 is used here}}
  %y = rcclx.recv like %mine from %prev tag %c1
  // expected-error @below {{at rank 0 of 3: tag 0 from rank 2 follows tag 1; expected tags to rise}}
  %z = rcclx.recv like %mine from %prev tag %c0
}

// -----

// The sender cuts by the number of ranks, the receiver in halves.
rcclx.collective @mis_sized implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %in = rcclx.buffer input
  %third = rcclx.part %c0 of %world in %in
  %half = rcclx.part %c0 of %c2 in %in
  %x = rcclx.load %third
  // expected-note @below {{sent here}}
  rcclx.send %x to %next
  // expected-error @below {{at rank 1 of 3: expects part 0 of 2 from rank 0 with tag 0, which sends part 0 of 3}}
  %y = rcclx.recv like %half from %prev
}

// -----

// The own part is sent, the peer's is expected.
rcclx.collective @misplaced implements all_reduce (%rank, %world) {
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %in = rcclx.buffer input
  %mine = rcclx.part %rank of %world in %in
  %x = rcclx.load %mine
  // expected-note @below {{sent here}}
  rcclx.send %x to %next
  // expected-error @below {{at rank 1 of 3: expects part 1 of 3 from rank 0 with tag 0, which sends part 0 of 3}}
  %y = rcclx.recv like %mine from %prev
}

// -----

rcclx.collective @signal_for_message implements all_gather (%rank, %world) {
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %mine = rcclx.buffer input
  // expected-note @below {{sent here}}
  rcclx.signal to %next
  // expected-error @below {{at rank 1 of 3: receives a message from rank 0 with tag 0, which sends a signal}}
  %y = rcclx.recv like %mine from %prev
}

// -----

rcclx.collective @message_for_signal implements all_gather (%rank, %world) {
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %next = rcclx.shift %rank by %c1
  %prev = rcclx.shift %rank by %cm1
  %mine = rcclx.buffer input
  %x = rcclx.load %mine
  // expected-note @below {{sent here}}
  rcclx.send %x to %next
  // expected-error @below {{at rank 1 of 3: waits for a signal from rank 0 with tag 0, which sends a message}}
  rcclx.wait from %prev
}

// -----

rcclx.collective @unheard_signal implements barrier (%rank, %world) {
  %c1 = arith.constant 1 : index
  %next = rcclx.shift %rank by %c1
  // expected-error @below {{at rank 0 of 3: the signal with tag 0 to rank 1 is never received}}
  rcclx.signal to %next
}

// -----

rcclx.collective @reduces_other_part implements all_reduce (%rank, %world) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = rcclx.buffer input
  %first = rcclx.part %c0 of %world in %in
  %second = rcclx.part %c1 of %world in %in
  %x = rcclx.load %first
  %y = rcclx.load %second
  %zero = rcclx.identity
  %a = rcclx.reduce %zero, %x
  // expected-error @below {{at rank 0 of 3: adds part 1 of 3 to part 0 of 3}}
  %b = rcclx.reduce %a, %y
}

// -----

rcclx.collective @sends_nothing implements all_reduce (%rank, %world) {
  %c1 = arith.constant 1 : index
  %next = rcclx.shift %rank by %c1
  %zero = rcclx.identity
  %x = rcclx.round %zero
  // expected-error @below {{at rank 0 of 3: sends the neutral element, which has no extent}}
  rcclx.send %x to %next
}

// -----

// A barrier that rank 0 does not come to.
rcclx.collective @barrier_of_the_others implements barrier (%rank, %world) {
  %c0 = arith.constant 0 : index
  %others = arith.cmpi ne, %rank, %c0 : index
  scf.if %others {
    // expected-error @below {{at rank 1 of 3: the signal with tag 0 to rank 0 is never received}}
    rcclx.barrier
  }
}

// -----

// Two barriers of the same tag.
rcclx.collective @barrier_tag_twice implements barrier (%rank, %world) {
  // expected-note @below {{first used here}}
  rcclx.barrier
  // expected-error @below {{at rank 0 of 3: tag 0 to rank 1 is used twice in the call}}
  rcclx.barrier
}
