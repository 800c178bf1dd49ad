#!/usr/bin/env python3
"""Collects what benchmarks/host.py needs to run on another machine, which has
neither this project's packages nor a compiler: programs, libraries, plans that
are compiled here, and a script run.sh. The C library is the other machine's: it
must not be older than this one's."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import host

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYSTEM = pathlib.Path("/usr/lib/x86_64-linux-gnu")
# Of the C library, and what a machine has to have itself.
LEFT_OUT = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nss_.*))\.so")
# Open MPI's components for networks, files and other launchers.
COMPONENTS_LEFT_OUT = re.compile(r"ofi|openib|psm|usnic|romio|fs_|fcoll|fbtl|sharedfp|io_|slurm|gridengine"
                                 r"|scoll|spml|sshmem|memheap|atomic|osc_|monitoring|flux|compress|_v\.so")

RUN = """#!/bin/sh
# Runs host.py of this bundle: sh run.sh --out DIR [options of host.py].
here=$(cd "$(dirname "$0")" && pwd) || exit
level=x86-64-v3
for flag in avx512f avx512bw avx512cd avx512dq avx512vl; do
  grep -qw "$flag" /proc/cpuinfo || break
  [ "$flag" != avx512vl ] || level=x86-64-v4
done
[ -d "$here/plans/$level" ] || level=x86-64-v3
exec python3 "$here/host.py" --rcclx "$here/rcclx.sh" --schedules "$here/schedules" \\
  --plans "$here/plans/$level" "$@"
"""

RCCLX = """#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd) || exit
export LD_LIBRARY_PATH="$here/lib" PATH="$here/bin:$PATH"
export OPAL_PREFIX="$here/usr" UCX_MODULE_DIR="$here/lib/ucx"
export PMIX_MCA_pcompress_base_silence_warning=1 # needs a component, and no text is long
exec "$here/bin/rcclx" "$@"
"""


class Bundle:
    def __init__(self, folder):
        self.folder = folder
        self.done = set()

    def copy(self, source, target):
        """Copies a file, stripped, and the libraries that it needs."""
        target = self.folder / target
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        subprocess.run(["strip", "--strip-unneeded", target], check=True)
        needed = subprocess.run(["ldd", source], stdout=subprocess.PIPE, text=True).stdout
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", needed, re.M):
            if name not in self.done and not LEFT_OUT.match(name):
                self.done.add(name)
                self.copy(path, f"lib/{name}")
        if "not found" in needed:
            sys.exit(f"bundle.py: error: {source} needs what is not here:\n{needed}")

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)


def programs(bundle, build):
    bundle.copy(build / "bin" / "rcclx", "bin/rcclx")
    for peer in ["openmpi", "gloo"]:
        path = build / "lib" / f"librcclx_peer_{peer}.so"
        if not path.exists():
            sys.exit(f"bundle.py: error: {path} is not built: install libopenmpi-dev, libgloo-dev")
        bundle.copy(path, f"lib/{path.name}")
    bundle.copy(shutil.which("orterun"), "bin/mpirun")
    # Where Open MPI and UCX look. PMIx has what it needs built in.
    openmpi = SYSTEM / "openmpi/lib/openmpi3"
    for component in openmpi.glob("mca_*.so"):
        if not COMPONENTS_LEFT_OUT.search(component.name):
            bundle.copy(component, f"usr{str(openmpi).removeprefix('/usr')}/{component.name}")
    for module in (SYSTEM / "ucx").glob("libuct_cma.so.0"):
        bundle.copy(module, f"lib/ucx/{module.name}")
    shutil.copytree("/usr/share/openmpi", bundle.folder / "usr/share/openmpi")


def size_of(text):
    units = {"K": 10, "M": 20, "G": 30}
    return int(text[:-1]) << units[text[-1]] if text[-1] in units else int(text)


def sizes_of(text):
    """The sizes of one range of rcclx bench: a..b or a..b*f."""
    first, last, factor = re.fullmatch(r"(\w+)(?:\.\.(\w+)(?:\*(\d+))?)?", text).groups()
    size, sizes = size_of(first), []
    while size <= size_of(last or first):
        sizes.append(size)
        size *= int(factor or 2)
    return sizes


def plans(bundle, rcclx, arguments):
    """Compiles every schedule for all that is to be measured."""
    jobs = {}
    for schedule in sorted((ROOT / "examples/schedules").glob("*.mlir")):
        contract = re.search(r"^[^/]*\bimplements (\w+)", schedule.read_text(), re.M)[1]
        if contract not in arguments.collective.split(","):
            continue
        target = bundle.folder / "schedules" / schedule.name
        target.parent.mkdir(exist_ok=True)
        shutil.copy2(schedule, target)
        for ranks in map(int, arguments.ranks.split(",")):
            for size in sizes_of(arguments.sizes):
                count = size // 4 // (1 if contract == "all_reduce" else ranks)
                for cpu in arguments.cpu.split(","):
                    plan = bundle.folder / "plans" / cpu / f"{schedule.stem}-{ranks}-{count}"
                    plan.parent.mkdir(parents=True, exist_ok=True)
                    jobs[plan] = [rcclx, "compile", schedule, "-o", plan, "--ranks", str(ranks),
                                  "--count", str(count), "--cpu", cpu]

    def compile_one(command):
        result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            sys.exit(f"bundle.py: error: {' '.join(map(str, command))}:\n{result.stderr}")

    print(f"bundle.py: compiling {len(jobs)} plans", flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(compile_one, jobs.values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--collective", default=host.COLLECTIVES)
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--sizes", default="4K..64M*4")
    parser.add_argument("--cpu", default="x86-64-v3,x86-64-v4")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if arguments.folder.exists() and any(arguments.folder.iterdir()):
        sys.exit(f"bundle.py: error: {arguments.folder} is not empty")
    bundle = Bundle(arguments.folder)
    programs(bundle, arguments.build.resolve())
    plans(bundle, arguments.build / "bin" / "rcclx", arguments)
    for name in ["host.py", "host_report.py"]:
        shutil.copy2(ROOT / "benchmarks" / name, bundle.folder / name)
    bundle.write("run.sh", RUN)
    bundle.write("rcclx.sh", RCCLX)
    total = sum(file.stat().st_size for file in bundle.folder.rglob("*") if file.is_file())
    print(f"bundle.py: {total >> 20} MiB in {arguments.folder}; sh {arguments.folder}/run.sh --out DIR")


if __name__ == "__main__":
    main()
