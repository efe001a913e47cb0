"""`mha-train bench`: what it prints follows from what it measured, and it leaves no run behind."""
import json
import pathlib
import tempfile
import unittest

import toy


class BenchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        config = toy.configuration(toy.write_corpus(cls.folder / "corpus"), data__cache_dir=str(cls.folder / "cache"))
        cls.config = cls.folder / "config.json"
        cls.config.write_text(json.dumps(config), encoding="utf-8")

    def bench(self, *arguments):
        return toy.run("bench", "--config", self.config, "--warmup", 2, "--updates", 6, *arguments, cwd=self.folder).stdout

    def test_the_numbers_agree_with_each_other(self):
        result = json.loads(self.bench("--json"))
        seconds = result["seconds"]
        self.assertEqual(result["updates"], 6)
        self.assertAlmostEqual(result["target_tokens_per_second"], result["target_tokens"] / seconds["total"])
        self.assertAlmostEqual(result["source_tokens_per_second"], result["source_tokens"] / seconds["total"])
        parts = [seconds[name] for name in ("data", "forward", "backward", "waiting", "reduce", "optimizer")]
        self.assertTrue(all(part > 0 for part in parts))
        self.assertLess(sum(parts), seconds["total"])
        self.assertGreater(sum(parts), 0.5 * seconds["total"])
        self.assertLessEqual(seconds["fastest_update"] * 6, seconds["total"])
        self.assertGreaterEqual(seconds["slowest_update"] * 6, seconds["total"])
        # One layer a side of width 16, d_ff 32, vocabulary 50: multiply-adds of a source and of a target token by hand.
        block, ffn = 4 * 16 * 16, 2 * 16 * 32
        source, target = block + ffn + 2 * 16 * 16, block + 2 * 16 * 16 + ffn + 50 * 16
        products = 6 * (source * result["source_tokens"] + target * result["target_tokens"]) / 6 / 1e9
        self.assertAlmostEqual(result["gflop_per_update"], products)
        self.assertAlmostEqual(result["roofline_share"],
                               6 * products / seconds["total"] / result["roofline_gflop_per_second"])
        self.assertEqual([block["path"] for block in result["attention"]], ["packed"] * 3)
        self.assertEqual(result["provenance"]["threads"], 1)

    def test_the_table_names_the_path(self):
        self.assertIn("attention packed\n", self.bench())
        self.assertIn("attention packed and padded\n", self.bench("--set", "attention.cross.path=generic"))

    def test_it_leaves_no_run(self):
        self.bench()
        self.assertEqual(sorted(entry.name for entry in self.folder.iterdir()), ["cache", "config.json", "corpus"])

    def test_bad_input_is_refused(self):
        done = toy.run("bench", "--config", self.config, "--set", "model.d_modle=8", code=2)
        self.assertIn("d_modle", done.stderr)
        toy.run("bench", code=2)
        toy.run("bench", "--config", self.config, "--updates", 0, code=2)


if __name__ == "__main__":
    unittest.main()
