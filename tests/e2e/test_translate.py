"""translate, eval and bleu on trained models: one line out for each line in, the same whatever the batches, and honest scores."""
import gzip
import math
import pathlib
import random
import unicodedata
import unittest

import sacrebleu

import toy

ORDER = {n: toy.CASES / f"corpora/order_{n}.src" for n in (23, 24, 25)}
WORDS = sorted(set(ORDER[25].read_text(encoding="utf-8").split()))


def lines_of(path):
    return pathlib.Path(path).read_text(encoding="utf-8").split("\n")[:-1]


class TranslateTest(toy.ToyTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = cls.root / "words"
        folder.mkdir()
        sizes = {"train": 300, "valid": 10, "test": 20}
        cls.data = {name: toy.write_split(folder, name, size, 11 + i, (1, 9), WORDS) for i, (name, size) in enumerate(sizes.items())}

    def translate(self, run_dir, lines, *arguments):
        """Translations of lines given on standard input."""
        done = toy.run("translate", run_dir, "--threads", 1, *arguments, input="".join(line + "\n" for line in lines))
        self.assertTrue(done.stdout.endswith("\n"))
        return done.stdout.split("\n")[:-1]


class Translate(TranslateTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_dir, _ = cls.train("model", data__max_tokens=256, train__max_update=400, train__validate_interval_updates=100, model__d_model=32)
        cls.lines = lines_of(ORDER[25])

    def test_one_line_out_for_each_line_in_whatever_the_batches(self):
        whole = {beam: self.translate(self.run_dir, self.lines, "--beam", beam) for beam in (1, 5)}
        self.assertGreater(len(set(whole[5])), 15)
        for count, path in ORDER.items():
            for beam, wanted in whole.items():
                for max_tokens in (1, 60, 100000):
                    translated = self.translate(self.run_dir, lines_of(path), "--beam", beam, "--max-tokens", max_tokens)
                    self.assertEqual(translated, wanted[:count], (count, beam, max_tokens))
            for at, line in enumerate(lines_of(path)):
                self.assertEqual(translated[at] == "", line == "", (count, at))

    def test_order_and_length_penalty_do_not_matter_to_other_lines(self):
        for beam, lenpen in ((1, 0), (5, 0), (5, 1.5)):
            settings = ["--beam", beam, "--lenpen", lenpen]
            straight = self.translate(self.run_dir, self.lines, *settings)
            order = list(range(len(self.lines)))
            random.Random(1).shuffle(order)
            shuffled = self.translate(self.run_dir, [self.lines[i] for i in order], *settings, "--max-tokens", 90)
            self.assertEqual(shuffled, [straight[i] for i in order])
            alone = [self.translate(self.run_dir, [self.lines[i]], *settings)[0] for i in (1, 15)]
            self.assertEqual(alone, [straight[i] for i in (1, 15)])

    def test_a_beam_of_one_has_no_use_for_a_length_penalty(self):
        greedy = self.translate(self.run_dir, self.lines, "--beam", 1)
        for lenpen in (0, 0.5, 3):
            self.assertEqual(self.translate(self.run_dir, self.lines, "--beam", 1, "--lenpen", lenpen), greedy)

    def test_nbest_begins_with_the_best(self):
        best = self.translate(self.run_dir, self.lines, "--beam", 5)
        rows = [row.split("\t") for row in self.translate(self.run_dir, self.lines, "--beam", 5, "--nbest", 5)]
        by_line = {}
        for number, score, text in rows:
            by_line.setdefault(int(number), []).append((float(score), text))
        self.assertEqual([by_line[n + 1][0][1] for n in range(25)], best)
        for number, translations in by_line.items():
            scores = [score for score, _ in translations]
            self.assertEqual(scores, sorted(scores, reverse=True))
            self.assertEqual(len(translations), 1 if self.lines[number - 1] == "" else 5)
        scored = self.translate(self.run_dir, self.lines, "--beam", 5, "--scores")
        self.assertEqual([row.split("\t")[2] for row in scored], best)

    def test_json_lines(self):
        objects = [toy.parse(line) for line in self.translate(self.run_dir, self.lines, "--beam", 4, "--nbest", 2, "--lenpen", 0.7, "--json")]
        self.assertEqual([o["line"] for o in objects], list(range(1, 26)))
        self.assertEqual([o["source"] for o in objects], self.lines)
        for translation in (t for o in objects if o["source"] for t in o["translations"]):
            self.assertTrue(math.isclose(translation["score"], translation["log_prob"] / translation["length"] ** 0.7, rel_tol=1e-6))

    def test_where_text_comes_from_and_goes_to(self):
        wanted = "".join(line + "\n" for line in self.translate(self.run_dir, self.lines))
        packed = self.root / "source.gz"
        packed.write_bytes(gzip.compress("".join(line + "\r\n" for line in self.lines).encode()))
        out = self.root / "out.txt"
        done = toy.run("translate", self.run_dir, "-i", packed, "-o", out, "--threads", 1)
        self.assertEqual((done.stdout, out.read_text(encoding="utf-8")), ("", wanted))
        self.assertRegex(done.stderr, r"\A\S+ info translated 25 lines in [0-9.]+ s \([0-9.]+ a second\) by the \w+ path in fp32\n\Z")
        best = self.run_dir / "checkpoints/best.safetensors"
        self.assertEqual(toy.run("translate", best, "-i", ORDER[25], "--threads", 1).stdout, wanted)
        self.assertEqual(toy.run("translate", self.run_dir, input="").stdout, "")

    def test_only_a_line_feed_ends_a_line(self):
        for name in ("unicode_seps", "lone_cr", "no_final_newline", "bom", "nul", "bad_utf8", "nbsp"):
            done = toy.run("translate", self.run_dir, "-i", toy.CASES / f"corpora/{name}.src", "--threads", 1)
            self.assertEqual(done.stdout.count("\n"), 5, name)
            self.assertEqual("not UTF-8" in done.stderr, name == "bad_utf8", name)

    def test_long_line_is_cut_and_said(self):
        line = " ".join(["rain"] * 500)
        done = toy.run("translate", self.run_dir, "--threads", 1, input=f"{line}\na\n")
        self.assertEqual(done.stdout.count("\n"), 2)
        self.assertRegex(done.stderr, "warning 1 lines were longer than data.max_source_length, 40")

    def test_refusals(self):
        empty = self.root / "empty"
        empty.mkdir()
        weightless = self.root / "weightless"
        weightless.mkdir()
        for file in self.run_dir.iterdir():
            if file.is_file():
                (weightless / file.name).write_bytes(file.read_bytes())
        for arguments, message in (([empty], "is no run folder: it has no config.json"), ([self.root / "nowhere"], "is no run folder"),
                                   ([weightless], "has no weights yet"), ([self.run_dir, "--weights", "average"], "average.safetensors: No such file"),
                                   ([self.run_dir / "checkpoints/best.safetensors", "--weights", "best"], "is a file already"),
                                   ([self.run_dir, "--beam", 2, "--nbest", 3], "--nbest 3 needs a beam"), ([self.run_dir, "--beam", 0], "--beam"),
                                   ([self.run_dir, "--lenpen", -1], "--lenpen"), ([self.run_dir, "-i", self.root / "none"], "none: no such file"),
                                   ([self.run_dir, "-o", self.root / "no/out"], "cannot create")):
            with self.subTest(message=message):
                done = toy.run("translate", *arguments, code=2, input="a\n")
                self.assertIn(message.lower(), done.stderr.lower())
                self.assertEqual(done.stdout, "")

    def test_eval_equals_the_test_in_the_report(self):
        reported = toy.report(self.run_dir)["test"]
        scores = toy.parse(toy.run("eval", self.run_dir, "--json", "--threads", 1, "-o", self.root / "again.txt").stdout)["test"]
        for key in ("weights", "sentences", "target_tokens", "nll_loss", "ppl", "bleu", "chrf", "chrf_plus_plus", "decode"):
            self.assertEqual(scores[key], reported[key], key)
        self.assertGreater(scores["bleu"]["score"], 0)
        self.assertEqual(lines_of(self.root / "again.txt"), lines_of(self.run_dir / "hypotheses/test.txt"))
        self.assertAlmostEqual(scores["ppl"], math.exp(scores["nll_loss"]), delta=1e-9 * scores["ppl"])

    def test_eval_of_the_validation_split_is_the_best_validation(self):
        scores = toy.parse(toy.run("eval", self.run_dir, "--split", "valid", "--weights", "best", "--beam", 1, "--json", "--threads", 1).stdout)["test"]
        training = toy.report(self.run_dir)["training"]
        [best] = [v for v in training["validations"] if v["num_updates"] == training["best"]["num_updates"]]
        self.assertEqual((scores["nll_loss"], scores["bleu"]["score"]), (best["nll_loss"], best["bleu"]))

    def test_bleu_on_the_files_equals_the_report(self):
        hypotheses, references = self.run_dir / "hypotheses/test.txt", self.data["test"]["target"]
        reported = toy.report(self.run_dir)["test"]
        self.assertEqual(toy.parse(toy.run("bleu", references, "-i", hypotheses, "--json").stdout), reported["bleu"])
        chrf = toy.parse(toy.run("bleu", references, "-i", hypotheses, "--json", "-m", "chrf,chrf++").stdout)
        self.assertEqual(chrf, [reported["chrf"], reported["chrf_plus_plus"]])
        self.assertAlmostEqual(sacrebleu.corpus_bleu(lines_of(hypotheses), [lines_of(references)]).score, reported["bleu"]["score"], places=9)

    def test_scores_are_against_the_raw_references(self):
        hypotheses = self.translate(self.run_dir, self.lines[:3])
        # What NFKC would make equal to the hypotheses, and a character that no vocabulary here has.
        references = [hypotheses[0].replace("e", "ｅ").replace("o", "ｏ"), hypotheses[1], hypotheses[2].replace("a", "ß", 1)]
        self.assertNotEqual(references, hypotheses)
        raw = toy.write_lines(self.root / "raw.trg", references)
        source = toy.write_lines(self.root / "raw.src", self.lines[:3])
        scores = toy.parse(toy.run("eval", self.run_dir, "--source", source, "--target", raw, "--json", "--threads", 1).stdout)["test"]
        wanted = sacrebleu.corpus_bleu(hypotheses, [references])
        self.assertAlmostEqual(scores["bleu"]["score"], wanted.score, places=9)
        self.assertLess(scores["bleu"]["score"], 99)

    def test_case_of_normalised_references(self):
        references = toy.CASES / "corpora/normalised.trg"
        flattering = toy.write_lines(self.root / "nfkc.txt", [unicodedata.normalize("NFKC", line) for line in lines_of(references)])
        self.assertAlmostEqual(toy.parse(toy.run("bleu", references, "-i", flattering, "--json").stdout)["score"], 13.888095170058955, places=12)
        counts = toy.run("bleu", toy.CASES / "bleu/13_ref_extra_blank.ref", "-i", toy.CASES / "bleu/13_ref_extra_blank.hyp", code=2).stderr
        self.assertRegex(counts, r"\b5\b.*\b6\b")


class Limits(TranslateTest):
    def test_byte_pieces_never_break_a_line(self):
        # Hardly trained, it says whatever, bytes above all: the vocabulary is little else.
        run_dir, _ = self.train("bytes", vocab={"type": "bpe", "size": 300, "byte_fallback": True}, train__max_update=1, optimizer__lr=1e-6)
        lines = lines_of(ORDER[25])
        for seed_of_variety in (["--beam", 1], ["--beam", 8, "--nbest", 8]):
            done = toy.run("translate", run_dir, "-i", ORDER[25], *seed_of_variety, "--threads", 1)
            rows = 25 if "--nbest" not in seed_of_variety else 8 * sum(line != "" for line in lines) + lines.count("")
            self.assertEqual(done.stdout.count("\n"), rows)
            self.assertNotRegex(done.stdout, "[\r\0]")
        self.assertIn("\ufffd", done.stdout)
        self.assertEqual(len(lines_of(run_dir / "hypotheses/test.txt")), 20)

    def test_one_rule_for_long_lines(self):
        words = toy.write_lines(self.root / "list.txt", WORDS)
        long = {"source": toy.write_lines(self.root / "long.src", [" ".join(WORDS[:n]) for n in (6, 7, 8, 9)]),
                "target": toy.write_lines(self.root / "long.trg", [" ".join(WORDS[:n]) for n in (6, 7, 8, 9)])}
        settings = {"data__train": long, "data__valid": long, "data__test": long, "data__max_source_length": 8, "data__max_target_length": 8,
                    "model__max_positions": 8, "vocab": {"type": "file", "model": words}, "train__max_update": 2}
        for positions in ("learned", "sinusoidal"):
            # EOS counts: 6 and 7 words fit into 8.
            run_dir, _ = self.train(f"skip_{positions}", model__positions=positions, **settings)
            data = toy.report(run_dir)["data"]
            self.assertEqual((data["train"]["used"], data["train"]["dropped"], data["train"]["truncated"]), (2, {"too_long": 2}, 0))
            for split in ("valid", "test"):
                self.assertEqual((data[split]["used"], data[split]["dropped"], data[split]["truncated"]), (4, {}, 2))
            # Hardly trained: sentences seldom end by themselves. The table of positions ends at 8, EOS counted.
            objects = [toy.parse(line) for line in self.translate(run_dir, [" ".join(WORDS[:9])] * 3, "--json", "--beam", 3, "--nbest", 3)]
            lengths = [t["length"] for o in objects for t in o["translations"]]
            self.assertEqual(len(lengths), 9)
            self.assertLessEqual(max(lengths), 8)
        run_dir, _ = self.train("truncate", data__long_pairs="truncate", **settings)
        data = toy.report(run_dir)["data"]["train"]
        self.assertEqual((data["used"], data["dropped"], data["truncated"], data["target_tokens"]), (4, {}, 2, 7 + 8 + 8 + 8))
        _, done = self.train("error", data__long_pairs="error", code=2, **settings)
        self.assertIn(f"{long['source']}, line 3 (train): the pair is longer than data.max_source_length 8", done.stderr)

    def test_empty_lines_are_dropped_from_training_and_kept_for_the_test(self):
        for name, dropped in (("empty_both", {"empty_both": 1}), ("empty_src_only", {"empty_source": 1}), ("empty_trg_only", {"empty_target": 1}),
                              ("blank_spaces", {"blank": 2})):
            files = {side: str(toy.CASES / f"corpora/{name}.{end}") for side, end in (("source", "src"), ("target", "trg"))}
            run_dir, _ = self.train(name, data__train=files, data__valid=files, data__test=files, vocab={"type": "char", "size": 50}, train__max_update=3)
            report = toy.report(run_dir)
            self.assertEqual(report["data"]["train"]["dropped"], dropped, name)
            self.assertEqual(report["data"]["train"]["used"], 5 - sum(dropped.values()), name)
            self.assertEqual(report["data"]["test"]["used"], 5, name)
            self.assertEqual((report["test"]["sentences"], len(lines_of(run_dir / "hypotheses/test.txt"))), (5, 5))
            for point in report["training"]["curve"]:
                self.assertTrue(math.isfinite(point["loss"]) and math.isfinite(point["gnorm"]), name)

    def test_a_corpus_smaller_than_a_batch_is_trained_on(self):
        files = {side: str(toy.CASES / f"corpora/one_pair.{end}") for side, end in (("source", "src"), ("target", "trg"))}
        run_dir, _ = self.train("one_pair", data__train=files, data__valid=files, data__test=files, vocab={"type": "char", "size": 50}, train__max_update=3)
        report = toy.report(run_dir)
        self.assertEqual((report["training"]["num_updates"], report["training"]["epoch"]), (3, 3))
        self.assertGreater(report["training"]["curve"][0]["loss"], 0)


if __name__ == "__main__":
    unittest.main()
