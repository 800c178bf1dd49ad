#!/usr/bin/env bash
# Sets up, builds everything and runs the whole test suite.
#
# Usage: scripts/test.sh [--full] [PRESET]  (default: release; see CMakePresets.json)
#   --full   all cases of the tests that run a part of theirs by default
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1:-} == --full ]]; then
  export RCCLX_TEST_FULL=1
  shift
fi
if [[ $# -gt 1 || ${1:-} == -* ]]; then
  echo "test.sh: error: expected [--full] [PRESET], found: $*" >&2
  exit 2
fi
preset=${1:-release}
if [[ $preset == tsan ]]; then
  # Its kernels come, instrumented, from a compiler that is not.
  ./scripts/setup.sh release
  cmake --build --preset release --target AdversaryPlans
fi
./scripts/setup.sh "$preset"
cmake --build --preset "$preset"
exec ctest --preset "$preset"
