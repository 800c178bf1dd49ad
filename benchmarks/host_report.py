#!/usr/bin/env python3
"""Makes Markdown tables and a plot of the JSON files that benchmarks/host.py
writes. A row is taken from the run, of several with other settings of Open MPI,
in which Open MPI was fastest: all of its figures are of that one run."""

import argparse
import json
import math
import os
import pathlib
import sys
from xml.sax.saxutils import escape

COLLECTIVES = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all"]
LARGE = 1 << 20  # bytes from which on 1.5 times as fast is asked for


def size_text(size):
    for unit, name in [(1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")]:
        if size >= unit and size % unit == 0:
            return f"{size // unit}{name}"
    return str(size)


class Row:
    """One collective, number of ranks and size, of the run that counts."""

    def __init__(self, settings, point):
        self.settings = settings
        self.key = (point["collective"], point["ranks"], point["bytes"])
        self.bytes = point["bytes"]
        self.results = {result["library"]: result for result in point["results"]}

    def us(self, library):
        result = self.results.get(library)
        return result["us"]["median"] if result else math.inf

    def best_peer(self):
        return min(self.us(library) for library in self.results if library not in ("rcclx", "copy"))

    def times(self):
        """How many times as fast as the best peer."""
        return self.best_peer() / self.us("rcclx")


def read(paths):
    """The rows, the jobs' heads and the machines of all files."""
    rows, jobs, machines = {}, [], []
    for path in paths:
        data = json.loads(path.read_text())
        machines.append(data["machine"])
        settings = path.stem.rsplit("-", 1)[0].replace("-", " ")
        for job in data["jobs"]:
            jobs.append((settings, data["launcher"], job))
            for point in job["points"]:
                row = Row(settings, point)
                old = rows.get(row.key)
                if old is None or row.us("openmpi") < old.us("openmpi"):
                    rows[row.key] = row
    return rows, jobs, machines


def cell(row, library):
    result = row.results.get(library)
    if not result:
        return "-"
    us = result["us"]
    return f"{us['median']:.1f} ({us['p10']:.1f}..{us['p90']:.1f})"


def table(collective, rows):
    lines = [
        f"### {collective}", "",
        "| ranks | bytes | rcclx, us | schedule | Open MPI, us | settings, algorithm "
        "| Gloo, us | algorithm | memcpy, us | bus GB/s | times the best |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        def variant(library):
            result = row.results.get(library)
            return result["variant"] if result else "-"
        schedule = variant("rcclx").removeprefix(collective + "_")
        lines.append(
            f"| {row.key[1]} | {size_text(row.bytes)} | {cell(row, 'rcclx')} | {schedule} "
            f"| {cell(row, 'openmpi')} | {row.settings}, {variant('openmpi')} "
            f"| {cell(row, 'gloo')} | {variant('gloo')} | {row.us('copy'):.1f} "
            f"| {row.results['rcclx']['bus_gbs']:.2f} | {row.times():.2f} |"
        )
    return lines + [""]


def summary(rows):
    """What was asked for, and how many points keep it."""
    large = [row for row in rows if row.bytes >= LARGE]
    fast = sum(row.times() > 1 for row in rows)
    enough = sum(row.times() >= 1.5 for row in large)
    lines = [f"Faster than both at {fast} of {len(rows)} points; at least 1.5 times as fast at "
             f"{enough} of the {len(large)} of 1 MiB and more."]
    for ranks in sorted({row.key[1] for row in large}):
        ratios = sorted(row.us("rcclx") / row.us("copy") for row in large if row.key[1] == ranks)
        lines.append(f"Of {ranks} ranks, calls of 1 MiB and more take {ratios[0]:.1f} to {ratios[-1]:.1f} "
                     f"(median {ratios[len(ratios) // 2]:.1f}) times as long as one memcpy of their bytes "
                     f"in every rank.")
    slow = [row for row in rows if row.times() < (1.5 if row.bytes >= LARGE else 1)]
    if slow:
        worst = min(slow, key=Row.times)
        lines.append(f"The worst: {worst.key[0]} of {size_text(worst.bytes)} by {worst.key[1]} ranks, "
                     f"{worst.times():.2f} times as fast as the best peer.")
    return lines + [""]


def markdown(rows, jobs, machines):
    machine = machines[0]
    caches = ", ".join(f"{level} {text}" for level, text in machine["caches"].items())
    libraries = jobs[0][2]["libraries"]
    lines = [
        f"{machine['date']}, {machine['processor']}, {machine['processors']} processors; {caches}; "
        f"{machine['kernel']}; load before: {machine['load'].split()[0]}. "
        f"Pinning: {jobs[0][2]['pinning']}. process_vm_readv: {jobs[0][2]['process_vm_readv']}. "
        f"{', '.join(libraries[name] for name in libraries if name != 'copy')}.", "",
    ]
    lines += summary(list(rows.values()))
    lines += ["Memory of all ranks together, GB/s (read and written; best of the jobs):", "",
              "| ranks | copy | triad | copy from shared memory | process_vm_readv |", "|---|---|---|---|---|"]
    for ranks in sorted({job["ranks"] for _, _, job in jobs}):
        def best(what):
            return max(job["memory_gbs"][what] for _, _, job in jobs if job["ranks"] == ranks)
        lines.append(f"| {ranks} | {best('copy'):.1f} | {best('triad'):.1f} | {best('shared_copy'):.1f} "
                     f"| {best('process_vm_readv'):.1f} |")
    lines += ["", "Settings of Open MPI; each job measures all of its algorithms, rcclx and Gloo:", ""]
    for settings, launcher in dict.fromkeys((settings, launcher) for settings, launcher, _ in jobs):
        lines.append(f"- {settings}: `{launcher}`")
    lines.append("")
    for collective in COLLECTIVES:
        chosen = [rows[key] for key in sorted(rows) if key[0] == collective]
        if chosen:
            lines += table(collective, chosen)
    return "\n".join(lines)


# A panel per collective: time relative to the best peer, over the size.
WIDTH, HEIGHT, MARGIN = 250, 210, 34
LOW, HIGH = -4, 2  # powers of two of the relative time
COLOURS = ["#1b6ca8", "#d1495b", "#3a7d44", "#8d6a9f", "#c98b1b"]


def plot(rows):
    sizes = sorted({row.bytes for row in rows.values()})
    worlds = sorted({key[1] for key in rows})
    first, last = math.log2(sizes[0]), math.log2(sizes[-1])

    def x(size):
        return MARGIN + (WIDTH - MARGIN - 8) * (math.log2(size) - first) / max(last - first, 1)

    def y(ratio):
        power = min(max(math.log2(ratio), LOW), HIGH)
        return 22 + (HEIGHT - 22 - MARGIN) * (HIGH - power) / (HIGH - LOW)

    def line(x1, y1, x2, y2, colour, more=""):
        return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {more}/>'

    def text(px, py, words, more=""):
        return f'<text x="{px:.1f}" y="{py:.1f}" {more}>{escape(words)}</text>'

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{4 * WIDTH}" height="{HEIGHT + 24}" '
           'font-family="sans-serif" font-size="10">',
           f'<rect width="{4 * WIDTH}" height="{HEIGHT + 24}" fill="white"/>']
    for index, collective in enumerate(COLLECTIVES):
        out.append(f'<g transform="translate({index * WIDTH},0)">')
        out.append(text(WIDTH / 2, 14, collective, 'text-anchor="middle" font-weight="bold"'))
        for power in range(LOW, HIGH + 1):
            height = y(2.0**power)
            out.append(line(x(sizes[0]), height, x(sizes[-1]), height, "#444" if power == 0 else "#ddd"))
            label = f"{2**power}" if power >= 0 else f"1/{2**-power}"
            out.append(text(MARGIN - 4, height + 3, label, 'text-anchor="end"'))
        if sizes[-1] >= LARGE:
            begin = x(max(LARGE, sizes[0]))
            out.append(line(begin, y(1 / 1.5), x(sizes[-1]), y(1 / 1.5), "#444", 'stroke-dasharray="3 3"'))
        for size in sizes[:: max(1, (len(sizes) + 4) // 5)]:
            out.append(text(x(size), HEIGHT - MARGIN + 14, size_text(size), 'text-anchor="middle"'))
        for number, ranks in enumerate(worlds):
            colour = COLOURS[number % len(COLOURS)]
            points = [(x(size), y(1 / rows[key].times())) for size in sizes
                      if (key := (collective, ranks, size)) in rows]
            if points:
                path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
                out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
            out += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="2.2" fill="{colour}"/>' for px, py in points]
        out.append("</g>")
    out.append(text(MARGIN, HEIGHT + 6, "Time of rcclx relative to the faster one of Open MPI and Gloo, over the "
                    "bytes of a rank; below 1 rcclx is faster; dashed: 1.5 times as fast."))
    for number, ranks in enumerate(worlds):
        left = MARGIN + number * 90
        out.append(line(left, HEIGHT + 16, left + 18, HEIGHT + 16, COLOURS[number % len(COLOURS)], 'stroke-width="2"'))
        out.append(text(left + 23, HEIGHT + 19, f"{ranks} ranks"))
    return "\n".join(out + ["</svg>", ""])


def insert(path, text):
    """Replaces what is between the marks in a document."""
    begin, end = "<!-- host: begin -->", "<!-- host: end -->"
    old = path.read_text()
    if old.count(begin) != 1 or old.count(end) != 1:
        sys.exit(f"host_report.py: error: {path} does not have \"{begin}\" and \"{end}\" once each")
    head, rest = old.split(begin)
    path.write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end)[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="of the JSON files")
    parser.add_argument("--plot", type=pathlib.Path, help="an SVG file to write")
    parser.add_argument("--into", type=pathlib.Path, help="a document with marks; else stdout")
    arguments = parser.parse_args()
    paths = sorted(arguments.folder.glob("*.json"))
    if not paths:
        sys.exit(f"host_report.py: error: no JSON file in {arguments.folder}")
    rows, jobs, machines = read(paths)
    if not rows:
        sys.exit("host_report.py: error: nothing was measured")
    if arguments.plot:
        arguments.plot.parent.mkdir(parents=True, exist_ok=True)
        arguments.plot.write_text(plot(rows))
    text = markdown(rows, jobs, machines)
    if arguments.plot and arguments.into:
        picture = os.path.relpath(arguments.plot, arguments.into.parent)
        text = f"![Time of rcclx relative to the best peer]({picture})\n\n{text}"
    if arguments.into:
        insert(arguments.into, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
