"""`cmake --install` gives a tree whose binary runs from elsewhere, finds LibTorch, and brings the configurations along."""
import os
import pathlib
import re
import subprocess
import unittest

import toy


class InstallTest(toy.ToyTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prefix = cls.root / "install here"
        subprocess.run(["cmake", "--install", os.environ["MHA_BINARY_DIR"], "--prefix", cls.prefix], check=True, capture_output=True)
        cls.binary = cls.prefix / "bin" / "mha-train"

    def version(self, binary):
        return subprocess.run([binary, "--version"], capture_output=True, text=True, check=True, cwd="/")

    def test_binary_runs(self):
        done = self.version(self.binary)
        self.assertEqual(done.stderr, "")
        self.assertIn("LibTorch", done.stdout)
        self.assertEqual(done.stdout, self.version(toy.BINARY).stdout)

    def test_it_trains_and_translates(self):
        run_dir = self.root / "run"
        subprocess.run([self.binary, "--config", self.config("run", train__max_update=2), "--run-dir", run_dir], check=True, capture_output=True, cwd="/")
        translated = subprocess.run([self.binary, "translate", run_dir], input="ba be\nbi\n", check=True, capture_output=True, text=True, cwd="/").stdout
        self.assertEqual(translated.count("\n"), 2)

    def test_what_the_readme_links_to_is_there(self):
        [readme] = self.prefix.glob("share/doc/*/README.md")
        links = re.findall(r"\]\(([^)#:]+)\)", readme.read_text(encoding="utf-8"))
        self.assertIn("docs/configuration.md", links)
        for link in links:
            self.assertTrue((readme.parent / link).exists(), link)

    def test_configurations_are_there(self):
        source = toy.SOURCE / "configs"
        names = {p.relative_to(source) for p in source.rglob("*.json")}
        self.assertIn(pathlib.Path("quickstart.json"), names)
        installed = self.prefix / "share" / "mha-train" / "configs"
        self.assertEqual(names, {p.relative_to(installed) for p in installed.rglob("*.json")})


if __name__ == "__main__":
    unittest.main()
