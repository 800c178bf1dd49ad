#!/usr/bin/env python3
"""Writes docs/generated, or with --check says what in it is stale.

The target rcclx-docs runs it with the paths of the build."""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Output, arguments of mlir-tblgen.
TABLES = [
    (
        "RcclxDialect.md",
        ["-gen-dialect-doc", "-dialect=rcclx"],
        "dialect/include/rcclx/Dialect/Rcclx/RcclxOps.td",
    ),
    (
        "KernelDialect.md",
        ["-gen-dialect-doc", "-dialect=rcclx_kernel"],
        "dialect/include/rcclx/Dialect/Kernel/KernelOps.td",
    ),
    ("Passes.md", ["-gen-pass-doc"], "passes/include/rcclx/Passes/Passes.td"),
    ("CodegenPasses.md", ["-gen-pass-doc"], "codegen/include/rcclx/CodeGen/Passes.td"),
]
OPTIONS = "runtime/include/rcclx/Runtime/Options.def"


def from_tablegen(tblgen, include, arguments, source):
    command = [tblgen, *arguments, "-I", "dialect/include", "-I", include, source]
    return subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def parse_options(text):
    """The rows (variable, type, default, documentation) of Options.def."""
    string = r'"(?:[^"\\]|\\.)*"'
    row = re.compile(
        rf"^RCCLX_OPTION\(({string}), \w+, ([\w:]+), (.+?),\s*((?:{string}\s*)+)\)",
        re.MULTILINE,
    )
    rows = []
    for match in row.finditer(text):
        variable, kind, default, doc = match.groups()
        doc = "".join(part[1:-1] for part in re.findall(string, doc))
        rows.append((variable[1:-1], kind, default, doc))
    return rows


def format_default(kind, default):
    if default == '""':
        return ""
    if match := re.fullmatch(rf"{kind}(?:\{{(\w+)\}}|::(\w+))", default):
        return f"`{(match[1] or match[2]).lower()}`"
    return f"`{default}`"


def format_options(rows):
    lines = [
        f"<!-- Generated from {OPTIONS}; don't edit -->",
        "",
        "# Environment variables",
        "",
        "Read once, when the library is first used. `rcclx --help` prints the same table.",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
    ]
    for variable, kind, default, doc in rows:
        lines.append(f"| `{variable}` | {format_default(kind, default)} | {doc} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tblgen", required=True, help="mlir-tblgen")
    parser.add_argument("--include", required=True, help="MLIR's include folder")
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()

    texts = {
        name: from_tablegen(arguments.tblgen, arguments.include, options, source)
        for name, options, source in TABLES
    }
    rows = parse_options((ROOT / OPTIONS).read_text())
    if len(rows) != len(re.findall(r"^RCCLX_OPTION\(", (ROOT / OPTIONS).read_text(), re.M)):
        sys.exit(f"{OPTIONS}: a row cannot be read")
    texts["Environment.md"] = format_options(rows)

    folder = ROOT / "docs" / "generated"
    folder.mkdir(exist_ok=True)
    stale = []
    for name, text in texts.items():
        text = text.rstrip("\n") + "\n"
        path = folder / name
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if not arguments.check:
            path.write_text(text)
    if arguments.check and stale:
        sys.exit(
            "stale in docs/generated: " + ", ".join(stale) + "\n"
            "build the target rcclx-docs and commit what it writes"
        )


if __name__ == "__main__":
    main()
