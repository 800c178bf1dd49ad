#!/usr/bin/env bash
# Sets up, builds everything and runs the whole test suite.
#
# Usage: scripts/test.sh [PRESET]       (default: release; see CMakePresets.json)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
./scripts/setup.sh "$preset"
cmake --build --preset "$preset"
exec ctest --preset "$preset"
