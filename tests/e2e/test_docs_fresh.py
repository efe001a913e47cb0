"""The generated pages in docs/ are what the tool prints today."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["MHA_SOURCE_DIR"])


class DocsFresh(unittest.TestCase):
    def test_generated_pages_are_up_to_date(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([SOURCE / "scripts/generate_docs.sh", os.environ["MHA_TRAIN"], folder], check=True)
            pages = sorted(path.name for path in pathlib.Path(folder).iterdir())
            self.assertEqual(pages, ["config.schema.json", "configuration.md", "report.md"])
            for page in pages:
                fresh = pathlib.Path(folder, page).read_text(encoding="utf-8")
                self.assertEqual(fresh, (SOURCE / "docs" / page).read_text(encoding="utf-8"),
                                 f"docs/{page} is stale: run scripts/generate_docs.sh BINARY")


if __name__ == "__main__":
    unittest.main()
