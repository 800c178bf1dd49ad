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
)

die() {
  echo "setup.sh: error: $*" >&2
  exit 1
}

missing_packages() {
  local installed
  # Fails where a package is unknown, and lists the others all the same.
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" \
    2>/dev/null || true)
  local package
  for package in "${packages[@]}"; do
    grep -qxF "installed $package" <<<"$installed" || echo "$package"
  done
}

install_packages() {
  local -a as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "not root, and no sudo; as root: apt-get install --no-install-recommends $*"
    as_root=(sudo)
    # Without a terminal nobody can type a password.
    [[ -t 1 ]] || as_root+=(-n)
  fi
  echo "setup.sh: installing: $*"
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q
    -o Acquire::Retries=3)
  { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "$@"; } \
    </dev/null ||
    die "apt-get failed; LLVM 22 is in Debian 12's security archive (bookworm-security main)"
}

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
  die "this is not Debian; install the counterparts of: ${packages[*]}"
mapfile -t missing < <(missing_packages)
if ((${#missing[@]} != 0)); then
  install_packages "${missing[@]}"
fi

cmake --preset "$preset"
