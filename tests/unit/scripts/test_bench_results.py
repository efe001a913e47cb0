"""Ratios are taken within rounds, and the page says what was measured, once and in the right place."""
import types
import unittest

import bench_testing  # noqa: F401  makes the next imports work

from bench import page, ratios
from bench.results import Results


def program(precision, label="Peer"):
    return types.SimpleNamespace(precision=precision, label=label, differs="")


def results():
    """Two rounds; the machine was twice as slow in the second. The peer `slow` has only the first."""
    found = Results({"mha-train": program("bf16", "mha-train"), "mha-train-fp32": program("fp32", "mha-train"), "quick": program("bf16", "Quick"),
                     "plain": program("fp32", "Plain"), "slow": program("fp32", "Slow")})
    speeds = {"mha-train": (800, 400), "mha-train-fp32": (300, 150), "quick": (100, 40), "plain": (60, 50), "slow": (10, None)}
    peaks = {"mha-train": 4e8, "mha-train-fp32": 5e8, "quick": 2e9, "plain": 1e9, "slow": 3e9}
    for name, values in speeds.items():
        for number, value in enumerate(values, 1):
            if value:
                found.add(kind="train", job="tiny", program=name, round=number, tokens_per_second=value, peak_bytes=peaks[name])
    return found


FACTS = {"machine": {"processor": "A", "family": "1", "model": "2", "instructions": ["avx2"], "cores": 2, "memory_gib": 4, "system": "L", "python": "3"},
         "date": "2026-01-02", "corpus": "some pairs", "jobs": ["tiny", "base"], "beams": [1], "rounds": 2, "load": 0.0,
         "plan": {"warmup_updates": 3, "warmup_seconds": 5, "seconds": 40}, "decoding": {"sentences": 10, "max_tokens": 4096, "updates": 6, "length": 9, "short": 2, "repeats": 3},
         "versions": {"mha-train": {"mha-train": "0.1"}, "plain": {"torch": "2"}}}


class Ratios(unittest.TestCase):
    def test_pairs_rounds(self):
        found = ratios.paired({1: 10, 2: 20, 3: 90}, {1: 5, 2: 2, 4: 1})
        self.assertEqual((found.median, found.low, found.high, found.rounds), (6, 2, 10, 2))
        self.assertIsNone(ratios.paired({1: 1}, {2: 1}))

    def test_fastest_by_median(self):
        self.assertEqual(ratios.fastest({"a": {1: 1, 2: 1, 3: 100}, "b": {1: 2, 2: 2, 3: 2}, "c": {}}), "b")
        self.assertIsNone(ratios.fastest({"c": {}}))


class Tables(unittest.TestCase):
    def test_table(self):
        cells = results().table("tokens_per_second", kind="train", job="tiny")
        self.assertEqual([cell.program for cell in cells], ["mha-train", "mha-train-fp32", "quick", "plain", "slow"])
        quick = cells[2]
        self.assertEqual((quick.speed.median, quick.peak_bytes), (70, 2e9))
        self.assertEqual((quick.ratios["mha-train"].low, quick.ratios["mha-train"].high), (8, 10))
        self.assertEqual(cells[4].ratios["mha-train-fp32"], ratios.Spread(30, 30, 30, 1))
        self.assertEqual(cells[0].ratios, {})

    def test_best(self):
        everybody = {"fp32", "bf16"}
        best = results().best("mha-train", everybody, "tokens_per_second", kind="train", job="tiny")
        self.assertEqual((best.fastest, best.leanest, best.memory_ratio), ("quick", "plain", 0.4))
        self.assertEqual((best.ratio.low, best.ratio.median, best.ratio.high), (8, 9, 10))
        best = results().best("mha-train-fp32", {"fp32"}, "tokens_per_second", kind="train", job="tiny")
        self.assertEqual((best.fastest, best.ratio.low, best.ratio.high, best.memory_ratio), ("plain", 3, 5, 0.5))
        self.assertIsNone(results().best("mha-train", everybody, "tokens_per_second", kind="train", job="base"))


class Page(unittest.TestCase):
    def test_says_what_was_measured(self):
        found = results()
        found.fail("slow", "training tiny", "exit code 1: a | b")
        text = page.page(found, FACTS)
        self.assertIn("| Quick, bf16 | 70 (40-100) | 2.00 GB | 9.00 (8.00-10.00) | 3.38 (3.00-3.75) |", text)
        self.assertIn("- mha-train, bf16: 9.00 (8.00-10.00) times the speed of the fastest peer (Quick, bf16); 0.40 of the memory", text)
        self.assertIn("- mha-train, fp32: 4.00 (3.00-5.00) times the speed of the fastest peer in fp32 (Plain, fp32); 0.50 of the memory", text)
        self.assertIn("| Slow | training tiny | exit code 1: a / b |", text)
        self.assertIn("| Plain, fp32 | torch 2 |", text)

    def test_decoding(self):
        found = results()
        for name, speed in (("mha-train", 900), ("plain", 300)):
            found.add(kind="decode", beam=1, program=name, round=1, sentences_per_second=speed, pieces_per_sentence=9.0, peak_bytes=1e8)
        text = page.page(found, FACTS)
        self.assertIn("## Decoding: greedy", text)
        self.assertIn("| Plain, fp32 | 300 | 9.0 | 0.10 GB | 3.00 |", text)
        self.assertNotIn("## Decoding: beam 5", text)

    def test_leaves_out_what_was_not(self):
        text = page.page(results(), FACTS)
        for absent in ("Training: base", "Decoding", "Not measured", "forced"):
            self.assertNotIn(absent, text)


if __name__ == "__main__":
    unittest.main()
