"""What bash, zsh and fish complete of a command line of rcclx.

Usage: completion_test.py RCCLX BASH ZSH FISH   (empty: not installed)

bash: the function of the script is called, as readline does. fish completes by
itself. zsh runs on a terminal of its own, and a tabulator is typed."""

import os
import pathlib
import pty
import select
import subprocess
import sys
import tempfile
import time
import unittest

RCCLX, BASH, ZSH, FISH = (sys.argv + [""] * 4)[1:5]
SECONDS = 30
# Of the table of types in the runtime; more may come.
TYPES = {"f32", "f16", "bf16", "i32"}


def script(shell):
    return subprocess.run([RCCLX, "completion", shell], check=True, timeout=SECONDS,
                          stdout=subprocess.PIPE, text=True).stdout


class Folder(unittest.TestCase):
    """A test in a folder with a few files."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="rcclx-completion-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "ring.mlir").touch()
        (self.folder / "notes.txt").touch()
        (self.folder / "plans").mkdir()
        (self.folder / "with blank.mlir").touch()

    def environment(self):
        # No set-up of this user's takes part.
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "TERM": "dumb",
                "LC_ALL": "C.UTF-8"}


class Script(unittest.TestCase):
    def test_unknown_shells_are_refused(self):
        run = subprocess.run([RCCLX, "completion", "tcsh"], capture_output=True, text=True,
                             timeout=SECONDS, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn("known are bash, zsh, fish", run.stderr)

    def test_hidden_commands_stay_hidden(self):
        for shell in ("bash", "zsh", "fish"):
            self.assertNotIn("rank)", script(shell))

    def test_every_option_of_the_help_is_there(self):
        for command in ("run", "verify", "compile", "inspect", "env"):
            text = subprocess.run([RCCLX, command, "--help"], check=True, timeout=SECONDS,
                                  stdout=subprocess.PIPE, text=True).stdout
            options = {word for line in text.splitlines() if line.startswith("  -")
                       for word in line.split()[0].split(",")}
            self.assertGreater(len(options), 1)
            for shell in ("bash", "zsh"):
                for option in options:
                    self.assertIn(option, script(shell), f"{shell}: {command}")


@unittest.skipUnless(BASH, "bash is not installed")
class Bash(Folder):
    def complete(self, *words):
        """What the last word, which may be empty, can become."""
        code = script("bash") + (
            "\nCOMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _rcclx\n"
            "printf '%s\\n' \"${COMPREPLY[@]}\"\n")
        run = subprocess.run(
            [BASH, "--norc", "-u", "-c", code, "bash", "rcclx", *words], cwd=self.folder,
            env=self.environment(), check=False, timeout=SECONDS, capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return set(run.stdout.splitlines()) - {""}

    def test_commands(self):
        self.assertLessEqual({"run", "verify", "compile", "env"}, self.complete(""))
        self.assertEqual(self.complete("ver"), {"verify"})
        self.assertEqual(self.complete("--ver"), {"--version"})
        self.assertNotIn("rank", self.complete("r"))
        self.assertEqual(self.complete("nothing", ""), set())

    def test_options(self):
        self.assertEqual(self.complete("run", "--ty"), {"--type"})
        self.assertEqual(self.complete("run", "ring.mlir", "--pro"), {"--protocol", "--procs"})
        self.assertEqual(self.complete("compile", "--targ"), {"--target"})
        self.assertEqual(self.complete("verify", "--ty"), set())

    def test_values(self):
        self.assertLessEqual(TYPES, self.complete("run", "--type", ""))
        self.assertEqual(self.complete("run", "--type", "bf"), {"bf16"})
        self.assertEqual(self.complete("run", "--protocol", "s"), {"sentinel"})
        self.assertEqual(self.complete("run", "--type", "=", "bf"), {"bf16"})
        self.assertLessEqual(TYPES, self.complete("run", "--type", "="))
        self.assertEqual(self.complete("run", "--ranks", ""), set())
        self.assertEqual(self.complete("completion", "z"), {"zsh"})

    def test_lists(self):
        self.assertEqual(self.complete("compile", "--type", "f32,bf"), {"f32,bf16"})
        self.assertEqual(self.complete("compile", "--type", "bf"), {"bf16"})

    def test_files(self):
        self.assertEqual(self.complete("run", ""), {"ring.mlir", "with blank.mlir", "plans"})
        self.assertEqual(self.complete("run", "r"), {"ring.mlir"})
        self.assertEqual(self.complete("run", "--plan", ""), {"plans"})
        self.assertEqual(self.complete("inspect", ""), {"plans"})
        self.assertEqual(self.complete("env", ""), set())


@unittest.skipUnless(FISH, "fish is not installed")
class Fish(Folder):
    def complete(self, line):
        code = script("fish") + f"\ncomplete -C '{line}'\n"
        run = subprocess.run([FISH, "--no-config", "-c", code], cwd=self.folder,
                             env=self.environment(), check=False, timeout=SECONDS,
                             capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return {line.split("\t")[0] for line in run.stdout.splitlines()}

    def test_commands_and_options(self):
        self.assertLessEqual({"run", "verify", "compile", "env"}, self.complete("rcclx "))
        self.assertEqual(self.complete("rcclx ver"), {"verify"})
        self.assertIn("--type", self.complete("rcclx run --ty"))
        self.assertEqual(self.complete("rcclx verify --ty"), set())

    def test_values_and_files(self):
        self.assertEqual(self.complete("rcclx run --type bf"), {"bf16"})
        self.assertLessEqual(TYPES, self.complete("rcclx run --type "))
        self.assertEqual(self.complete("rcclx compile --type f32,bf"), {"f32,bf16"})
        found = self.complete("rcclx run ")
        self.assertIn("ring.mlir", found)
        self.assertIn("plans/", found)
        self.assertEqual(self.complete("rcclx inspect "), {"plans/"})
        self.assertEqual(self.complete("rcclx completion z"), {"zsh"})


@unittest.skipUnless(ZSH, "zsh is not installed")
class Zsh(Folder):
    def complete(self, line):
        """`line` after a tabulator, as the command's words."""
        (self.folder / "functions").mkdir(exist_ok=True)
        (self.folder / "functions" / "_rcclx").write_text(script("zsh"))
        (self.folder / ".zshrc").write_text(
            "fpath=($HOME/functions $fpath)\n"
            "autoload -U compinit && compinit -u -D\n"
            "PROMPT='> '\nunsetopt zle_bracketed_paste 2>/dev/null\n"
            "rcclx() { print -r -- \"<<${(j:|:)@}>>\" }\n"
            "print ready\n")
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execve(ZSH, ["zsh", "-i"], self.environment())
        try:
            shown = self.read_until(terminal, b"", b"ready", b"> ")
            os.write(terminal, line.encode() + b"\t")
            # What was typed is complete when the shell has nothing more to say.
            shown = self.read_until(terminal, b"", line.split()[-1].encode())
            os.write(terminal, b"\r")
            shown = self.read_until(terminal, shown, b"<<", b">>")
        finally:
            os.close(terminal)
            os.waitpid(child, 0)
        return shown.split(b"<<")[1].split(b">>")[0].decode()

    def read_until(self, terminal, shown, *words):
        deadline = time.monotonic() + SECONDS
        while not all(word in shown for word in words):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([terminal], [], [], left)[0]:
                self.fail(f"expected {words}, found {shown}")
            shown += os.read(terminal, 65536)
        return shown

    def test_completes(self):
        for line, words in (
            ("rcclx ver", "verify"),
            ("rcclx run --ty", "run|--type"),
            ("rcclx run --type bf", "run|--type|bf16"),
            ("rcclx run rin", "run|ring.mlir"),
            ("rcclx inspect pl", "inspect|plans"),
            ("rcclx compile --type f32,bf", "compile|--type|f32,bf16"),
            ("rcclx completion z", "completion|zsh"),
        ):
            with self.subTest(line):
                self.assertEqual(self.complete(line), words)


if __name__ == "__main__":
    names = [name for name, path in (("bash", BASH), ("zsh", ZSH), ("fish", FISH)) if path]
    print("completing in:", ", ".join(names), flush=True)
    unittest.main(argv=sys.argv[:1])
