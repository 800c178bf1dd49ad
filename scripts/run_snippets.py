#!/usr/bin/env python3
"""Runs the snippets of the documentation, so that it stays true.

A fenced block takes part if words follow its language:

    ```sh run             bash runs it and ends with status 0
    ```sh run status=2    ... with status 2
    ```text output        each line occurs in what the last `sh run` printed
    ```mlir file=my.mlir  a whole schedule: saved under this name and proved

Snippets of a file share one folder, in order. There, build/ is the build tree,
and the repository's own folders lie beside it."""

import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["benchmarks", "codegen", "dialect", "docs", "examples", "passes", "runtime", "scripts", "tests"]
WORLDS = [1, 2, 3, 8]


@dataclasses.dataclass
class Snippet:
    language: str
    words: dict
    line: int
    text: str


def parse_snippets(markdown):
    """The snippets that take part, in order."""
    snippets = []
    fence = re.compile(r"^( *)```(\w+) (\S[^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
    for match in fence.finditer(markdown):
        indent, language, words, text = match.groups()
        text = re.sub(rf"^{indent}", "", text, flags=re.MULTILINE)
        pairs = (word.partition("=") for word in words.split())
        snippets.append(
            Snippet(
                language,
                {key: value for key, _, value in pairs},
                markdown.count("\n", 0, match.start()) + 1,
                text,
            )
        )
    return snippets


def missing_lines(expected, output):
    """Lines of `expected` that do not occur in `output`, blanks aside."""
    squeeze = lambda text: re.sub(r"[ \t]+", " ", text).strip()
    output = squeeze(output)
    return [line for line in map(squeeze, expected.splitlines()) if line not in output]


class Runner:
    def __init__(self, folder, environment):
        self.folder = folder
        self.environment = environment
        self.output = ""

    def execute(self, command):
        result = subprocess.run(
            command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
        )
        self.output = result.stdout
        return result.returncode

    def run(self, snippet):
        """What is wrong with the snippet; empty when nothing is."""
        kind = (snippet.language, next(iter(snippet.words)))
        if kind == ("sh", "run"):
            wanted = int(snippet.words.get("status", "0"))
            status = self.execute(["bash", "-euo", "pipefail", "-c", snippet.text])
            if status != wanted:
                return f"exit status {status}, expected {wanted}\n{self.output}"
        elif kind == ("text", "output"):
            if missing := missing_lines(snippet.text, self.output):
                return "not printed:\n" + "\n".join(missing) + "\nbut:\n" + self.output
        elif kind == ("mlir", "file"):
            (self.folder / snippet.words["file"]).write_text(snippet.text)
            worlds = ",".join(map(str, WORLDS))
            command = ["build/bin/rcclx", "verify", snippet.words["file"], "--ranks", worlds]
            if self.execute(command) != 0 and "unproved" not in snippet.words:
                return "is not proved:\n" + self.output
        else:
            return f"unknown words: {snippet.language} {snippet.words}"
        return ""


def run_file(path, build):
    failures = 0
    with tempfile.TemporaryDirectory(prefix="rcclx-docs-") as temporary:
        folder = pathlib.Path(temporary)
        (folder / "build").symlink_to(build)
        for name in FOLDERS:
            if (ROOT / name).exists():
                (folder / name).symlink_to(ROOT / name)
        environment = dict(os.environ, RCCLX_CACHE_DIR=str(folder / "cache"))
        runner = Runner(folder, environment)
        snippets = parse_snippets(path.read_text())
        for snippet in snippets:
            if wrong := runner.run(snippet):
                failures += 1
                print(f"{path}:{snippet.line}: {wrong}")
    print(f"{path.relative_to(ROOT)}: {len(snippets)} snippets, {failures} wrong")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="all by default")
    arguments = parser.parse_args()
    files = arguments.files or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    failures = sum(run_file(path.resolve(), arguments.build.resolve()) for path in files)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
