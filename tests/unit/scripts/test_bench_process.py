"""Programs are timed, stopped with their children, and their memory is seen even where a child needs it."""
import os
import pathlib
import sys
import tempfile
import time
import unittest

import bench_testing  # noqa: F401  makes the next import work

from bench.process import Command, Failed, Run, reason_in, run_to_end

MEGABYTE = 1 << 20


class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = pathlib.Path(folder.name, "sub/log")

    def python(self, code):
        return Command([sys.executable, "-c", code])

    def test_lines_log_and_exit_code(self):
        outcome = Run(self.python("import sys; print('a'); print('b', file=sys.stderr); print('c', end=''); sys.exit(3)"), self.log, 60)()
        self.assertEqual((outcome.code, outcome.lines), (3, ["a", "b"]))
        self.assertEqual(self.log.read_bytes(), b"a\nb\nc")

    def test_stops_when_told_with_all_children(self):
        child = "import subprocess, sys; p = subprocess.Popen(['sleep', '60']); print(p.pid); print('go'); p.wait()"
        outcome = Run(self.python(child), self.log, 60, on_line=lambda seconds, text: text == "go")()
        self.assertIsNone(outcome.code)
        self.assertLess(outcome.seconds, 50)
        stat = pathlib.Path(f"/proc/{outcome.lines[0]}/stat")
        deadline = time.monotonic() + 10
        while stat.exists() and " Z " not in stat.read_text() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertTrue(not stat.exists() or " Z " in stat.read_text())

    def test_kills_what_does_not_listen(self):
        Run.GRACE_SECONDS, before = 0.3, Run.GRACE_SECONDS
        self.addCleanup(setattr, Run, "GRACE_SECONDS", before)
        code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('go'); time.sleep(60)"
        outcome = Run(self.python(code), self.log, 60, on_line=lambda seconds, text: True)()
        self.assertIsNone(outcome.code)

    def test_stops_at_its_limit(self):
        self.assertIsNone(Run(self.python("import time; time.sleep(60)"), self.log, 0.5)().code)
        with self.assertRaisesRegex(Failed, "longer than 0 s"):
            run_to_end(self.python("import time; time.sleep(60)"), self.log, 0.4)

    def test_peak_memory_of_a_child(self):
        code = f"import os\nif os.fork() == 0:\n  x = bytearray({300 * MEGABYTE})\n  os._exit(0)\nos.wait()"
        peak = Run(self.python(code), self.log, 60)().peak_bytes
        self.assertGreater(peak, 300 * MEGABYTE)
        self.assertLess(peak, 400 * MEGABYTE)

    def test_says_why_it_failed(self):
        with self.assertRaisesRegex(Failed, "exit code 1: ValueError: no such thing"):
            run_to_end(self.python("raise ValueError('no such thing')"), self.log)
        self.assertEqual(reason_in([" ", "a", "SomeError: b", "c", ""]), "SomeError: b")
        self.assertEqual(reason_in([]), "no output")

    def test_environment_is_added_to(self):
        outcome = run_to_end(Command([sys.executable, "-c", "import os; print(os.environ['NEW'], os.environ['HOME'])"], {"NEW": "x"}), self.log)
        self.assertEqual(outcome.lines, [f"x {os.environ['HOME']}"])


if __name__ == "__main__":
    unittest.main()
