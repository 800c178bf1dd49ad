"""A real exchange with rcclx-lsp-server over its standard input and output.

Usage: lsp_test.py SERVER SCHEDULES
"""

import json
import pathlib
import re
import subprocess
import sys
import threading
import unittest

SERVER = sys.argv[1]
SCHEDULES = pathlib.Path(sys.argv[2])
SECONDS = 60  # until a server that hangs is killed


class Client:
    """Speaks JSON-RPC with a server that it starts."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [SERVER, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.watchdog = threading.Timer(SECONDS, self.process.kill)
        self.watchdog.start()
        self.log = threading.Thread(target=self.process.stderr.read, daemon=True)
        self.log.start()
        self.next_id = 0
        self.diagnostics = {}  # the last of each document

    def write(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def read(self):
        length = None
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if length is None:
            raise EOFError("the server has gone")
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        return message

    def notify(self, method, **params):
        self.write({"method": method, "params": params})

    def request(self, method, **params):
        self.next_id += 1
        self.write({"id": self.next_id, "method": method, "params": params})
        while (reply := self.read()).get("id") != self.next_id or "method" in reply:
            pass
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply["result"]

    def wait_for_diagnostics(self, uri):
        while uri not in self.diagnostics:
            self.read()
        return self.diagnostics.pop(uri)

    def close(self):
        """The exit status."""
        self.request("shutdown")
        self.notify("exit")
        self.process.stdin.close()
        status = self.process.wait()
        self.watchdog.cancel()
        self.log.join()
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()
        return status


def find(text, word, occurrence=0):
    """Where `word` stands, as the protocol's position, on its second character."""
    places = [match.start() for match in re.finditer(re.escape(word), text)]
    before = text[: places[occurrence] + 1]
    return {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}


class LanguageServer(unittest.TestCase):
    def start(self, *arguments):
        client = Client(*arguments)
        self.addCleanup(client.process.kill)
        self.addCleanup(client.watchdog.cancel)
        self.capabilities = client.request(
            "initialize", processId=None, rootUri=None, capabilities={})["capabilities"]
        client.notify("initialized")
        return client

    def open(self, client, text, name="schedule"):
        uri = f"file:///{name}.mlir"
        client.notify("textDocument/didOpen", textDocument={
            "uri": uri, "languageId": "mlir", "version": 1, "text": text})
        return uri, client.wait_for_diagnostics(uri)

    def change(self, client, uri, text, version):
        client.notify("textDocument/didChange",
                      textDocument={"uri": uri, "version": version},
                      contentChanges=[{"text": text}])
        return client.wait_for_diagnostics(uri)

    def at(self, client, method, uri, position, **more):
        return client.request(f"textDocument/{method}", textDocument={"uri": uri},
                              position=position, **more)

    def setUp(self):
        self.good = (SCHEDULES / "all_reduce_one_shot.mlir").read_text()

    def test_life_of_a_session(self):
        client = self.start()
        for capability in ("hoverProvider", "definitionProvider", "completionProvider"):
            self.assertIn(capability, self.capabilities)
        uri, found = self.open(client, self.good)
        self.assertEqual(found, [])
        client.notify("textDocument/didClose", textDocument={"uri": uri})
        self.assertEqual(client.close(), 0)

    def test_every_shipped_schedule_is_clean(self):
        client = self.start()
        paths = sorted(SCHEDULES.glob("*.mlir"))
        self.assertGreater(len(paths), 9)
        for path in paths:
            with self.subTest(path.name):
                self.assertEqual(self.open(client, path.read_text(), path.stem)[1], [])
        self.assertEqual(client.close(), 0)

    def expect_error(self, found, line, text):
        self.assertEqual([item["severity"] for item in found], [1], found)
        self.assertIn(text, found[0]["message"])
        self.assertEqual(found[0]["range"]["start"]["line"], line, found)

    def test_syntax_and_verifier_errors_at_their_line(self):
        client = self.start()
        line = find(self.good, "rcclx.finish")["line"]
        uri, found = self.open(client, self.good.replace("rcclx.finish", "rcclx.finnish"))
        self.expect_error(found, line, "rcclx.finnish")
        # A value of the wrong type.
        text = re.sub(r"rcclx.finish %\w+", "rcclx.finish %c0", self.good)
        found = self.change(client, uri, text, 2)
        self.expect_error(found, line, "expect")
        # The verifier: an operation that this contract does not have.
        text = self.good.replace("implements all_reduce", "implements all_gather")
        found = self.change(client, uri, text, 3)
        self.assertEqual([item["severity"] for item in found], [1], found)
        self.assertIn("all_gather", found[0]["message"])
        self.assertEqual(self.change(client, uri, self.good, 4), [])
        self.assertEqual(client.close(), 0)

    def test_proof_errors_at_their_line(self):
        client = self.start()
        loop = re.search(r"iter_args", self.good).start()
        head = self.good.rfind("scf.for", 0, loop)
        broken = self.good[:head] + self.good[head:].replace("= %c0 to", "= %c1 to", 1)
        self.assertNotEqual(broken, self.good)
        uri, found = self.open(client, broken)
        self.assertEqual([item["severity"] for item in found], [1], found)
        self.assertIn("of 2", found[0]["message"])  # the least number of ranks
        # The schedule is there all the same: hover works.
        self.assertTrue(self.at(client, "hover", uri, find(broken, "rcclx.finish")))
        self.assertEqual(self.change(client, uri, self.good, 2), [])
        self.assertEqual(client.close(), 0)

    def test_numbers_of_ranks_are_an_option(self):
        # Right for two ranks only: everybody reduces its own and one other.
        text = self.good.replace("to %world step", "to %c2 step").replace(
            "%c1 = arith.constant 1 : index",
            "%c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index", 1)
        self.assertNotEqual(text, self.good)
        for arguments, errors in (["--ranks=2"], 0), (["--ranks=0"], 0), (["--ranks=2,3"], 1):
            with self.subTest(arguments):
                client = self.start(*arguments)
                found = self.open(client, text)[1]
                self.assertEqual(len(found), errors, found)
                self.assertEqual(client.close(), 0)
        bad = subprocess.run([SERVER, "--ranks=257"], stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual(bad.returncode, 2)
        self.assertIn("expected 0 to 256", bad.stderr)

    def test_text_that_is_being_typed(self):
        client = self.start()
        uri, found = self.open(client, "")
        self.assertEqual(found, [])
        for version, end in enumerate([*range(0, len(self.good), 41), len(self.good)], 2):
            text = self.good[:end]
            found = self.change(client, uri, text, version)
            lines = text.count("\n") + 1
            for item in found:
                self.assertLess(item["range"]["start"]["line"], lines)
        self.assertEqual(found, [])
        self.assertEqual(client.close(), 0)

    def test_hover_shows_the_operation(self):
        client = self.start()
        uri, _ = self.open(client, self.good)
        hover = self.at(client, "hover", uri, find(self.good, "rcclx.reduce"))
        self.assertIn("rcclx.reduce", hover["contents"]["value"])
        self.assertIsNone(self.at(client, "hover", uri, {"line": 0, "character": 0}))
        self.assertEqual(client.close(), 0)

    def test_definition_and_references_of_values(self):
        client = self.start()
        uri, _ = self.open(client, self.good)
        name = re.search(r"rcclx.finish (%\w+)", self.good)[1]
        use = self.good.index("rcclx.finish " + name) + len("rcclx.finish ")
        before = self.good[: use + 1]
        place = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
        found = self.at(client, "definition", uri, place)
        line = self.good[: self.good.index(name + " = ")].count("\n")
        self.assertEqual([item["range"]["start"]["line"] for item in found], [line])
        found = self.at(client, "references", uri, place,
                        context={"includeDeclaration": True})
        self.assertIn(place["line"], [item["range"]["start"]["line"] for item in found])
        self.assertEqual(client.close(), 0)

    def complete(self, client, uri, text, version, mark="\0"):
        """What is offered where `mark` stands in `text`."""
        before, after = text.split(mark)
        self.change(client, uri, before + after, version)
        position = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
        return {item["label"] for item in self.at(client, "completion", uri, position)["items"]}

    def test_completion(self):
        client = self.start()
        uri, _ = self.open(client, self.good)
        head, body, rest = self.good.partition("  %in = rcclx.buffer input\n")
        self.assertTrue(body)
        # Operations within a body.
        labels = self.complete(client, uri, head + "  rcclx.\0\n" + body + rest, 2)
        for name in ("buffer", "send", "recv", "reduce", "finish", "store"):
            self.assertTrue({name, "rcclx." + name} & labels, f"{name}: {sorted(labels)}")
        # Values for an operand.
        labels = self.complete(client, uri, head + body + "  rcclx.load %\0\n" + rest, 3)
        self.assertTrue({"in", "%in"} & labels, sorted(labels))
        # Contracts of a collective.
        text = re.sub(r"implements \w+", "implements \0", self.good, count=1)
        labels = self.complete(client, uri, text, 4)
        self.assertLessEqual({"all_reduce", "all_gather", "barrier"}, labels)
        self.assertEqual(client.close(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
