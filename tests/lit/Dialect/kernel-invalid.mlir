// RUN: rcclx-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected a grid of 1 to 512 blocks, found 513}}
rcclx_kernel.func @grid <world = 2, element = f32, reduction = sum> <grid = 513, groups = 1, threads = 1, tile = 64, depth = 4, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
}

// -----

// expected-error @below {{expected a grid that 3 block groups divide, found 4}}
rcclx_kernel.func @groups <world = 2, element = f32, reduction = sum> <grid = 4, groups = 3, threads = 1, tile = 64, depth = 4, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
}

// -----

// expected-error @below {{'rcclx_kernel.return' op expects parent op 'rcclx_kernel.func'}}
rcclx_kernel.return

// -----

rcclx_kernel.func @types <world = 2, element = f32, reduction = sum> <grid = 1, groups = 1, threads = 1, tile = 64, depth = 4, tags = 2, rows = 1> {
^bb0(%c: !rcclx_kernel.context, %rank: index):
  // expected-note @below {{prior use here}}
  %zero = rcclx_kernel.identity
  // expected-error @below {{expects different type than prior uses: '!rcclx_kernel.group' vs '!rcclx_kernel.acc'}}
  %sum = rcclx_kernel.reduce %zero, %zero
}
