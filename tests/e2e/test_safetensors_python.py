"""A file of ours read by Python's safetensors, and one of theirs refused or read by its rules.

usage: test_safetensors_python.py REPORT_SAMPLES
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import safetensors

try:
    import safetensors.torch
    import torch
except ImportError:  # with a LibTorch of the user's own there is no torch in Python
    torch = None


class SafetensorsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        subprocess.run([SAMPLES, cls.holder.name], check=True)
        cls.file = pathlib.Path(cls.holder.name) / "tensors.safetensors"

    @unittest.skipUnless(torch, "there is no torch in this Python")
    def test_tensors(self):
        tensors = safetensors.torch.load_file(self.file)
        expected = {
            "state": torch.tensor([1, 2, 255], dtype=torch.uint8),
            "layer.weight": torch.tensor([[1.5, -2.0, 0.25], [3.0, 0.0, -0.5]]),
            "scalar": torch.tensor(1.5, dtype=torch.bfloat16),
            "counts": torch.tensor([-1, 4_000_000_000]),
            "empty": torch.zeros(0, 4),
        }
        self.assertEqual(set(tensors), set(expected))
        for name, value in expected.items():
            self.assertEqual(tensors[name].dtype, value.dtype, name)
            self.assertTrue(torch.equal(tensors[name], value), name)

    def test_metadata(self):
        with safetensors.safe_open(self.file, "np") as opened:
            metadata = opened.metadata()
        self.assertEqual(metadata["format"], "pt")
        self.assertEqual(json.loads(metadata["config"]), {"d_model": 64})
        self.assertRegex(metadata["sha256"], r"^[0-9a-f]{64}$")

    def test_data_starts_at_a_multiple_of_eight_and_is_contiguous(self):
        content = self.file.read_bytes()
        (length,) = struct.unpack("<Q", content[:8])
        self.assertEqual(length % 8, 0)
        header = json.loads(content[8 : 8 + length])
        header.pop("__metadata__")
        at = 0
        for begin, end in sorted(entry["data_offsets"] for entry in header.values()):
            self.assertEqual(begin, at)
            at = end
        self.assertEqual(8 + length + at, len(content))


if __name__ == "__main__":
    SAMPLES = sys.argv.pop(1)
    unittest.main()
