#!/usr/bin/env bash
# Measures what docs/Benchmarks.md reports, on this machine. Needs a build
# (scripts/setup.sh).
#
# Usage: scripts/bench.sh [RUNS]             start-up, proofs and latencies, each RUNS
#                                            times (default: 11); prints Markdown
#        scripts/bench.sh host [OPTION...]   against Open MPI and Gloo; writes the tables
#                                            and the plot of docs/Benchmarks.md. Options
#                                            are those of benchmarks/host.py
#        scripts/bench.sh bundle DIR [OPTION...]
#                                            collects in DIR what the latter needs on a
#                                            machine without these packages: DIR/run.sh.
#                                            Options are those of benchmarks/bundle.py
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build_peers() {
  # Peers of rcclx bench: nothing else needs them.
  ./scripts/install_packages.sh openmpi-bin libopenmpi-dev libgloo-dev
  cmake --preset release >&2
  cmake --build --preset release --target \
    rcclx-tool rcclx_compiler rcclx_peer_openmpi rcclx_peer_gloo >&2
}

case ${1:-} in
host)
  shift
  build_peers
  results=build/host-bench
  rm -rf "$results"
  python3 benchmarks/host.py --out "$results" "$@"
  python3 benchmarks/host_report.py "$results" \
    --plot docs/images/host_bandwidth.svg --into docs/Benchmarks.md
  ;;
bundle)
  shift
  build_peers
  python3 benchmarks/bundle.py "$@"
  ;;
*)
  cmake --build --preset release --target rcclx-tool rcclx_compiler >&2
  exec python3 benchmarks/bench.py --build build --runs "${1:-11}"
  ;;
esac
