// RUN: not rcclx-opt %s -rcclx-select-protocol=protocol=fast 2>&1 | FileCheck %s --check-prefix=PROTOCOL -DNAME=fast
// RUN: not rcclx-opt %s -rcclx-select-protocol=protocol=direct 2>&1 | FileCheck %s --check-prefix=PROTOCOL -DNAME=direct
// RUN: not rcclx-opt %s -rcclx-select-protocol=kind=cpu 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: rcclx-opt %s -rcclx-select-protocol -verify-diagnostics

// PROTOCOL: error: unknown protocol '[[NAME]]'; expected ll, sentinel or flag
// KIND: error: unknown kind of device 'cpu'; expected host or gpu

// expected-error @below {{is not bound; expected rcclx-specialize first}}
rcclx.collective @unbound implements barrier (%rank, %world) {
}
