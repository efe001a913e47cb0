"""`cmake --install` gives a tree whose binary runs from elsewhere, finds LibTorch, and brings the configurations along."""
import os
import pathlib
import subprocess
import tempfile
import unittest


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="install here ")
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = pathlib.Path(folder.name)
        subprocess.run(["cmake", "--install", os.environ["MHA_BINARY_DIR"], "--prefix", cls.prefix], check=True, capture_output=True)

    def test_binary_runs(self):
        done = subprocess.run([self.prefix / "bin" / "mha-train", "--version"], capture_output=True, text=True, cwd="/")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("LibTorch", done.stdout)

    def test_same_version_as_in_the_build_folder(self):
        installed, built = (subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout
                            for binary in (self.prefix / "bin" / "mha-train", os.environ["MHA_TRAIN"]))
        self.assertEqual(installed, built)

    def test_configurations_are_there(self):
        source = pathlib.Path(os.environ["MHA_SOURCE_DIR"]) / "configs"
        names = {p.relative_to(source) for p in source.rglob("*.json")}
        self.assertIn(pathlib.Path("quickstart.json"), names)
        installed = self.prefix / "share" / "mha-train" / "configs"
        self.assertEqual(names, {p.relative_to(installed) for p in installed.rglob("*.json")})


if __name__ == "__main__":
    unittest.main()
