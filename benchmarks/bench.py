#!/usr/bin/env python3
"""Measures the rcclx command and prints a Markdown report (scripts/bench.sh)."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEDULES = ROOT / "examples" / "schedules"
TWO_SHOT = "examples/schedules/all_reduce_two_shot.mlir"


class Bench:
    def __init__(self, build, runs, scratch):
        self.rcclx = str(build / "bin" / "rcclx")
        self.runs = runs
        self.scratch = scratch

    def call(self, *arguments):
        """Wall time in ms and stdout of one rcclx command."""
        start = time.monotonic()
        result = subprocess.run(
            [self.rcclx, *map(str, arguments)], cwd=ROOT, check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        )
        return (time.monotonic() - start) * 1e3, result.stdout

    def row(self, what, figures, digits=1):
        raw = " ".join(f"{figure:.{digits}f}" for figure in figures)
        print(f"| {what} | {statistics.median(figures):.{digits}f} | {raw} |", flush=True)

    def start_up(self):
        """Process start to checked first result, of all ranks."""
        print("\n## From `.mlir` to the first result\n")
        print("The whole process: start, proof, compilation, one checked call on 8 ranks of 1,024 f32.\n")
        print(f"`rcclx run {TWO_SHOT} --ranks 8 --count 1K --iterations 0 --cache-dir DIR`\n")
        print("| | median, ms | all, ms |\n|---|---|---|")
        command = ["run", TWO_SHOT, "--ranks", 8, "--count", "1K", "--iterations", 0, "--json"]
        cold, cold_prepare, warm, warm_prepare = [], [], [], []
        for i in range(self.runs):
            cache = self.scratch / f"cold-{i}"
            for total, prepare in [(cold, cold_prepare), (warm, warm_prepare)]:
                wall, output = self.call(*command, "--cache-dir", cache)
                total.append(wall)
                prepare.append(json.loads(output)["prepare_us"] * 1e-3)
        self.row("cold cache, process", cold)
        self.row("cold cache, of it preparation", cold_prepare)
        self.row("warm cache, process", warm)
        self.row("warm cache, of it preparation", warm_prepare)

    def proofs(self):
        print("\n## Proof\n")
        print(f"`rcclx verify {TWO_SHOT} --ranks N`; the time that it prints, without start and parsing: the schedule's proof and those of its kernels.\n")
        print("| ranks | operations | median, ms | all, ms |\n|---|---|---|---|")
        for ranks in [8, 16, 32, 64, 128, 256]:
            times = []
            for _ in range(self.runs):
                _, output = self.call("verify", TWO_SHOT, "--ranks", ranks)
                operations, ms = re.search(r"(\d+) operations.* ([\d.]+) ms", output).groups()
                times.append(float(ms))
            self.row(f"{ranks} | {operations}", times)

    def latencies(self):
        print("\n## Latency on the host\n")
        print(
            "8 ranks as threads, f32, sum, out of place; each figure is the median over 50 calls of the "
            "slowest rank, in microseconds.\n\n"
            "`rcclx run SCHEDULE --ranks 8 --count N --iterations 50 --json`\n"
        )
        print("| schedule, count | median, us | all, us |\n|---|---|---|")
        for schedule in sorted(SCHEDULES.glob("*.mlir")):
            for count in ["1", "1K", "16K", "256K"]:
                times = []
                for _ in range(self.runs):
                    _, output = self.call(
                        "run", schedule.relative_to(ROOT), "--ranks", 8, "--count", count,
                        "--iterations", 50, "--json", "--cache-dir", self.scratch / "latency",
                    )
                    times.append(json.loads(output)["latency_us"])
                self.row(f"{schedule.stem}, {count}", times)
                if schedule.stem == "barrier":
                    break


def cpu_name():
    match = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return match[1] if match else platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--runs", type=int, default=11)
    arguments = parser.parse_args()
    print(f"{datetime.date.today()}, {cpu_name()}, {os.cpu_count()} cores, {arguments.runs} runs each;")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}.")
    with tempfile.TemporaryDirectory(prefix="rcclx-bench-") as scratch:
        bench = Bench(arguments.build.resolve(), arguments.runs, pathlib.Path(scratch))
        bench.start_up()
        bench.proofs()
        bench.latencies()


if __name__ == "__main__":
    main()
