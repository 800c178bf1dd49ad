"""Tests of the logic of scripts/*.py."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
sys.dont_write_bytecode = True

import check_getenv
import check_layering
import generate_docs
import run_snippets


class Layering(unittest.TestCase):
    def violations(self, path, *headers):
        text = "".join(f"#include {header}\n" for header in headers)
        return check_layering.find_violations(path, text)

    def test_runtime_includes_no_compiler(self):
        found = self.violations(
            "runtime/lib/exec/A.cpp", '"llvm/ADT/X.h"', "<mlir/IR/X.h>", '"rcclx/Passes/P.h"'
        )
        self.assertEqual(len(found), 3)
        self.assertIn("runtime/lib/exec/A.cpp:2:", found[1])

    def test_allowed(self):
        self.assertFalse(
            self.violations("runtime/lib/exec/A.cpp", '"rcclx/Runtime/X.h"', '"../plan/H.h"')
        )
        self.assertFalse(self.violations("passes/lib/A.cpp", '"rcclx/Dialect/Rcclx/Rcclx.h"'))
        self.assertFalse(self.violations("codegen/device/rcclx_a.h", '"rcclx_b.h"'))

    def test_layers(self):
        self.assertTrue(self.violations("dialect/lib/A.cpp", '"rcclx/Analysis/P.h"'))
        self.assertTrue(self.violations("passes/lib/A.cpp", '"rcclx/CodeGen/C.h"'))
        self.assertTrue(self.violations("codegen/lib/A.cpp", '"rcclx/rcclx.h"'))
        self.assertTrue(self.violations("codegen/device/rcclx_a.h", "<cstdint>"))
        self.assertTrue(self.violations("runtime/lib/plan/A.cpp", '"exec/E.h"'))


class Getenv(unittest.TestCase):
    def test_reads(self):
        text = 'a();\n/* getenv\n */ // environ\nx = getenv("A");\nint getenvLike;\n'
        self.assertEqual(check_getenv.find_reads(text), [4])


class Docs(unittest.TestCase):
    def test_options(self):
        rows = generate_docs.parse_options(
            'RCCLX_OPTION("RCCLX_A", a, std::string, "", "One, "\n  "two.")\n'
            'RCCLX_OPTION("RCCLX_B", b, Milliseconds, Milliseconds{5}, "(b)")\n'
        )
        self.assertEqual(rows[0], ("RCCLX_A", "std::string", '""', "One, two."))
        self.assertIn("| `RCCLX_B` | `5` | (b) |", generate_docs.format_options(rows))


class Snippets(unittest.TestCase):
    def test_parse(self):
        found = run_snippets.parse_snippets(
            "```sh\nignored\n```\n\n  ```sh run status=2\n  a\n   b\n  ```\n"
        )
        self.assertEqual(len(found), 1)
        self.assertEqual(found[0].words, {"run": "", "status": "2"})
        self.assertEqual(found[0].text, "a\n b\n")
        self.assertEqual(found[0].line, 5)

    def test_missing_lines(self):
        self.assertEqual(run_snippets.missing_lines("a  b\nc\n", "x a b\n"), ["c"])


if __name__ == "__main__":
    unittest.main()
