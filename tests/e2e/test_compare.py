"""mha-train compare and baseline: exit codes, what is refused, and that every form of output is what its readers expect."""
import copy
import json
import shutil
import unittest
import xml.etree.ElementTree as ElementTree

import toy

JUNIT = {  # element: (attributes that it must have, elements that it may hold)
    "testsuites": ({"tests", "failures", "errors", "time"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, {"testcase", "system-out"}),
    "testcase": ({"classname", "name", "time"}, {"failure", "skipped"}),
    "failure": ({"message", "type"}, set()),
    "skipped": ({"message"}, set()),
    "system-out": (set(), set()),
}


class Compare(toy.ToyTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        settings = {"data__max_tokens": 256, "train__max_update": 200, "train__validate_interval_updates": 200, "model__d_model": 32}
        cls.base, _ = cls.train("base", **settings)
        cls.other, _ = cls.train("other", seed=8, **settings)
        cls.baseline = cls.root / "baseline.json"
        cls.baseline.write_text(toy.run("baseline", cls.base).stdout, encoding="utf-8")

    def compare(self, base, new, *arguments, code=0):
        return toy.run("compare", base, new, *arguments, code=code)

    def changed(self, name, change):
        """The report of the base run after `change`, in a file."""
        report = copy.deepcopy(toy.report(self.base))
        change(report)
        path = self.root / f"{name}.json"
        path.write_text(json.dumps(report), encoding="utf-8")
        return path

    def with_bleu(self, score):
        return self.changed(f"bleu-{score}", lambda r: r["test"]["bleu"].update(score=score))

    def test_a_run_passes_against_itself_in_every_form(self):
        evaluated = self.root / "eval.json"
        evaluated.write_text(toy.run("eval", self.base, "--json").stdout, encoding="utf-8")
        for form in (self.base, self.base / "report.json", self.baseline, evaluated):
            for other in (self.base, self.baseline, evaluated):
                done = self.compare(form, other)
                self.assertIn("PASS: ", done.stdout)
                self.assertEqual(done.stderr, "")

    def test_equal_to_the_tolerance_passes(self):
        base = self.with_bleu(30.3)
        self.compare(base, self.with_bleu(29.8), "--tolerance", "bleu=0.5")
        done = self.compare(base, self.with_bleu(29.79), "--tolerance", "bleu=0.5", code=3)
        self.assertIn("FAIL: bleu fell by 0.51 (1.7 %), tolerance 0.5", done.stdout)
        self.compare(base, self.with_bleu(31), "--tolerance", "bleu=0")

    def test_null_fails_on_either_side(self):
        def unknown(report):
            report["test"]["bleu"]["score"] = None
            report["test"]["ppl"] = None
        null = self.changed("null", unknown)
        done = self.compare(self.base, null, code=3)
        self.assertIn("bleu not known in", done.stdout)
        self.compare(null, self.base, code=3)
        self.compare(self.base, null, "--tolerance", "chrf=1")
        result = toy.parse(self.compare(self.base, null, "--json", code=3).stdout)
        self.assertIsNone(result["metrics"][0]["new"])
        not_json = self.root / "nan.json"
        not_json.write_text(null.read_text().replace('"ppl": null', '"ppl": NaN'))
        self.assertIn("nan.json", self.compare(self.base, not_json, code=2).stderr)

    def test_a_run_that_did_not_complete_fails_and_is_no_baseline(self):
        diverged, _ = self.train("diverged", train__max_bad_updates=0, optimizer__lr=1e30, optimizer__warmup_updates=0, code=3)
        for arguments in ((), ("--tolerance", "params=0")):
            self.assertIn("diverged", self.compare(self.base, diverged, *arguments, code=3).stdout)
        self.assertIn("no baseline", toy.run("baseline", diverged, code=2).stderr)

    def test_what_was_tested_differently_is_refused(self):
        changes = {
            "test data (sources)": lambda r: r["test"].update(source_hash="0" * 64),
            "references": lambda r: r["test"].update(reference_hash="0" * 64),
            "BLEU signature": lambda r: r["test"]["bleu"].update(signature="nrefs:1|case:mixed|eff:no|tok:intl"),
            "decode.beam: 2 in the base, 3 in the new": lambda r: r["test"]["decode"].update(beam=3),
            "decode.precision": lambda r: r["test"].update(decode_precision="int8"),
            "tokenisation": lambda r: r["vocabulary"].update(target_hash="0" * 64),
        }
        for number, (said, change) in enumerate(changes.items()):
            with self.subTest(said):
                new = self.changed(f"different-{number}", change)
                for base in (self.base, self.baseline):
                    done = self.compare(base, new, code=2)
                    self.assertIn(said, done.stderr)
                    self.assertIn(" in the base, ", done.stderr)
                    self.assertEqual(done.stdout, "")

    def test_another_decoding_of_the_same_weights_is_refused(self):
        evaluated = self.root / "greedy.json"
        evaluated.write_text(toy.run("eval", self.base, "--beam", 1, "--json").stdout, encoding="utf-8")
        self.assertIn("decode.beam: 2 in the base, 1 in the new", self.compare(self.base, evaluated, code=2).stderr)

    def test_speed_of_another_machine_is_left_out_or_refused(self):
        def slower(report):
            report["provenance"]["processor"] = "another"
            report["throughput"]["wps"] /= 10
        new = self.changed("slower", slower)
        self.assertIn("not comparable: processor", self.compare(self.base, new).stdout)
        self.assertIn("wps is not comparable", self.compare(self.base, new, "--tolerance", "wps=10%", code=2).stderr)
        same_machine = self.changed("slow", lambda r: r["throughput"].update(wps=r["throughput"]["wps"] / 10))
        self.assertIn("wps fell", self.compare(self.base, same_machine, code=3).stdout)

    def test_tolerances_that_make_no_sense_are_refused(self):
        for text, said in (("belu=1", 'did you mean "bleu"?'), ("bleu=+1", "falls"), ("bleu=x", "METRIC=NUMBER"), ("", "empty"),
                           ("bleu=100", "would never fail")):
            self.assertIn(said, self.compare(self.base, self.base, "--tolerance", text, code=2).stderr)
        self.compare(self.base, self.base, "--json", "--markdown", code=2)

    def test_the_baseline_is_stable_and_knows_no_paths(self):
        moved = self.root / "moved"
        shutil.copytree(self.base, moved)
        self.assertEqual(toy.run("baseline", moved, cwd=self.root).stdout, self.baseline.read_text(encoding="utf-8"))
        self.assertNotIn("/", "".join(self.leaves(toy.parse(self.baseline.read_text(encoding="utf-8"))["test"])))
        self.assertNotIn(str(self.root), self.baseline.read_text(encoding="utf-8"))

    def leaves(self, value):
        return [leaf for item in value.values() for leaf in self.leaves(item)] if isinstance(value, dict) else [str(value)]

    def test_two_runs_get_the_paired_bootstrap(self):
        result = toy.parse(self.compare(self.base, self.other, "--tolerance", "params=0", "--resamples", 300, "--json").stdout)
        test = result["paired_bootstrap"]
        scores = [toy.report(run)["test"]["bleu"]["score"] for run in (self.base, self.other)]
        self.assertAlmostEqual(test["difference"], scores[1] - scores[0])
        self.assertLess(test["low"], test["high"])
        self.assertEqual(test["resamples"], 300)
        again = toy.parse(self.compare(self.base, self.other, "--tolerance", "params=0", "--resamples", 300, "--json").stdout)
        self.assertEqual(again, result)
        without = self.compare(self.baseline, self.other, "--tolerance", "params=0")
        self.assertIn("no paired bootstrap: the translations of", without.stdout)

    def test_significance_decides_only_if_asked(self):
        worse, better = sorted((self.base, self.other), key=lambda run: toy.report(run)["test"]["bleu"]["score"])
        result = toy.parse(self.compare(better, worse, "--tolerance", "bleu=0", "--json", code=3).stdout)
        significant = result["paired_bootstrap"]["p"] < 0.05
        done = self.compare(better, worse, "--tolerance", "bleu=0", "--significant-only", code=3 if significant else 0)
        self.assertEqual("not significantly" in done.stdout, not significant)
        self.assertIn("needs the paired bootstrap",
                      self.compare(self.baseline, worse, "--tolerance", "bleu=0", "--significant-only", code=2).stderr)
        self.compare(better, worse, "--tolerance", "chrf=0", "--significant-only", code=2)
        few = self.compare(better, worse, "--tolerance", "bleu=0", "--significant-only", "--resamples", 19, code=2)
        self.assertIn("--resamples of 100 at least", few.stderr)
        self.compare(better, worse, "--resamples", 100001, code=2)

    def check_junit(self, element):
        attributes, children = JUNIT[element.tag]
        self.assertLessEqual(attributes, set(element.attrib), element.tag)
        for child in element:
            self.assertIn(child.tag, children)
            self.check_junit(child)

    def test_junit_is_read_by_others(self):
        name = 'odd <&> "name"'
        new = self.changed(name, lambda r: r["test"]["bleu"].update(score=0.0))
        file = self.root / "deep/er/gate.xml"
        done = self.compare(self.base, new, "--tolerance", "bleu=0.5,chrf=0.5", "--junit", file, code=3)
        root = ElementTree.parse(file).getroot()
        self.assertEqual(root.tag, "testsuites")
        self.check_junit(root)
        suite, = root
        self.assertIn(name, suite.get("name"))
        cases = {case.get("name"): case for case in suite.iter("testcase")}
        self.assertIsNotNone(cases["bleu"].find("failure"))
        self.assertEqual(len(cases["chrf"]), 0)
        self.assertIsNotNone(cases["nll"].find("skipped"))
        for element in (root, suite):
            self.assertEqual(int(element.get("tests")), len(cases))
            self.assertEqual(int(element.get("failures")), 1)
        self.assertEqual(suite.findtext("system-out"), done.stdout)

    def test_markdown_is_a_table(self):
        text = self.compare(self.base, self.base, "--markdown").stdout
        rows = [line for line in text.splitlines() if line.startswith("|")]
        self.assertEqual(len(rows), 2 + 8)
        self.assertTrue(text.startswith("### PASS: "))

    def test_files_that_are_no_results_are_refused(self):
        other = self.root / "no-result.json"
        other.write_text("{}", encoding="utf-8")
        self.assertIn("neither a report", self.compare(self.base, other, code=2).stderr)
        self.compare(self.base, self.root / "absent", code=2)
        self.compare(self.base, self.root, code=2)
        toy.run("compare", self.base, code=2)


if __name__ == "__main__":
    unittest.main()
