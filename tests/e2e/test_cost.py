"""`mha-train cost`: what it prints follows from the configuration, and the memory that it expects is what runs then take."""
import json
import unittest

import toy

SYLLABLES = [a + b for a in "bdfgkmprst" for b in "aeiou"]
MEMORY_TOLERANCE = 0.15


def cost(*arguments, **options):
    return toy.run("cost", "--config", *arguments, **options).stdout


class CostTest(toy.ToyTest):
    def bill(self, name, *arguments, **changes):
        return json.loads(cost(self.config(name, **changes), "--json", *arguments))

    def test_the_parts_add_up(self):
        bill = self.bill("parts", "--no-time", "--source-length", 6, "--target-length", 9)
        for side in (bill["configured"], bill["one_head"]):
            parameters = side["parameters"]
            self.assertEqual(side["num_params"], sum(sum(part.values()) if isinstance(part, dict) else part for part in parameters.values()))
            self.assertEqual(side["memory_bytes"], sum(side["memory"].values()))
            products = side["multiply_adds_training"].values()
            source, target = (sum(part[f"per_{name}_token"] for part in products) for name in ("source", "target"))
            self.assertAlmostEqual(side["train_flops_per_token"], 6 * (target + source * 6 / 9))
            self.assertIsNone(side["tokens_per_second"])
        self.assertEqual((bill["source_length"], bill["target_length"], bill["precision"], bill["threads"]), (6, 9, "fp32", 1))

    def test_heads_cost_no_more_than_one(self):
        bill = self.bill("heads", "--no-time", "h=4", "d_k=4")
        self.assertEqual(bill["configured"]["num_params"], bill["one_head"]["num_params"])
        self.assertEqual(bill["configured"]["train_flops_per_token"], bill["one_head"]["train_flops_per_token"])
        self.assertIsNone(self.bill("heads", "--no-time", "h=1", "d_k=4")["one_head"])

    def test_h_and_d_k_are_short_for_the_attention(self):
        plain = self.bill("short", "--no-time", "--set", "attention.num_heads=3", "--set", "attention.d_k=7")
        self.assertEqual(self.bill("short", "--no-time", "h=3", "d_k=7"), plain)
        self.assertEqual(self.bill("short", "--no-time", "attention.num_heads=3", "d_k=7"), plain)
        # One layer a side of width 16: three places of W_Q, W_K, W_V and W_O of 16 x 21 and biases.
        attention = [plain["configured"]["parameters"][place] for place in ("encoder_self_attention", "decoder_self_attention", "cross_attention")]
        self.assertEqual([sum(place.values()) for place in attention], [4 * 16 * 21 + 3 * 21 + 16] * 3)

    def test_the_data_tell_sizes_and_lengths(self):
        run_dir, _ = self.train("real")
        report = toy.report(run_dir)
        bill = self.bill("real", "--no-time", "--data", "--run-dir", self.root / "other")
        self.assertEqual(bill["configured"]["num_params"], report["parameters"]["num_params"])
        used = report["data"]["train"]
        self.assertAlmostEqual(bill["source_length"], used["source_tokens"] / used["used"])
        self.assertAlmostEqual(bill["target_length"], used["target_tokens"] / used["used"])
        self.assertFalse((self.root / "other").exists())

    def test_the_time_is_measured(self):
        bill = self.bill("time")["configured"]
        self.assertGreater(bill["rate"]["flops_per_second"], 0)
        self.assertGreater(bill["tokens_per_second"], 0)
        tokens = 64  # of a full batch
        self.assertAlmostEqual(bill["seconds"], 30 * tokens / bill["tokens_per_second"], delta=1e-6 * bill["seconds"])

    def test_the_tables(self):
        text = cost(self.config("tables"), "--no-time")
        self.assertIn("one head", text)
        self.assertIn(", fp32, 1 thread\n", text)
        self.assertIn(", fp32, 2 threads\n", cost(self.config("tables"), "--no-time", "--threads", 2))
        self.assertRegex(text, r"\nall +[\d,]+ +100\.0 % +[\d,]+ +x 1\.000\n")
        self.assertNotIn("one head", cost(self.config("tables"), "--no-time", "h=1"))
        self.assertIn("target tokens/s", cost(self.config("tables")))

    def test_a_place_that_would_keep_its_own_is_refused(self):
        path = self.config("places", attention__cross={"num_heads": 2})
        done = toy.run("cost", "--config", path, "--no-time", "h=4", code=2)
        self.assertRegex(done.stderr, r"attention\.cross\.num_heads is set to 2 \(.*places\.json\) and would stay so")
        done = toy.run("cost", "--config", self.config("plain"), "--set", "attention.cross.d_k=3", "--no-time", "d_k=4", code=2)
        self.assertIn("attention.cross.d_k is set to 3 (--set)", done.stderr)
        for arguments in (("d_k=4",), ("h=4", "attention.cross.num_heads=4"), ("--set", "attention.num_heads=4")):
            cost(path, "--no-time", *arguments)

    def test_bad_input_is_refused(self):
        path = self.config("bad")
        done = toy.run("cost", "--config", path, "h=0", code=2)
        self.assertIn("attention.num_heads (the command line)", done.stderr)
        toy.run("cost", "--config", path, "heads=3", code=2)
        toy.run("cost", "--config", path, "h", code=2)
        toy.run("cost", "--config", path, "--source-length", 0, code=2)
        toy.run("cost", code=2)


class MemoryTest(toy.ToyTest):
    """From the quickstart's shape to the base one's width; few updates, as the peak is there from the first on."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        words = [a + b + c for a in SYLLABLES[::5] for b in SYLLABLES[::3] for c in SYLLABLES[::3]]
        folder = cls.root / "larger"
        folder.mkdir()
        cls.data = {name: toy.write_split(folder, name, pairs, seed, words=(3, 20), vocabulary=words)
                    for seed, (name, pairs) in enumerate((("train", 3000), ("valid", 40), ("test", 40)))}

    def check(self, name, layers, d_model, heads, **changes):
        changes = {
            "data__max_tokens": 4096, "vocab__size": 1500, "threads": 2, "decode__beam": 4,
            "model__encoder_layers": layers, "model__decoder_layers": layers, "model__d_model": d_model, "model__d_ff": 4 * d_model,
            "attention__num_heads": heads, "train__max_update": 2, "train__precision": "bf16", **changes}
        path = self.config(name, **changes)
        run_dir, _ = self.train(name, "--set", f"data.cache_dir={self.root / 'cache'}", **changes)
        expected = json.loads(cost(path, "--json", "--no-time", "--data", "--set", f"data.cache_dir={self.root / 'cache'}"))["configured"]
        report = toy.report(run_dir)
        memory = report["memory"]
        for part, key in (("weights", "model_bytes"), ("gradients", "gradient_bytes"), ("optimizer", "optimizer_bytes")):
            self.assertAlmostEqual(expected["memory"][part] / memory[key], 1, delta=0.01, msg=part)
        ratio = expected["memory_bytes"] / memory["peak_resident_bytes"]
        print(f"{name}: expected {expected['memory_bytes'] >> 20} MiB, measured {memory['peak_resident_bytes'] >> 20} MiB, ratio {ratio:.3f}")
        self.assertLess(abs(ratio - 1), MEMORY_TOLERANCE, msg=name)

    def test_quickstart(self):
        self.check("quickstart", 3, 128, 4, train__max_update=20)

    def test_one_thread_in_fp32(self):
        self.check("fp32", 3, 128, 4, threads=1, train__precision="fp32")

    def test_padded_attention(self):
        self.check("padded", 2, 128, 8, attention__path="generic", train__precision="fp32")

    def test_middle_recomputed_in_fp32(self):
        self.check("middle", 4, 256, 4, train__precision="fp32", train__recompute=True)

    def test_base_width(self):
        self.check("base", 3, 512, 8)

    def test_base_width_recomputed(self):
        self.check("base_recomputed", 3, 512, 8, train__recompute=True)


if __name__ == "__main__":
    unittest.main()
