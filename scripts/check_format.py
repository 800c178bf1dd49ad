#!/usr/bin/env python3
"""Runs clang-format over the C and C++ files of the project; arguments: the
program, and -i to change the files instead of reporting them."""

import subprocess
import sys

FOLDERS = ["benchmarks", "codegen", "cmake", "dialect", "passes", "runtime", "tests", "tools"]


def main():
    program, mode = sys.argv[1], sys.argv[2:] or ["--dry-run", "-Werror"]
    root = subprocess.run(
        ["git", "rev-parse", "--show-toplevel"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()
    patterns = [f"{folder}/*.{suffix}" for folder in FOLDERS for suffix in ("h", "cpp", "c")]
    listed = subprocess.run(
        ["git", "ls-files", "--deduplicate", "-co", "--exclude-standard", "--", *patterns],
        cwd=root, stdout=subprocess.PIPE, text=True, check=True,
    ).stdout.split()
    files = [name for name in listed if "/Inputs/" not in name]
    sys.exit(subprocess.run([program, *mode, *files], cwd=root).returncode)


if __name__ == "__main__":
    main()
