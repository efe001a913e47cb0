"""What the binary loads: LibTorch, and one OpenMP runtime only (two would mean two thread pools)."""
import os
import subprocess
import unittest


class LibrariesTest(unittest.TestCase):
    def setUp(self):
        output = subprocess.run(["ldd", os.environ["MHA_TRAIN"]], capture_output=True, text=True, check=True).stdout
        self.lines = [line.strip() for line in output.splitlines()]

    def loaded(self, *names):
        return {line.split("=>")[-1].split("(")[0].strip() for line in self.lines if line.startswith(names)}

    def test_everything_is_found(self):
        self.assertEqual([line for line in self.lines if "not found" in line], [])
        self.assertEqual(len(self.loaded("libtorch_cpu")), 1)

    def test_one_openmp_runtime(self):
        self.assertEqual(len(self.loaded("libgomp", "libomp", "libiomp")), 1, self.lines)


if __name__ == "__main__":
    unittest.main()
