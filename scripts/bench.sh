#!/usr/bin/env bash
# Measures what docs/Benchmarks.md reports, on this machine, and prints it as
# Markdown: medians and every single figure. Needs a build (scripts/setup.sh).
#
# Usage: scripts/bench.sh [RUNS]         (default: 11)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --build --preset release --target rcclx-tool rcclx_compiler >&2
exec python3 benchmarks/bench.py --build build --runs "${1:-11}"
