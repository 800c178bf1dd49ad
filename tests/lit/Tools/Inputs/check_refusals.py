"""Runs `rcclx verify` on every broken schedule of a folder of lit tests.

Usage: check_refusals.py RCCLX FOLDER

A case is a part of a file, between `// -----` lines, with an expected-error
comment. What that comment says must be the command's one error, at the line
that it points to. The number of ranks is that of the file's RUN line.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXPECTED = re.compile(r"// expected-error @(below|\+\d+) \{\{(.*)\}\}")
ERROR = re.compile(r"^[^:]*:(\d+):\d+: error: (.*)$", re.MULTILINE)


def cases(path):
    """Yields (first line, text, expected line, expected message)."""
    first = 1
    for text in re.split(r"^// -----\n", path.read_text(), flags=re.MULTILINE):
        lines = text.split("\n")
        found = [(i, EXPECTED.search(line)) for i, line in enumerate(lines)]
        found = [(i, match) for i, match in found if match]
        if len(found) == 1:
            i, match = found[0]
            line = i + (1 if match[1] == "below" else int(match[1][1:]))
            # "below" is the next line that expects nothing itself.
            while match[1] == "below" and "// expected-" in lines[line]:
                line += 1
            yield first, text, line + 1, match[2]
        first += len(lines)


def main():
    rcclx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    refused = total = 0
    for path in sorted(folder.glob("*.mlir")):
        ranks = re.search(r"RUN: rcclx-opt %s -rcclx-verify=\"?world=(\d+)", path.read_text())
        if not ranks:
            continue
        for first, text, line, message in cases(path):
            total += 1
            with tempfile.TemporaryDirectory() as scratch:
                schedule = os.path.join(scratch, "schedule.mlir")
                pathlib.Path(schedule).write_text(text)
                run = subprocess.run(
                    [rcclx, "verify", schedule, "--ranks", ranks[1]],
                    capture_output=True, text=True, timeout=60, check=False)
            errors = ERROR.findall(run.stderr)
            if (run.returncode == 2 and len(errors) == 1 and not run.stdout
                    and int(errors[0][0]) == line and message in errors[0][1]):
                refused += 1
            else:
                print(f"{path.name}:{first}: expected line {line}: {message}\n"
                      f"found status {run.returncode}: {run.stdout}{run.stderr}")
    print(f"{refused} of {total} broken schedules refused")
    return refused != total


if __name__ == "__main__":
    sys.exit(main())
