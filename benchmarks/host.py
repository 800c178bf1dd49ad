#!/usr/bin/env python3
"""Runs rcclx bench against Open MPI and Gloo, once per set of Open MPI's
settings (they are settings of a whole job), and writes one JSON file for each.
Standard library only: it also runs from a bundle (scripts/bench.sh bundle)."""

import argparse
import os
import pathlib
import shlex
import subprocess
import sys

# Open MPI's own choices of the algorithm, and all others, are tried in each.
# vader: shared memory, either one copy through process_vm_readv or two copies.
# coll sm: its component of collectives in shared memory.
SETTINGS = {
    "one copy": "--mca pml ob1 --mca btl self,vader --mca btl_vader_single_copy_mechanism cma",
    "two copies": "--mca pml ob1 --mca btl self,vader --mca btl_vader_single_copy_mechanism none",
    "coll sm": "--mca pml ob1 --mca btl self,vader --mca coll_sm_priority 100",
    "ucx": "--mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any",
}
COLLECTIVES = "all_reduce,all_gather,reduce_scatter,all_to_all"


def launcher(settings, ranks):
    """mpirun with `settings`. Ranks that wait give their processor away where
    there are not more processors than ranks: others need it."""
    words = ["mpirun", "--oversubscribe", "--bind-to none", settings]
    if os.geteuid() == 0:
        words.insert(1, "--allow-run-as-root")
    waits = int(ranks >= len(os.sched_getaffinity(0)))
    words.append(f"--mca mpi_yield_when_idle {waits}")
    return " ".join(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rcclx", default="build/bin/rcclx")
    parser.add_argument("--schedules", default="examples/schedules")
    parser.add_argument("--plans", help="folder of compiled plans")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the JSON files")
    parser.add_argument("--settings", default=",".join(SETTINGS), help="some of: %(default)s")
    parser.add_argument("--collective", default=COLLECTIVES)
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--sizes", default="4K..64M*4")
    parser.add_argument("--pin", default="none")
    parser.add_argument("more", nargs="*", help="further options of rcclx bench, after --")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in arguments.settings.split(","):
        if name not in SETTINGS:
            sys.exit(f"host.py: error: no settings \"{name}\"; known are {', '.join(SETTINGS)}")
        for ranks in map(int, arguments.ranks.split(",")):
            file = arguments.out / f"{name.replace(' ', '-')}-{ranks}.json"
            command = [
                arguments.rcclx, "bench", arguments.schedules,
                "--collective", arguments.collective, "--ranks", str(ranks),
                "--sizes", arguments.sizes, "--pin", arguments.pin,
                "--peers", "openmpi,gloo", "--launcher", launcher(SETTINGS[name], ranks),
                "--json", str(file), *arguments.more,
            ]
            if arguments.plans:
                command += ["--plans", arguments.plans]
            print(f"\n# {name}\n{shlex.join(command)}", flush=True)
            failed |= subprocess.run(command).returncode != 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
