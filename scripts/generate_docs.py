#!/usr/bin/env python3
"""Writes docs/generated, or with --check says what in it is stale.

The target rcclx-docs runs it with the paths of the build."""

import argparse
import pathlib
import subprocess
import sys

import c_api_docs

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
HEADER = "runtime/include/rcclx/rcclx.h"


def from_tablegen(tblgen, include, arguments, source):
    command = [tblgen, *arguments, "-I", "dialect/include", "-I", include, source]
    return subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def from_tool(tool):
    """The table of environment variables, as the command has it."""
    return subprocess.run(
        [tool, "env", "--markdown"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tblgen", required=True, help="mlir-tblgen")
    parser.add_argument("--rcclx", required=True, help="the rcclx command")
    parser.add_argument("--include", required=True, help="MLIR's include folder")
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()

    texts = {
        name: from_tablegen(arguments.tblgen, arguments.include, options, source)
        for name, options, source in TABLES
    }
    texts["Environment.md"] = from_tool(arguments.rcclx)
    texts["CApi.md"] = c_api_docs.to_markdown((ROOT / HEADER).read_text(), HEADER)

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
