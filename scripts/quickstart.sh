#!/usr/bin/env bash
# From a clean clone to a proved, compiled and checked all-reduce on 8 ranks of
# this machine's CPU. Further arguments go to `rcclx run`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

./scripts/setup.sh release
# The command, and the compiler that it loads.
cmake --build --preset release --target rcclx-tool rcclx_compiler

echo
exec build/bin/rcclx run examples/schedules/all_reduce_two_shot.mlir --ranks 8 "$@"
