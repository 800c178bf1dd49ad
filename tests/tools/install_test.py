"""Installs the build, moves it, and uses it as its users would.

Usage: install_test.py BUILD SOURCE CMAKE CC
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE, CMAKE, CC = map(pathlib.Path, sys.argv[1:5])
EXAMPLE = SOURCE / "examples" / "c"


def run(*command, **more):
    """The output of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], check=False, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}")
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="rcclx-install-")
        cls.folder = pathlib.Path(cls.scratch.name)
        run(CMAKE, "--install", BUILD, "--prefix", cls.folder / "first")
        # Nothing in it may know its place, nor the build's.
        cls.prefix = cls.folder / "moved"
        (cls.folder / "first").rename(cls.prefix)
        cls.environment = {name: value for name, value in os.environ.items()
                           if not name.startswith("RCCLX_")}
        cls.environment["RCCLX_CACHE_DIR"] = str(cls.folder / "cache")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def schedules(self):
        return self.prefix / "share" / "rcclx" / "schedules"

    def has_compiler(self):
        return (self.prefix / "lib" / "librcclx_compiler.so").exists()

    def run_ranks(self, program, argument, world=3):
        """Starts `program` on `world` ranks; their outputs."""
        ranks = []
        for rank in range(world):
            environment = {**self.environment, "RCCLX_RANK": str(rank),
                           "RCCLX_WORLD": str(world), "RCCLX_TIMEOUT_MS": "60000",
                           "RCCLX_ID": str(self.folder)}
            ranks.append(subprocess.Popen([program, argument], env=environment, text=True,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
        try:
            outputs = [process.communicate(timeout=120)[0] for process in ranks]
        finally:
            for process in ranks:
                process.kill()
        for rank, (process, output) in enumerate(zip(ranks, outputs)):
            self.assertEqual(process.returncode, 0, output)
            self.assertEqual(output, f"rank {rank} of {world}: 10007 sums, 0 wrong\n")

    def test_command_finds_its_parts(self):
        rcclx = self.prefix / "bin" / "rcclx"
        version = run(rcclx, "--version", env=self.environment)
        if not self.has_compiler():
            self.assertIn("compiler: not installed", version)
            return
        self.assertIn(f"{self.prefix}/", version)
        run(rcclx, "run", self.schedules() / "all_reduce_ring.mlir", "--ranks", "3",
            "--count", "1000", "--iterations", "1", env=self.environment)
        run(self.prefix / "bin" / "rcclx-opt", self.schedules() / "barrier.mlir",
            "-rcclx-verify=world=3", env=self.environment)
        run(self.prefix / "bin" / "rcclx-lsp-server", "--help", env=self.environment)

    def test_completions_are_installed(self):
        for path in ("bash-completion/completions/rcclx", "zsh/site-functions/_rcclx",
                     "fish/vendor_completions.d/rcclx.fish"):
            self.assertIn("rcclx", (self.prefix / "share" / path).read_text())

    def use(self, program):
        if not self.has_compiler():
            self.skipTest("the compiler was not built")
        self.run_ranks(program, self.schedules() / "all_reduce_two_shot.mlir")
        plan = self.folder / "plan"
        run(self.prefix / "bin" / "rcclx", "compile", self.schedules() / "all_reduce_ring.mlir",
            "-o", plan, "--ranks", "3", env=self.environment)
        self.run_ranks(program, plan)

    def test_example_by_plain_cc(self):
        program = self.folder / "plain"
        run(CC, "-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror",
            "-I", self.prefix / "include", EXAMPLE / "all_reduce.c",
            "-L", self.prefix / "lib", "-lrcclx", f"-Wl,-rpath,{self.prefix / 'lib'}",
            "-o", program)
        self.use(program)

    def test_example_by_find_package(self):
        build = self.folder / "consumer"
        run(CMAKE, "-S", EXAMPLE, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={CC}")
        run(CMAKE, "--build", build)
        self.use(build / "all_reduce")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
