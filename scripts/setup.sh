#!/usr/bin/env bash
# Makes a Debian 12 machine ready to build rcclx: installs the packages that are
# missing (as root, or with sudo) and configures a build with a CMake preset.
# With everything in place it changes nothing and needs no network.
#
# Usage: scripts/setup.sh [PRESET]       (default: release; see CMakePresets.json)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}

# What each is for; recommended packages are not needed.
packages=(
  git cmake ninja-build ccache python3
  # The compiler of both halves. Debian's libMLIR was built with clang.
  clang-22 libclang-rt-22-dev
  # The compiler half: MLIR, and clang and lld as libraries.
  llvm-22-dev libmlir-22-dev mlir-22-tools
  libclang-22-dev libclang-cpp22-dev liblld-22-dev lld-22
  zlib1g-dev libzstd-dev
  # The runtime half and the command.
  libfmt-dev libcli11-dev nlohmann-json3-dev libxxhash-dev
  # Loaded at run time: hipRTC, for gfx90a and gfx1030.
  libamdhip64-5
  # Tests, benchmarks and checks.
  llvm-22-tools libgtest-dev libgmock-dev libbenchmark-dev
  clang-format-22 clang-tidy-22
  zsh fish
  # mpirun: a launcher that tests start.
  openmpi-bin
)

./scripts/install_packages.sh "${packages[@]}"
cmake --preset "$preset"
