#!/usr/bin/env python3
"""Checks which part of rcclx includes and links what (CONTRIBUTING.md, Layers).

Arguments are binaries of the runtime half: none may need LLVM at run time."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

LLVM = r"(llvm|mlir|clang|lld)(-c)?/"
COMPILER = r"rcclx/(Dialect|Analysis|Passes|CodeGen)/"
RUNTIME = r"rcclx/(Runtime/|rcclx\.h)"

# Folder, what its files do not include.
FORBIDDEN = [
    ("runtime/", [LLVM, COMPILER]),
    ("tools/rcclx/", [LLVM, COMPILER]),
    ("tools/rcclx-opt/", [RUNTIME]),
    ("tools/rcclx-translate/", [RUNTIME]),
    ("tools/rcclx-lsp-server/", [RUNTIME]),
    ("dialect/", [r"rcclx/(Analysis|Passes|CodeGen)/", RUNTIME]),
    ("passes/", [r"rcclx/CodeGen/", RUNTIME]),
    ("codegen/lib/", [RUNTIME]),
    ("codegen/include/", [RUNTIME]),
    # The generated text is freestanding: only the header's own parts.
    ("codegen/device/rcclx_", [r"(?!rcclx_\w+\.h$)"]),
]

# The runtime's folders, and whose private headers each may include.
RUNTIME_LAYERS = {
    "base": [],
    "rtc": ["base"],
    "plan": ["base", "rtc"],
    "device": ["base", "plan"],
    "bootstrap": ["base", "plan"],
    "exec": ["base", "plan", "device", "bootstrap"],
    "capi": ["base", "plan", "device", "bootstrap", "exec"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)


def find_violations(path, text):
    """Messages about the file `path` (relative to the root) of content `text`."""
    found = []
    for match in INCLUDE.finditer(text):
        header = match[1]
        where = f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}"
        for folder, patterns in FORBIDDEN:
            if path.startswith(folder) and any(re.match(p, header) for p in patterns):
                found.append(f"{where}: {folder} must not include {header}")
        layer = re.match(r"runtime/lib/(\w+)/", path)
        other = re.match(r"(?:\.\./)?(\w+)/", header)
        if layer and other and other[1] in RUNTIME_LAYERS:
            allowed = [layer[1], *RUNTIME_LAYERS.get(layer[1], [])]
            if other[1] not in allowed:
                found.append(f"{where}: runtime/lib/{layer[1]} must not include {header}")
    return found


def main():
    found = []
    for folder in ["codegen", "dialect", "passes", "runtime", "tools"]:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".h", ".cpp", ".def"}:
                name = str(path.relative_to(ROOT))
                found += find_violations(name, path.read_text())
    for binary in sys.argv[1:]:
        needed = subprocess.run(
            ["ldd", binary], check=True, stdout=subprocess.PIPE, text=True
        ).stdout
        for library in re.findall(r"lib(?:LLVM|MLIR|clang|lld)\S*", needed):
            found.append(f"{binary}: needs {library}")
    if found:
        sys.exit("\n".join(sorted(set(found))))


if __name__ == "__main__":
    main()
