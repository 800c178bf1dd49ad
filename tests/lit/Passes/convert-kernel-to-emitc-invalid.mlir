// RUN: rcclx-opt %s -split-input-file -verify-diagnostics -convert-kernel-to-emitc

// The conversion is full: what it does not know is named, not left behind.
rcclx_kernel.func @unknown <world = 2, element = f32, reduction = sum> <grid = 1, groups = 1, threads = 1, tile = 64, depth = 4, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  // expected-error @below {{failed to legalize operation 'rcclx.buffer'}}
  %in = rcclx.buffer input
}
