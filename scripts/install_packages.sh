#!/usr/bin/env bash
# Installs those of the given Debian packages that are missing, as root or with
# sudo. With everything in place it changes nothing and needs no network.
#
# Usage: scripts/install_packages.sh PACKAGE...
set -euo pipefail

die() {
  echo "install_packages.sh: error: $*" >&2
  exit 1
}

missing_packages() {
  local installed
  # Fails where a package is unknown, and lists the others all the same.
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  local package
  for package; do
    grep -qxF "installed $package" <<<"$installed" || echo "$package"
  done
}

install() {
  local -a as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "not root, and no sudo; as root: apt-get install --no-install-recommends $*"
    as_root=(sudo)
    # Without a terminal nobody can type a password.
    [[ -t 1 ]] || as_root+=(-n)
  fi
  echo "install_packages.sh: installing: $*" >&2
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q
    -o Acquire::Retries=3)
  { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "$@"; } \
    </dev/null >&2 ||
    die "apt-get failed; LLVM 22 is in Debian 12's security archive (bookworm-security main)"
}

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
  die "this is not Debian; install the counterparts of: $*"
mapfile -t missing < <(missing_packages "$@")
if ((${#missing[@]} != 0)); then
  install "${missing[@]}"
fi
