"""Tests of the logic of scripts/*.py."""

import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
sys.dont_write_bytecode = True

import c_api_docs
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

    def test_texts_do_not_read(self):
        text = 'a("/proc/self/environ // ");\nb(\'"\', getenv("//"));\nc("\\"", environ);\n'
        self.assertEqual(check_getenv.find_reads(text), [2, 3])


class CApiDocs(unittest.TestCase):
    HEADER = """/*===- a.h - A *- C -*-===*
 *
 * Part of rcclx.
 *
 * Words of
 * introduction.
 *===---===*/
#if defined(__cplusplus)
extern "C" {
#else
#define A
#endif
/* Not a thing. */
#define RCCLX_X 1

/*--- Things ------*/

/* A thing,
 * and *more. */
typedef struct thing {
  int field; /* its; field */
} thing;
RCCLX_API int
make(thing *t) RCCLX_NOEXCEPT;
typedef struct other other;
/* Ends. */
RCCLX_API void end(void);
#if defined(__cplusplus)
}
#endif
"""

    def test_entries(self):
        entries = c_api_docs.parse(self.HEADER)
        self.assertEqual([section for section, _, _ in entries], ["Things"] * 3)
        self.assertEqual([comment for _, comment, _ in entries], ["A thing,\nand *more.", "", "Ends."])
        self.assertEqual(entries[0][2][1], "int make(thing *t);")
        self.assertIn("/* its; field */", entries[0][2][0])

    def test_markdown(self):
        text = c_api_docs.to_markdown(self.HEADER, "a.h")
        self.assertIn("\nWords of\nintroduction.\n\n## Things", text)
        self.assertIn("### `thing`, `make`", text)
        self.assertIn("and \\*more.", text)

    def test_everything_is_there(self):
        header = (generate_docs.ROOT / generate_docs.HEADER).read_text()
        text = c_api_docs.to_markdown(header, generate_docs.HEADER)
        for name in set(re.findall(r"\brcclx_\w+(?=\()|(?<=\} )rcclx_\w+(?=;)", header)):
            self.assertIn(f"`{name}`", text)


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
