"""Breaks a kernel in every way that its comments name: each must be refused.

Usage: check_faults.py RCCLX-OPT FILE

The kernel of FILE, as it is, must be proved. Comments before a line name its
faults, and what the error must say (a regular expression):

    // fault drop: in no order with rank 1
    // fault twice: again
    // fault later: waits for
    // fault s/%tag/%other/: of tag 1
    rcclx_kernel.wait_credit %c peer %peer tag %tag tile %t

`drop` leaves the line out, `twice` repeats it, `later` exchanges it with the next
one; `s/this/that/` changes it. The error must be the only one, and at a kernel
operation or the kernel itself.
"""

import pathlib
import re
import subprocess
import sys

FAULT = re.compile(r"^\s*// fault (drop|twice|later|s/[^/]*/[^/]*/): (.*)$")


def verify(tool, lines):
    """The first lines of the errors that rcclx-opt gives."""
    run = subprocess.run(
        [tool, "-", "-rcclx-verify-kernel", "-o", "/dev/null",
         "-mlir-print-op-on-diagnostic=false"],
        input="\n".join(lines), capture_output=True, text=True, timeout=60, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"exit status {run.returncode}\n{run.stderr}")
    errors = [line for line in run.stderr.splitlines() if " error: " in line]
    if (run.returncode != 0) != bool(errors):
        sys.exit(f"exit status {run.returncode}, but\n{run.stderr}")
    return errors


def breaks(lines):
    """Yields (what is done, lines of the broken kernel, expected error)."""
    faults = []
    for at, line in enumerate(lines):
        if match := FAULT.match(line):
            faults.append((match[1], match[2]))
            continue
        for fault, expected in faults:
            after = lines[at + 1:]
            if fault == "drop":
                fresh = []
            elif fault == "twice":
                fresh = [line, line]
            elif fault == "later":
                step = next(i for i, text in enumerate(after) if not FAULT.match(text))
                fresh = [*after[: step + 1], line]
                after = after[step + 1:]
            else:
                _, old, new, _ = fault.split("/")
                if line.count(old) != 1:
                    sys.exit(f"line {at + 1} has not one {old}: {line}")
                fresh = [line.replace(old, new)]
            yield f"{fault}: {line.strip()}", [*lines[:at], *fresh, *after], expected
        faults = []


def main():
    tool, path = sys.argv[1], pathlib.Path(sys.argv[2])
    lines = path.read_text().splitlines()
    if errors := verify(tool, lines):
        sys.exit(f"the kernel as it is: {errors[0]}")
    failed, total = 0, 0
    for what, broken, expected in breaks(lines):
        total += 1
        errors = verify(tool, broken)
        if len(errors) != 1 or not re.search(expected, errors[0]):
            failed += 1
            found = "\n    ".join(errors) if errors else "no error"
            print(f"{what}\n  expected {expected}\n  found {found}")
    print(f"{total - failed} of {total} faults refused")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
