"""`rondo batch`: the same bytes however it is cut, and a run that was stopped goes on.

    python3 tests/tools/serve/batch_test.py build/release/rondo SHARED_DATA
"""

import ctypes
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

from serve_process import chatting

TOOL = sys.argv[1]


def fail_to_sync():
    """From here on this process cannot write to the disk: fsync fails, as on one that is broken."""
    number = {"x86_64": 74, "aarch64": 82}[os.uname().machine]
    rules = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x50005), (0x06, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in rules))
    program = struct.pack("HP", len(rules), ctypes.addressof(code))
    libc = ctypes.CDLL(None)
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # no new privileges
    assert libc.prctl(22, 2, program, 0, 0) == 0  # a filter of calls


class BatchTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 8, "temperature": 1}
        lines = [json.dumps({"custom_id": f"r{i}", "url": "/v1/chat/completions",
                             "body": body | {"seed": i}}) for i in range(30)]
        # Wrong ones have answers, too, and blank lines have none.
        deep = '{"custom_id": "deep", "body": ' + 200 * '{"a": ' + "0" + 201 * "}"
        lines[7:7] = ["no JSON", "", '{"custom_id": 5}', '{"custom_id": "x", "url": "/", "body": {}}',
                      deep]
        (self.folder / "in").write_text("\n".join(lines) + "\n")

    def batch(self, out, *options, **more):
        return subprocess.run(
            [TOOL, "batch", chatting(), self.folder / "in", "-o", self.folder / out,
             "--context", "512", *options], capture_output=True, text=True, **more)

    def read(self, out):
        return (self.folder / out).read_bytes()

    def test_the_same_bytes(self):
        self.assertEqual(self.batch("a").returncode, 0)
        answers = [json.loads(line) for line in self.read("a").splitlines()]
        statuses = [one["response"]["status_code"] for one in answers]
        self.assertEqual(statuses, 7 * [200] + [400, 400, 404, 400] + 23 * [200])
        self.assertEqual(self.batch("b", "--sessions", "1").returncode, 0)
        self.assertEqual(self.read("b"), self.read("a"))
        for cut in (0, 100, len(self.read("a")) // 3, len(self.read("a")) - 5, len(self.read("a"))):
            (self.folder / "c.part").write_bytes(self.read("a")[:cut])
            made = self.batch("c")
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertEqual(self.read("c"), self.read("a"), cut)

    def test_many_short_answers(self):
        line = {"url": "/v1/completions", "body": {"prompt": "A", "max_tokens": 1}}
        lines = [json.dumps({"custom_id": str(i)} | line) + "\n" for i in range(800)]
        (self.folder / "in").write_text("".join(lines))
        made = self.batch("a", "--sessions", "8")
        self.assertIn("800 requests answered, 0 of them refused", made.stderr)

    def test_a_disk_that_fails(self):
        self.assertEqual(self.batch("a").returncode, 0)
        made = self.batch("b", preexec_fn=fail_to_sync)
        self.assertEqual(made.returncode, 1)
        self.assertIn("b.part: Input/output error", made.stderr)
        self.assertFalse((self.folder / "b").exists())
        self.assertEqual(self.read("b.part"), self.read("a"))

    def test_what_is_refused(self):
        made = self.batch("in")
        self.assertEqual(made.returncode, 1)
        self.assertIn("is not a file of answers", made.stderr)
        (self.folder / "d.part").write_text('{"custom_id": "other"}\n')
        made = self.batch("d")
        self.assertEqual(made.returncode, 1)
        self.assertIn("the answer to another request", made.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
