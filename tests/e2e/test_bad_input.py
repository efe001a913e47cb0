"""Inputs that are at fault: exit code 2, a message that names what is wrong, and nothing left behind; trainings that diverge: exit code 3."""
import json
import re
import unittest

import toy

INTERNALS = re.compile(r"internal error|terminate|what\(\)|exception|std::|c10|Traceback|\.cc:\d|\.h:\d", re.IGNORECASE)
NEAR = "did you mean d_model?"


def case(name):
    """A pair of files in tests/cases/corpora as a split."""
    return {side: str(toy.CASES / "corpora" / f"{name}.{end}") for side, end in (("source", "src"), ("target", "trg"))}


class BadInput(toy.ToyTest):
    def refuse(self, path, *messages, arguments=(), run_dir="refused"):
        """Trains the file; exit code 2 and all messages in stderr. What it printed."""
        done = toy.run("--config", path, "--run-dir", self.root / run_dir, *arguments, code=2, cwd=self.root)
        for message in messages:
            self.assertIn(message, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIsNone(INTERNALS.search(done.stderr), done.stderr)
        return done

    def refuse_before_work(self, path, *messages, arguments=()):
        """The same, and no file or folder is made."""
        before = set(self.root.rglob("*"))
        done = self.refuse(path, *messages, arguments=arguments)
        self.assertEqual(set(self.root.rglob("*")) - before, set())
        return done


class BadConfiguration(BadInput):
    def test_text_of_the_file(self):
        good = json.dumps(toy.configuration(self.data))

        def replaced(old, new):
            self.assertIn(old, good)
            return good.replace(old, new)

        for text, messages in (
                (replaced('"d_model"', '"d_modle"'), ["model.d_modle", "unknown key", NEAR]),
                (replaced('"model"', '"modell"'), ["modell", "unknown key", "did you mean model?"]),
                (replaced('"num_heads": 2', '"num_heads": 3.7'), ["attention.num_heads", "3.7"]),
                (replaced('"num_heads": 2', '"num_heads": true'), ["attention.num_heads", "true"]),
                (replaced('"num_heads": 2', '"num_heads": -1'), ["attention.num_heads", "-1"]),
                (replaced('"num_heads": 2', '"num_heads": null'), ["attention.num_heads", "null"]),
                (replaced('"num_heads": 2', '"num_heads": 2, "layers": {"1": {}}'), ["attention.layers"]),
                (replaced('"num_heads": 2', '"cross": {"layers": {"1": {"num_haeds": 2}}}'), ["attention.cross.layers.1.num_haeds", "num_heads?"]),
                (replaced('"seed": 7', '"seed": 5000000000'), ["seed", "5000000000"]),
                (replaced('"seed": 7', '"seed": 99999999999999999999'), ["seed", "4294967295"]),
                (replaced('"lr": 0.01', '"lr": 1, "lr": 2'), ["optimizer.lr", "twice"]),
                (replaced('"lr": 0.01', '"lr": "1e-3"'), ["optimizer.lr", '"1e-3"']),
                (replaced('"lr": 0.01', '"lr": 1e999'), ["line 1"]),
                (replaced('"lr": 0.01', '"lr": NaN'), ["line 1"]),
                (good + "}", ["line 1", "not valid JSON"]),
                (good[:-2], ["line 1", "not valid JSON"]),
                ("", ["not valid JSON"]),
                ("[]", ["is a JSON object"])):
            with self.subTest(messages=messages):
                path = self.root / "text.json"
                path.write_text(text, encoding="utf-8")
                self.refuse_before_work(path, str(path), *messages)

    def test_byte_order_mark_exponents_and_comments_are_fine(self):
        path = self.root / "fine.json"
        text = json.dumps(toy.configuration(self.data)).replace('"seed": 7', '// a comment\n"seed": 7e0')
        path.write_text("\ufeff" + text, encoding="utf-8")
        self.assertEqual(toy.parse(toy.run("--config", path, "--dry-run").stdout)["seed"], 7)

    def test_rules_across_keys(self):
        for changes, messages in (
                ({"train__max_update": None}, ["would never end", "max_update", "patience"]),
                ({"data__train": {}}, ["data.train", "nothing to train on"]),
                ({"data__max_tokens": 30}, ["data.max_source_length", "40", "30"]),
                ({"model__max_positions": 20}, ["data.max_target_length", "40", "20"]),
                ({"decode__nbest": 3}, ["decode.nbest", "3", "2"]),
                ({"vocab__size": 3}, ["vocab.size", "3"]),
                ({"attention__kind": "scaled_dto"}, ["scaled_dto", '"scaled_dot"?']),
                ({"attention__output_projection": False, "attention__d_k": 5}, ["output_projection", "2 * 5", "16"])):
            with self.subTest(**changes):
                self.refuse_before_work(self.config("rules", **changes), *messages)

    def test_heads_that_do_not_divide_are_told_before_data_is_looked_for_and_with_all_else(self):
        absent = {"source": "absent.src", "target": "absent.trg"}
        path = self.config("heads", data__train=absent, data__valid=absent, model__d_model=10, attention__num_heads=3, optimizer__lr=-1, vocab__sise=5)
        done = self.refuse_before_work(path, "attention.num_heads", "optimizer.lr", "-1", "vocab.sise", "size?")
        self.assertRegex(done.stderr, r"\b10\b.*\b3\b|\b3\b.*\b10\b")
        self.assertNotIn("absent", done.stderr)

    def test_command_line(self):
        path = self.config("command")
        for arguments, message in ((["--set", "model.d_modle=32"], NEAR), (["--set", "model"], "KEY=VALUE"), (["--seed", "x"], "seed"),
                                   (["--seed", "-1"], "seed (--seed)"), (["--threads", "-2"], "threads"), (["--device", "gpu"], "gpu"),
                                   (["--no-such-option"], "no-such-option")):
            self.refuse_before_work(path, message, arguments=arguments)
        self.refuse_before_work(self.root / "no.json", f"cannot read {self.root / 'no.json'}: no such file")
        self.assertIn("--config", toy.run(code=2).stderr)

    def test_cuda_without_cuda(self):
        path = self.config("cuda", device="cuda")
        done = toy.run("--config", path, "--run-dir", self.root / "cuda", "--dry-run")
        self.assertEqual(toy.parse(done.stdout)["device"], "cuda")
        run_dir, _ = self.train("automatic", device="auto", train__max_update=1)
        if toy.report(run_dir)["provenance"]["device"] != "cpu":
            self.skipTest("there is a CUDA device")
        self.refuse(path, "no CUDA device", '"cpu" or "auto"', run_dir="cuda")


class BadCorpus(BadInput):
    def refuse_data(self, name, *messages, **changes):
        """The failure is also in the report; with what was wrong put right, the same folder trains."""
        done = self.refuse(self.config(name, **changes), *messages, run_dir=name)
        report = toy.report(self.root / name)
        self.assertEqual((report["status"], report["exit_code"]), ("failed", 2))
        for message in messages:
            self.assertIn(message, report["reason"])
        return done

    def test_missing_files(self):
        for split in ("train", "valid", "test"):
            absent = {**self.data[split], "target": str(self.root / "absent.trg")}
            name, changes = f"missing_{split}", {f"data__{split}": absent}
            self.refuse(self.config(name, **changes), f"data.{split}.target: cannot read {self.root / 'absent.trg'}: no such file", run_dir=name)
            self.assertFalse((self.root / name).exists())
        absent = {"source": str(self.root / "a.src"), "target": str(self.root / "b.trg")}
        self.refuse(self.config("all", data__train=absent, data__test=absent), "data.train.source", "data.train.target", "data.test.source",
                    "data.test.target", "get_data.sh", run_dir="all")

    def test_sides_of_unequal_length(self):
        for name, sizes in (("unequal", (5, 4)), ("extra_blank", (5, 6))):
            files = case(name)
            for split in ("train", "valid", "test"):
                messages = [f"{files[side]} has {size}" for side, size in zip(("source", "target"), sizes)]
                self.refuse_data(f"{name}_{split}", split, *messages, **{f"data__{split}": files})
                self.assertEqual(toy.report(self.root / f"{name}_{split}")["training"]["num_updates"], 0)

    def test_nothing_usable(self):
        for name, count in (("all_empty", "5 pairs"), ("zero_bytes", "0 pairs")):
            self.refuse_data(name, "data.train holds no text", count, data__train=case(name))
        self.refuse_data("all_too_long", "train holds no usable pair", "5 pairs read, 0 used", "5 too_long", data__train=case("all_too_long"),
                         data__max_source_length=20, data__max_target_length=20)
        words = toy.write_lines(self.root / "words.txt", toy.WORDS)
        self.refuse_data("blank_words", "train holds no usable pair", "5 empty_both", data__train=case("all_empty"), vocab={"type": "file", "model": words})

    def test_damaged_gzip(self):
        broken = self.root / "broken.gz"
        broken.write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03garbage")
        self.refuse_data("gzip", f"cannot read {broken}", data__train={"source": str(broken), "target": self.data["train"]["target"]})

    def test_vocabulary_sizes(self):
        text = {"data__train": case("lf"), "data__valid": case("lf"), "data__test": case("lf")}
        for kind, most in (("unigram", 56), ("bpe", 270)):
            self.refuse_data(f"hard_{kind}", "vocab.size is 8000", f"at most {most}", "hard_limit", vocab={"type": kind, "size": 8000, "hard_limit": True}, **text)
            run_dir, done = self.train(f"soft_{kind}", vocab={"type": kind, "size": 8000}, train__max_update=2, **text)
            self.assertIn(f"at most {most}, which is used", done.stderr)
            report = toy.report(run_dir)
            self.assertEqual(report["vocabulary"]["source_size"], most)
            # Two matrices: the target's is tied to the output.
            self.assertEqual(report["parameters"]["embeddings"] + report["parameters"]["output"], 2 * most * 16)
            self.refuse_data(f"small_{kind}", "vocab.size is 5", "at least 28", vocab={"type": kind, "size": 5}, **text)

    def test_foreign_vocabulary(self):
        foreign = toy.CASES / "sentencepiece/default_ids.model"
        needed = "pad 0, unk 1, bos 2, eos 3"
        self.refuse_data("foreign", str(foreign), "pad -1, unk 0, bos 1, eos 2", needed, vocab={"model": str(foreign)})
        cut = self.root / "cut.model"
        cut.write_bytes(foreign.read_bytes()[:300])
        self.refuse_data("cut", str(cut), "cut or damaged?", vocab={"model": str(cut)})

    def test_half_written_vocabulary_in_the_cache_is_made_anew(self):
        cache = str(self.root / "own cache")
        first, _ = self.train("cache_first", data__cache_dir=cache, train__max_update=3)
        [model] = (self.root / "own cache").glob("vocab-*.model")
        whole = model.read_bytes()
        model.write_bytes(whole[:len(whole) // 2])
        for corpus in (self.root / "own cache").glob("corpus-*.bin"):
            corpus.write_bytes(corpus.read_bytes()[:-5])
        second, done = self.train("cache_second", data__cache_dir=cache, train__max_update=3)
        self.assertEqual(done.stderr.count("made anew"), 4)
        self.assertEqual(model.read_bytes(), whole)
        self.assertEqual(toy.losses(first), toy.losses(second))


class Divergence(toy.ToyTest):
    def diverge(self, name, **changes):
        run_dir, done = self.train(name, code=3, **changes)
        report = toy.report(run_dir)
        self.assertEqual((report["status"], report["exit_code"]), ("diverged", 3))
        self.assertIn("not finite", report["reason"])
        self.assertIn("optimizer.lr", report["reason"])
        self.assertIn("diverged", done.stderr)
        self.assertEqual(done.stdout, f"report: {run_dir / 'report.json'}\n")
        self.assertRegex(toy.run("report", "show", run_dir).stdout, r"^status +diverged")
        return run_dir, report

    def test_much_too_high_rates(self):
        # bf16, several updates and no cap on bad ones: the ways in which it could slip through.
        for number, changes in enumerate(({"optimizer__lr": 1e30}, {"optimizer__lr": 1e30, "train__max_bad_updates": 1000},
                                          {"optimizer__lr": 1e30, "train__max_bad_updates": 1000, "data__valid": {}},
                                          {"optimizer__lr": 1e30, "train__precision": "bf16"})):
            self.diverge(f"rate{number}", optimizer__warmup_updates=0, **changes)

    def test_one_bad_update_is_skipped_and_best_stays_finite(self):
        run_dir, report = self.diverge("late", optimizer__lr=1e30, optimizer__warmup_updates=0, train__validate_interval_updates=1)
        for validation in report["training"]["validations"]:
            if validation["nll_loss"] is None:
                self.assertFalse(validation["best"])
        self.assertNotEqual(report["training"]["skipped_updates"], [])
        self.assertGreater(len(toy.events(run_dir, "skipped_update")), 10)

    def test_overflowing_perplexity_is_null_and_the_run_goes_on(self):
        run_dir, done = self.train("high", optimizer__lr=1e4, optimizer__warmup_updates=0, train__max_update=3)
        report = toy.report(run_dir)
        self.assertEqual((report["status"], report["training"]["num_updates"]), ("completed", 3))
        last = report["training"]["validations"][-1]
        self.assertGreater(last["nll_loss"], 750)
        self.assertIsNone(last["ppl"])
        self.assertIsNone(report["test"]["ppl"])
        self.assertRegex(done.stdout, r"\ntest ppl +-\n")
        self.assertEqual(toy.parse(toy.run("eval", run_dir, "--json").stdout)["test"]["ppl"], None)
        toy.run("eval", run_dir)


if __name__ == "__main__":
    unittest.main()
