#!/usr/bin/env python3
"""Whether the adversary finds kernels that are wrong on purpose.

Usage: finds.py wrong|race|drops MAKER ADVERSARY DIRECTORY
                --make "options of AdversaryPlans" --run "options of Adversary"

wrong  The plans of --make are found wrong within --run's calls, and the line
       that the adversary prints runs into the same fault again.
race   ThreadSanitizer finds a data race in them.
drops  The same, for each acquire and each release of the kernel alone left out
       (--make has --strict), but for those that --redundant names.

Exit status: 0 when all was found, else 1.
"""

import argparse
import shlex
import subprocess
import sys

SEEDS = range(1, 6)
RACE = 66  # ThreadSanitizer's exit status


def run(command, timeout=300):
    return subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, check=False
    )


def make(args, extra=()):
    done = run([args.maker, args.directory, *shlex.split(args.make), *extra])
    return done.returncode, done.stdout + done.stderr


def attack(args, seed):
    done = run(
        [args.adversary, "--plans", args.directory, "--seed", str(seed)]
        + shlex.split(args.run)
    )
    return done.returncode, done.stdout + done.stderr


def lines_with(text, word):
    return [line for line in text.splitlines() if word in line]


def find_wrong(args):
    for seed in SEEDS:
        status, text = attack(args, seed)
        if status == 0:
            continue
        fault = lines_with(text, ", call ")
        again = lines_with(text, "again: ")
        if status != 1 or not fault or not again:
            sys.exit(f"finds.py: seed {seed}: exit status {status}\n{text}")
        replay = run([args.adversary, *shlex.split(again[0].split(" ", 1)[1])])
        if lines_with(replay.stdout, ", call ") != fault:
            sys.exit(f"finds.py: found\n{text}\nbut again\n{replay.stdout}")
        print(text)
        return True
    return False


def find_race(args):
    for seed in SEEDS:
        status, text = attack(args, seed)
        if status == RACE and "data race" in text:
            return True
        if status != 0:
            sys.exit(f"finds.py: seed {seed}: exit status {status}\n{text}")
    return False


def find_drops(args):
    redundant = args.redundant.split(",") if args.redundant else []
    wrong = []
    found = 0
    for kind in "acquire", "release":
        for index in range(1000):
            status, text = make(args, ["--drop", f"rx::{kind}(", str(index)])
            if status != 0:
                if "no line" not in text:
                    sys.exit(f"finds.py: {text}")
                break
            name = f"{kind} {index}"
            if find_race(args) == (name in redundant):
                wrong.append(name)
            found += name not in redundant
    print(f"{found} left out and found, {len(redundant)} redundant")
    if wrong:
        print("unlike what is expected:", ", ".join(wrong))
    return found > 0 and not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["wrong", "race", "drops"])
    parser.add_argument("maker")
    parser.add_argument("adversary")
    parser.add_argument("directory")
    parser.add_argument("--make", default="")
    parser.add_argument("--run", default="")
    parser.add_argument("--redundant", default="")
    args = parser.parse_args()
    if args.what == "drops":
        return 0 if find_drops(args) else 1
    status, text = make(args)
    if status != 0:
        sys.exit(text)
    found = find_wrong(args) if args.what == "wrong" else find_race(args)
    if not found:
        print(f"not found by {len(SEEDS)} seeds")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
