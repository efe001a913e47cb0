"""scripts/check_layers.py and scripts/check_style.py accept a clean tree and name every violation with its place."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(os.environ.get("MHA_SOURCE_DIR", pathlib.Path(__file__).parents[2])) / "scripts"


class ChecksTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.write("src/base/text.h", "#pragma once\n#include <string>\n")
        self.write("src/model/a.h", '#pragma once\n#include <ATen/core/Tensor.h>\n#include "base/text.h"\n#include "model/b.h"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_check(self, script):
        done = subprocess.run([sys.executable, SCRIPTS / script, self.root], capture_output=True, text=True)
        return done.returncode, done.stderr

    def assert_refused(self, script, name, text, *expected):
        self.write(name, text)
        code, errors = self.run_check(script)
        self.assertEqual(code, 1)
        for piece in (name, *expected):
            self.assertIn(piece, errors)
        self.assertEqual(len(errors.splitlines()), 1, errors)

    def test_clean_tree_passes(self):
        for script in ("check_layers.py", "check_style.py"):
            self.assertEqual(self.run_check(script), (0, ""))

    def test_include_upwards(self):
        self.assert_refused("check_layers.py", "src/base/x.cc", '#include "model/a.h"\n', ":1:", "model is above base")

    def test_include_of_a_neighbour(self):
        self.assert_refused("check_layers.py", "src/data/x.cc", '\n  # include "model/a.h"\n', ":2:", "neighbours")

    def test_relative_include(self):
        self.assert_refused("check_layers.py", "src/model/x.cc", '#include "../app/a.h"\n', "by path from src")

    def test_torch_in_a_torch_free_folder(self):
        self.assert_refused("check_layers.py", "src/report/x.cc", "#include <c10/util/Exception.h>\n", "free of Torch")

    def test_whole_torch_in_a_header(self):
        self.assert_refused("check_layers.py", "tests/unit/x.h", "#include <torch/torch.h>\n", "torch/torch.h")

    def test_unknown_folder(self):
        self.assert_refused("check_layers.py", "src/misc/x.cc", "\n", "no place in the list")

    def test_long_file(self):
        self.assert_refused("check_style.py", "src/base/x.cc", "int x;\n" * 401, "401 lines")

    def test_long_line(self):
        self.assert_refused("check_style.py", "tests/unit/x.cc", "//" + "x" * 119 + "\n", ":1:", "121 columns")

    def test_unfinished_work(self):
        self.assert_refused("check_style.py", "docs/x.md", "fine\nTO" + "DO: more\n", ":2:", "unfinished")

    def test_machine_path(self):
        self.assert_refused("check_style.py", "configs/x.json", '{"data": "/ho' + 'me/someone/x"}\n', "absolute path")

    def test_missing_pragma(self):
        self.assert_refused("check_style.py", "src/base/x.h", "int f();\n", "#pragma once")

    def test_copied_inputs_are_left_alone(self):
        self.write("tests/cases/x.txt", "TO" + "DO \t\n")
        self.assertEqual(self.run_check("check_style.py"), (0, ""))


if __name__ == "__main__":
    unittest.main()
