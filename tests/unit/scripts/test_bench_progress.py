"""The progress lines of the compared programs are read right, and speeds are counted between the right points."""
import importlib
import json
import pathlib
import tempfile
import unittest

import bench_testing  # noqa: F401  makes the next import work

from bench.progress import Clock, Means, Plan, Point, Rates

ADAPTERS = {name: importlib.import_module(f"bench.peers.{name}") for name in ("fairseq", "joeynmt", "opennmt", "torch_loop", "mha_train")}
FAIRSEQ = ('2026-01-02 03:04:05 | INFO | train_inner | {"epoch": 1, "update": 0.041, "loss": "13.3", "nll_loss": "13.3", "ppl": "9876", '
           '"wps": "4606.1", "ups": "1.24", "wpb": "3712.5", "bsz": "251", "num_updates": "12", "lr": "1e-06", "gnorm": "3.1", '
           '"train_wall": "2", "wall": "9"}')
OPENNMT = ("[2026-01-02 03:04:05,678 INFO] Step 12/1000000; acc: 1.2; ppl: 9876.54; xent: 9.2; lr: 0.00001; sents:     252; "
           "bsz: 3610/3743/252; 3800/3970 tok/s;     21 sec;")
JOEYNMT = ("2026-01-02 03:04:05,678 - INFO - joeynmt.training - Epoch   1, Step:       12, Batch Loss:     9.123456, Batch Acc: 0.012345, "
           "Tokens per Sec:     1390, Lr: 0.000300")


class Lines(unittest.TestCase):
    def test_progress_lines(self):
        for name, line, wanted in (("fairseq", FAIRSEQ, (12, 3712.5)), ("opennmt", OPENNMT, (12, 3743.0)),
                                   ("joeynmt", JOEYNMT, (12, 1390.0)),
                                   ("torch_loop", '{"update": 12, "target_tokens": 3700, "loss": 5.0}', (12, 3700))):
            self.assertEqual(ADAPTERS[name].progress(line), wanted, name)

    def test_other_lines_say_nothing(self):
        for name, lines in (("fairseq", [FAIRSEQ.replace("train_inner", "train"), "", "{}"]),
                            ("opennmt", ["[INFO] Step 12 saved", OPENNMT.replace("bsz", "size")]),
                            ("torch_loop", ["", "update 12", "Traceback (most recent call last):"])):
            for line in lines:
                self.assertIsNone(ADAPTERS[name].progress(line), (name, line))

    def test_events(self):
        events = [{"event": "run_start", "seed": 1}, {"event": "train", "num_updates": 5, "target_tokens": 20000, "train_wall": 1.5},
                  {"event": "checkpoint", "num_updates": 5}, {"event": "train", "num_updates": 10, "target_tokens": 41000, "train_wall": 2.5}]
        text = "".join(json.dumps(event) + "\n" for event in events)
        wanted = [Point(1.5, 5, 20000), Point(2.5, 10, 41000)]
        self.assertEqual(list(ADAPTERS["mha_train"].points(text + '{"event":"train","num_upd')), wanted)

    def test_means_count_the_updates_between_two_lines(self):
        sums = Means()
        self.assertEqual(sums.add(10.0, 2, 100.0), Point(10.0, 2, 200.0))
        self.assertEqual(sums.add(11.0, 5, 50.0), Point(11.0, 5, 350.0))

    def test_rates_count_the_seconds_between_two_lines(self):
        sums = Rates()
        self.assertEqual(sums.add(10.0, 1, 100.0), Point(10.0, 1, 0.0))
        self.assertEqual(sums.add(12.5, 2, 200.0), Point(12.5, 2, 500.0))
        self.assertEqual(sums.add(13.0, 3, 100.0), Point(13.0, 3, 550.0))


class Clocks(unittest.TestCase):
    PLAN = Plan(warmup_updates=3, warmup_seconds=5, seconds=10)

    def feed(self, points):
        clock = Clock(self.PLAN)
        return clock, [clock.add(Point(*point)) for point in points]

    def test_counts_from_the_first_warm_point_to_the_first_one_late_enough(self):
        clock, done = self.feed([(100, 1, 10), (104, 3, 30), (106, 4, 50), (115, 5, 60), (116, 6, 90)])
        self.assertEqual(done, [False, False, False, False, True])
        speed = clock.speed()
        self.assertEqual((speed.seconds, speed.updates, speed.target_tokens, speed.tokens_per_second), (10, 2, 40, 4))

    def test_warm_needs_both_updates_and_seconds(self):
        clock, done = self.feed([(0, 1, 10), (30, 2, 20), (31, 3, 30), (40.9, 4, 40), (41, 5, 50)])
        self.assertEqual(done, [False] * 4 + [True])
        self.assertEqual(clock.speed().seconds, 10)

    def test_what_there_is_when_it_ends_early(self):
        clock, done = self.feed([(0, 3, 10), (6, 4, 20), (8, 5, 30)])
        self.assertEqual(done, [False] * 3)
        self.assertEqual(clock.speed().tokens_per_second, 5)

    def test_no_speed_from_less_than_two_warm_points(self):
        for points in ([], [(0, 1, 1)], [(0, 3, 1), (6, 4, 2)], [(0, 1, 1), (9, 2, 2), (12, 2, 3)]):
            self.assertIsNone(self.feed(points)[0].speed(), points)


class SharedFolder(unittest.TestCase):
    def test_batches_hold_all_pairs_once_within_max_tokens(self):
        import sys
        sys.path.insert(0, str(pathlib.Path(ADAPTERS["fairseq"].__file__).parent.parent / "loops"))
        import batches
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("pieces.txt", "a\nb\nc\n"), ("train.src", "a b\nc\n" * 30), ("train.trg", "b\na b c x\n" * 30)):
                pathlib.Path(folder, name).write_text(text, encoding="utf-8")
            vocabulary, pairs = batches.read_pairs(folder)
        self.assertEqual((vocabulary, pairs[0], pairs[1]), (7, ([4, 5, 3], [5, 3]), ([6, 3], [4, 5, 6, 1, 3])))
        endless = batches.endless(pairs, max_tokens=23)
        epoch = []
        while len(epoch) < len(pairs):
            batch = next(endless)
            self.assertLessEqual(len(batch) * max(map(batches.longest, batch)), 23)
            epoch += batch
        self.assertEqual(sorted(epoch), sorted(pairs))
        self.assertEqual(batches.padded([[1, 2], [3]]), [[1, 2], [3, batches.PAD]])


if __name__ == "__main__":
    unittest.main()
