#!/usr/bin/env python3
"""Checks that one file only reads the environment: every variable is in the
table runtime/include/rcclx/Runtime/Options.def, and is read once."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALLOWED = {
    "runtime/lib/base/Options.cpp",
    # Hands the whole environment to the processes that it starts.
    "tools/rcclx/Processes.cpp",
}
# Comments, strings and characters, whichever begins first.
IGNORED = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'', re.DOTALL
)
READS = re.compile(r"\b(secure_getenv|getenv|environ)\b")


def find_reads(text):
    """Line numbers of code that reads the environment; comments and texts do not."""
    code = IGNORED.sub(lambda m: "\n" * m[0].count("\n"), text)
    return [code.count("\n", 0, m.start()) + 1 for m in READS.finditer(code)]


def main():
    found = []
    for folder in ["codegen", "dialect", "passes", "runtime", "tools"]:
        for path in sorted((ROOT / folder).rglob("*")):
            name = str(path.relative_to(ROOT))
            if path.suffix not in {".h", ".cpp"} or name in ALLOWED:
                continue
            found += [f"{name}:{line}" for line in find_reads(path.read_text())]
    if found:
        sys.exit("reads the environment outside the table: " + ", ".join(found))


if __name__ == "__main__":
    main()
