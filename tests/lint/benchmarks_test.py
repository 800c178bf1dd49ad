"""Tests of the logic of benchmarks/host*.py and bundle.py."""

import json
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
sys.dont_write_bytecode = True

import bundle
import host
import host_report


def point(collective, ranks, size, **medians):
    """What rcclx bench writes of one point; keys are libraries."""
    return {
        "collective": collective, "ranks": ranks, "bytes": size, "count": size // 4, "rounds": 9,
        "results": [
            {"library": library, "variant": f"{library}_way", "memory": "malloc", "bus_gbs": 1.5,
             "us": {"median": us, "p10": us - 1, "p90": us + 1, "min": us - 2}}
            for library, us in medians.items()
        ],
    }


def bench(ranks, points):
    memory = dict.fromkeys(["copy", "triad", "shared_copy", "process_vm_readv"], 1.0)
    return {
        "machine": {"date": "d", "processor": "p", "processors": 2, "caches": {"L1": "1K"},
                    "kernel": "k", "load": "0.50 0 0"},
        "launcher": f"mpirun {ranks}",
        "jobs": [{"ranks": ranks, "pinning": "none", "process_vm_readv": "permitted", "memory_gbs": memory,
                  "libraries": {"rcclx": "R", "openmpi": "O", "gloo": "G", "copy": "C"}, "points": points}],
    }


class HostReport(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def write(self, name, *points):
        (self.path / name).write_text(json.dumps(bench(points[0]["ranks"], points)))

    def read(self):
        return host_report.read(sorted(self.path.glob("*.json")))

    def test_a_row_is_of_the_run_in_which_open_mpi_was_fastest(self):
        self.write("one-copy-2.json", point("all_reduce", 2, 4096, rcclx=10, openmpi=30, gloo=50))
        self.write("ucx-2.json", point("all_reduce", 2, 4096, rcclx=16, openmpi=20, gloo=90))
        rows, _, _ = self.read()
        row = rows[("all_reduce", 2, 4096)]
        self.assertEqual(row.settings, "ucx")
        self.assertEqual(row.us("rcclx"), 16)
        self.assertEqual(row.times(), 1.25)

    def test_the_best_peer_is_not_the_copy(self):
        self.write("ucx-2.json", point("all_reduce", 2, 4096, rcclx=10, openmpi=30, gloo=5, copy=1))
        rows, _, _ = self.read()
        self.assertEqual(rows[("all_reduce", 2, 4096)].times(), 0.5)

    def test_the_summary_counts_what_was_asked_for(self):
        self.write(
            "ucx-2.json",
            point("all_reduce", 2, 4096, rcclx=10, openmpi=11, gloo=50),
            point("all_reduce", 2, 8192, rcclx=10, openmpi=9, gloo=50),
            point("all_reduce", 2, 1 << 20, rcclx=10, openmpi=14, gloo=50, copy=5),
            point("all_reduce", 2, 1 << 21, rcclx=10, openmpi=50, gloo=15, copy=2),
        )
        rows, jobs, machines = self.read()
        text = host_report.markdown(rows, jobs, machines)
        self.assertIn("Faster than both at 3 of 4 points", text)
        self.assertIn("at 1 of the 2 of 1 MiB and more", text)
        self.assertIn("all_reduce of 8K by 2 ranks, 0.90 times", text)
        self.assertIn("| 2 | 1M | 10.0 (9.0..11.0) | rcclx_way | 14.0 (13.0..15.0) | ucx, openmpi_way |", text)
        self.assertIn("take 2.0 to 5.0 (median 5.0) times", text)
        self.assertIn("`mpirun 2`", text)

    def test_the_plot_has_every_point(self):
        sizes = [4096 << i for i in range(5)]
        self.write("ucx-2.json", *(point("all_reduce", 2, size, rcclx=1, openmpi=2, gloo=3) for size in sizes))
        self.write("ucx-4.json", *(point("all_to_all", 4, size, rcclx=900, openmpi=2, gloo=3) for size in sizes))
        rows, _, _ = self.read()
        tree = ElementTree.fromstring(host_report.plot(rows))
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(tree.findall(f".//{space}circle")), 10)
        lines = tree.findall(f".//{space}polyline")
        self.assertEqual([len(line.get("points").split()) for line in lines], [5, 5])
        heights = [float(line.get("points").split()[0].split(",")[1]) for line in lines]
        self.assertGreater(heights[0], heights[1])  # faster is lower; what is far off stays inside
        for height in heights:
            self.assertTrue(0 < height < host_report.HEIGHT)

    def test_only_the_part_between_the_marks_changes(self):
        document = self.path / "d.md"
        document.write_text("a\n<!-- host: begin -->\nold\n<!-- host: end -->\nz\n")
        host_report.insert(document, "new")
        self.assertEqual(document.read_text(), "a\n<!-- host: begin -->\nnew\n<!-- host: end -->\nz\n")
        document.write_text("no marks")
        with self.assertRaises(SystemExit):
            host_report.insert(document, "new")


class Host(unittest.TestCase):
    def test_waiting_ranks_yield_where_processors_are_few(self):
        self.assertIn("--mca mpi_yield_when_idle 1", host.launcher("", 10_000))
        self.assertIn("-x y", host.launcher("-x y", 2))


class Bundle(unittest.TestCase):
    def test_sizes_are_those_of_rcclx_bench(self):
        self.assertEqual(bundle.sizes_of("4K"), [4096])
        self.assertEqual(bundle.sizes_of("4K..16K"), [4096, 8192, 16384])
        self.assertEqual(bundle.sizes_of("1..100*4"), [1, 4, 16, 64])
        self.assertEqual(bundle.sizes_of("1M..1G*32"), [1 << 20, 1 << 25, 1 << 30])

    def test_the_c_library_stays_behind(self):
        for name in ["libc.so.6", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2"]:
            self.assertTrue(bundle.LEFT_OUT.match(name), name)
        for name in ["libmpi.so.40", "libcrypto.so.3", "libstdc++.so.6", "libnl-3.so.200", "libmca_common_sm.so.40"]:
            self.assertFalse(bundle.LEFT_OUT.match(name), name)


if __name__ == "__main__":
    unittest.main()
