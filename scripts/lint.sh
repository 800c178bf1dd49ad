#!/usr/bin/env bash
# Runs all checks of the sources: the lint tests of ctest, and clang-tidy over
# the C++ files of a configured build.
#
# Usage: scripts/lint.sh [--changed | FILE...]
#   --changed   clang-tidy only over files that differ from the last commit
#   FILE...     clang-tidy only over these
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build
[[ -f $build/compile_commands.json ]] || {
  echo "lint.sh: error: no build; run scripts/setup.sh and build it first" >&2
  exit 1
}

status=0
ctest --test-dir "$build" -R '^(lint-|docs-fresh)' --output-on-failure || status=1

if [[ ${1-} == --changed ]]; then
  mapfile -t files < <({ git diff --name-only HEAD
    git ls-files --others --exclude-standard; } | grep '\.cpp$' || true)
elif (($# != 0)); then
  files=("$@")
else
  mapfile -t files < <(git ls-files '*.cpp')
fi
# What a configured build compiles; the rest has no flags.
mapfile -t files < <(for file in "${files[@]}"; do
  grep -qF "\"file\": \"$PWD/$file\"" "$build/compile_commands.json" && echo "$PWD/$file"
done || true)
if ((${#files[@]} != 0)); then
  echo "clang-tidy: ${#files[@]} files"
  run-clang-tidy-22 -p "$build" -quiet -hide-progress "${files[@]/#/^}" 2>/dev/null || status=1
fi
exit $status
