"""The scripts in a copy of the project with spaces in its path. Set-up: refusals that name a remedy, an environment made once, and
made again when it was left half done. A LibTorch of the user's own is pretended, so no torch wheel is installed."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ.get("MHA_SOURCE_DIR", pathlib.Path(__file__).parents[2]))


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


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
        self.stamp = self.root / ".venv" / "setup-stamp"

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
        self.assertNotIn("unfinished", self.stamp.read_text())
        self.stamp.write_text("external unfinished\n")
        python.unlink()
        done = self.setup_script(LIBTORCH=self.libtorch)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("incomplete", done.stdout)
        self.assertTrue(python.exists())

    def test_package_that_does_not_exist_is_reported(self):
        (self.root / "requirements.txt").write_text("./no-such-folder\n")
        self.assert_refused(self.setup_script(LIBTORCH=self.libtorch), "requirements.txt could not be installed", "no-such-folder")
        self.assertIn("unfinished", self.stamp.read_text())
        (self.root / "requirements.txt").write_text("")
        self.assertEqual(self.setup_script(LIBTORCH=self.libtorch).returncode, 0)
        self.assertNotIn("unfinished", self.stamp.read_text())

    def test_environment_of_the_users_own_is_kept(self):
        mine = self.root / ".venv" / "mine.txt"
        mine.parent.mkdir()
        mine.write_text("precious")
        done = self.setup_script(LIBTORCH=self.libtorch)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        [aside] = self.root.glob(".venv-*")
        self.assertIn(str(aside), done.stdout)
        self.assertEqual((aside / "mine.txt").read_text(), "precious")

    def test_packages_wait_for_another_installation(self):
        """With programs that only tell how they are called: apt-get has a timeout for its lock."""
        programs = pathlib.Path(self.libtorch.parent) / "programs"
        write_program(programs / "dpkg-query", "exit 1")
        write_program(programs / "apt-get", f'echo "$@" >> "{programs}/calls"')
        write_program(programs / "id", "echo 0")
        self.setup_script(LIBTORCH="/nonexistent", MHA_SYSTEM_PACKAGES="yes", PATH=f"{programs}:{os.environ['PATH']}")
        update, install = (programs / "calls").read_text().splitlines()
        for call, name in ((update, "update"), (install, "install")):
            self.assertRegex(call, f"-o DPkg::Lock::Timeout=[1-9]\\d* {name} ")

    def test_read_only_and_without_locks(self):
        script = self.root / "scripts" / "setup.sh"
        script.chmod(0o555)
        programs = pathlib.Path(self.libtorch.parent) / "programs"
        write_program(programs / "flock", "exit 1")
        self.assert_refused(self.setup_script(LIBTORCH="/nonexistent", PATH=f"{programs}:{os.environ['PATH']}"), "no locks", "holds no LibTorch")


class PresetTest(unittest.TestCase):
    """MHA_PRESET chooses what is built, tested and started; with programs that only tell how they are called."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="presets ")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "the project"
        for name in ("common.sh", "build.sh", "test.sh", "quickstart.sh"):
            (self.root / "scripts").mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / "scripts" / name, self.root / "scripts")
        write_program(self.root / "scripts/setup.sh", "")
        self.programs = self.root / "programs"
        for name in ("cmake", "ctest"):
            write_program(self.programs / name, f'echo {name} "$PWD" "$@" >> "{self.root}/calls"')

    def calls(self, script, *arguments, preset, code=0):
        (self.root / "calls").unlink(missing_ok=True)
        environment = {**os.environ, "MHA_PRESET": preset, "PATH": f"{self.programs}:{os.environ['PATH']}", "CCACHE_DIR": "/nonexistent"}
        done = subprocess.run([self.root / "scripts" / script, *arguments], capture_output=True, text=True, cwd="/", env=environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return (self.root / "calls").read_text().splitlines() if code == 0 else done.stderr

    def test_tests_are_those_of_the_preset(self):
        for preset in ("release", "dev", "asan"):
            configured, built, tested = self.calls("test.sh", "-L", "unit", preset=preset)
            self.assertEqual(configured, f"cmake {self.root} --preset {preset} -DMHA_BUILD_TESTS=ON")
            self.assertEqual(built, f"cmake {self.root} --build --preset {preset}")
            self.assertRegex(tested, f"^ctest {self.root} --preset {preset} -j \\d+ -L unit$")
        self.assertIn("there is no preset bsan", self.calls("test.sh", preset="bsan", code=1))

    def test_quick_start_uses_the_presets_binary_and_the_callers_folder(self):
        presets = json.loads((SOURCE / "CMakePresets.json").read_text())["configurePresets"]
        folders = {p["name"]: p["binaryDir"].replace("${sourceDir}", str(self.root)) for p in presets if "binaryDir" in p}
        self.assertEqual(set(folders), {"release", "dev", "asan"})
        for preset, folder in folders.items():
            write_program(pathlib.Path(folder) / "bin/mha-train", f'echo "$0" "$PWD" "$@" >> "{self.root}/calls"')
            started = self.calls("quickstart.sh", "--seed", "2", preset=preset)[-1]
            self.assertEqual(started, f"{folder}/bin/mha-train / --config {self.root}/configs/quickstart.json --seed 2")


if __name__ == "__main__":
    unittest.main()
