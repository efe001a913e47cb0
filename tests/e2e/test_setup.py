"""scripts/setup.sh in a copy of the project with spaces in its path: refusals that name a remedy, an environment made once, and
made again when it was left half done. A LibTorch of the user's own is pretended, so no torch wheel is installed."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ.get("MHA_SOURCE_DIR", pathlib.Path(__file__).parents[2]))


class SetupTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="set up ")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "the project"
        (self.root / "scripts").mkdir(parents=True)
        for name in ("common.sh", "setup.sh", "check_environment.py"):
            shutil.copy(SOURCE / "scripts" / name, self.root / "scripts")
        (self.root / "requirements.txt").write_text("# nothing but the environment itself\n")
        self.libtorch = pathlib.Path(folder.name) / "libtorch"
        self.write_libtorch("2.6.0")

    def write_libtorch(self, version):
        path = self.libtorch / "share" / "cmake" / "Torch" / "TorchConfigVersion.cmake"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'set(PACKAGE_VERSION "{version}")\n')

    def setup_script(self, *arguments, **variables):
        environment = {k: v for k, v in os.environ.items() if k not in ("LIBTORCH", "CMAKE_PREFIX_PATH")}
        environment |= {"MHA_SYSTEM_PACKAGES": "no"} | {k: str(v) for k, v in variables.items()}
        return subprocess.run([self.root / "scripts" / "setup.sh", *arguments], capture_output=True, text=True, cwd="/", env=environment)

    def assert_refused(self, done, *pieces):
        self.assertEqual(done.returncode, 1)
        for piece in pieces:
            self.assertIn(piece, done.stderr)

    def test_libtorch_that_is_not_there(self):
        self.assert_refused(self.setup_script(LIBTORCH="/nonexistent"), "LIBTORCH=/nonexistent", "unset LIBTORCH")
        self.assertFalse((self.root / ".venv").exists())

    def test_libtorch_that_is_too_old(self):
        self.write_libtorch("2.5.1")
        self.assert_refused(self.setup_script(LIBTORCH=self.libtorch), "2.5.1", "2.6 or newer")

    def test_unknown_option(self):
        self.assert_refused(self.setup_script("--gpu"), "--gpu", "--help")

    def test_made_once_then_quick(self):
        first = self.setup_script(CMAKE_PREFIX_PATH=f"/nonexistent:{self.libtorch}")
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        self.assertIn("making the Python environment", first.stdout)
        start = time.monotonic()
        second = self.setup_script(CMAKE_PREFIX_PATH=self.libtorch)
        self.assertLess(time.monotonic() - start, 2)
        self.assertEqual(second.returncode, 0)
        self.assertNotIn("making", second.stdout)

    def test_half_made_environment_is_made_again(self):
        self.setup_script(LIBTORCH=self.libtorch)
        python = self.root / ".venv" / "bin" / "python"
        (self.root / ".venv" / "setup-stamp").unlink()  # it is written last
        python.unlink()
        done = self.setup_script(LIBTORCH=self.libtorch)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("incomplete", done.stdout)
        self.assertTrue(python.exists())

    def test_package_that_does_not_exist_is_reported(self):
        (self.root / "requirements.txt").write_text("./no-such-folder\n")
        self.assert_refused(self.setup_script(LIBTORCH=self.libtorch), "requirements.txt could not be installed", "no-such-folder")
        self.assertFalse((self.root / ".venv" / "setup-stamp").exists())


if __name__ == "__main__":
    unittest.main()
