"""`mha-train table` and `pick` from outside: every form of a small finished grid, and that its figures are those of the reports."""
import csv
import io
import itertools
import json
import pathlib
import re
import statistics
import unittest

import sweep_toy
import toy

AXES = ["h=1,2", "d_k=4,8", "seed=1,2"]
CELLS = ["h=1,d_k=4", "h=1,d_k=8", "h=2,d_k=4", "h=2,d_k=8"]
SIZES = {"params": "parameters", "memory": "peak_resident_bytes", "latency": "latency"}
KINDS = ([], ["--like", "table3"], ["--phenomena"], ["--like", "table3", "--phenomena"])


def annotated(data, folder):
    """The test split with a wrong sentence beside each right one, of two phenomena by turns."""
    rights = pathlib.Path(data["target"]).read_text(encoding="utf-8").splitlines()
    wrongs = [" ".join([*words, "be" if last == "ba" else "ba"]) for *words, last in map(str.split, rights)]
    lines = [json.dumps({"contrasts": [{"phenomenon": ("even", "odd")[i % 2], "target": wrong}]}) for i, wrong in enumerate(wrongs)]
    return {**data, "annotations": toy.write_lines(folder / "annotations.jsonl", lines)}


class Tables(sweep_toy.SweepTest):
    """One grid of four cells with two seeds, which all tests read."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = cls.grid("grid", {"baseline": "h=2,d_k=4"}, data__test=annotated(cls.data["test"], cls.root), data__max_tokens=256,
                            model__d_model=32, train__max_update=200, train__validate_interval_updates=200, train__validation_bleu="greedy")
        cls.out = cls.root / "out"
        cls.printed = cls.sweep(cls.path, cls.out, *AXES, "--jobs", 2).stdout
        cls.reports = {}
        for run in sweep_toy.read(cls.out)["runs"]:
            cls.reports.setdefault(run["cell"], []).append(toy.report(sweep_toy.folder(cls.out, run)))

    def table(self, *arguments):
        done = toy.run("table", self.out, *arguments)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def rows(self, *arguments):
        """Of a CSV file, by its header."""
        header, *rows = csv.reader(io.StringIO(self.table("--format", "csv", *arguments)))
        self.assertEqual(len(header), len(set(header)), header)
        for row in rows:
            self.assertEqual(len(row), len(header))
        return [dict(zip(header, row)) for row in rows]

    def test_text_and_what_the_sweep_prints(self):
        for kind in KINDS:
            text = self.table(*kind)
            self.assertIn("Made by: mha-train", text.replace("`", ""))
            self.assertEqual("\nAccuracy by phenomenon" in text, "--phenomena" in kind)
            self.assertEqual(bool(re.search(r"^\(A\) .*\n(.*\n)*\(B\) ", text, re.MULTILINE)), "--like" in kind)
        self.assertTrue(self.printed.startswith(self.table()), self.printed)
        self.assertEqual(self.table("--format", "text"), self.table())

    def test_markdown_has_whole_tables(self):
        for kind in KINDS:
            lines = self.table("--format", "markdown", *kind).splitlines()
            blocks = [list(block) for is_row, block in itertools.groupby(lines, lambda line: line.startswith("|")) if is_row]
            self.assertEqual([len(block) for block in blocks], [6, 4] if "--phenomena" in kind else [6])
            for block in blocks:
                self.assertEqual(len({len(re.findall(r"(?<!\\)\|", line)) for line in block}), 1, block)

    def test_latex_has_whole_tables(self):
        for kind in KINDS:
            text = self.table("--format", "latex", *kind)
            count = 2 if "--phenomena" in kind else 1
            for part in (r"\begin{table}", r"\end{table}", r"\begin{tabular}", r"\end{tabular}", r"\caption{"):
                self.assertEqual(text.count(part), count, part)
            self.assertEqual(len(re.findall(r"(?<!\\)\{", text)), len(re.findall(r"(?<!\\)\}", text)))
            for columns, body in re.findall(r"\\begin\{tabular\}\{(\w+)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL):
                for line in body.splitlines():
                    if line != r"\hline":
                        self.assertEqual(len(re.findall(r"(?<!\\)&", line)), len(columns) - 1, line)

    def test_json_is_strict(self):
        for kind in KINDS:
            table = sweep_toy.table(self.out, *kind)
            self.assertEqual(table["baseline"], "h=2,d_k=4")
            self.assertEqual(len(table["rows"]) if "--like" in kind else 4, 4)
            self.assertEqual([[phenomenon["name"] for phenomenon in cell["phenomena"]] for cell in table["cells"]], [["even", "odd"]] * 4)

    def test_csv_has_a_row_for_each(self):
        self.assertEqual([row["cell"] for row in self.rows()], CELLS)
        shapes = {row["row"]: (row["h"], row["d_k"]) for row in self.rows("--like", "table3")}
        self.assertEqual(shapes, {"base": ("2", "4"), "(A)": ("1", "8"), "(B)": ("2", "8"), "(others)": ("1", "4")})
        phenomena = self.rows("--phenomena")
        self.assertEqual([row["phenomenon"] for row in phenomena], ["even", "odd"])
        for row in phenomena:
            for cell in CELLS:
                counted = [p for report in self.reports[cell] for p in report["phenomena"] if p["name"] == row["phenomenon"]]
                self.assertEqual(sum(p["n"] for p in counted), 12)  # six sentences, two seeds
                self.assertAlmostEqual(float(row[cell]), sum(p["correct"] for p in counted) / 12)

    def test_two_tables_are_no_csv(self):
        done = toy.run("table", self.out, "--format", "csv", "--like", "table3", "--phenomena", code=2)
        self.assertIn("csv holds one", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_the_figures_are_those_of_the_reports(self):
        spreads = []
        rows = {row["cell"]: row for row in self.rows()}
        for cell in sweep_toy.table(self.out)["cells"]:
            reports = self.reports[cell["cell"]]
            scores = [report["test"]["bleu"]["score"] for report in reports]
            spreads.append(statistics.stdev(scores))
            self.assertAlmostEqual(cell["bleu"]["mean"], statistics.mean(scores), places=9)
            self.assertAlmostEqual(cell["bleu"]["sd"], spreads[-1], places=9)
            self.assertAlmostEqual(cell["nll_loss"], statistics.mean(report["test"]["nll_loss"] for report in reports), places=9)
            self.assertEqual(cell["parameters"], reports[0]["parameters"]["num_params"])
            self.assertEqual((cell["seeds"], cell["finished"], cell["unfinished"], cell["status"]), (2, 2, [], "done"))
            row = rows[cell["cell"]]
            self.assertEqual([float(row[key]) for key in ("bleu.mean", "bleu.sd", "parameters")],
                             [cell["bleu"]["mean"], cell["bleu"]["sd"], cell["parameters"]])
        self.assertTrue(any(spreads), "seeds that do not differ test nothing")

    def test_out_is_what_stdout_would_be(self):
        for form in ("text", "markdown", "latex", "csv", "json"):
            file = self.root / f"table.{form}"
            file.write_text("older", encoding="utf-8")
            self.assertEqual(self.table("--format", form, "--out", file), "")
            self.assertEqual(file.read_text(encoding="utf-8"), self.table("--format", form))

    def test_a_folder_without_a_sweep_is_refused(self):
        other = self.root / "no sweep"
        other.mkdir()
        file = self.root / "never.md"
        for command in (["table", other, "--out", file], ["pick", other, "--out", file]):
            done = toy.run(*command, code=2)
            self.assertIn(f"{other} has no sweep.json", done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual(list(self.root.glob("never.md*")), [])

    def test_pick_takes_the_smallest_within_the_margin(self):
        cells = {cell["cell"]: cell for cell in sweep_toy.table(self.out)["cells"]}
        best = max(cell["bleu"]["mean"] for cell in cells.values())
        for smallest, margin in [("params", "0"), *((smallest, "5") for smallest in SIZES), ("params", "100bleu")]:
            key, least = SIZES[smallest], best - float(margin.removesuffix("bleu"))
            within = [cell for cell in cells.values() if cell["bleu"]["mean"] >= least - 1e-9]
            expected = min(within, key=lambda cell: (cell[key], -cell["bleu"]["mean"]))
            file, arguments = self.root / f"{smallest}{margin}.json", ["--within", margin, "--smallest", smallest]
            said = toy.parse(toy.run("pick", self.out, *arguments, "--out", file, "--json").stdout)
            self.assertEqual((said["cell"], said["within"]), (expected["cell"], [cell["cell"] for cell in within]))
            self.assertEqual(cells[said["best"]]["bleu"]["mean"], best)
            self.assertTrue(toy.run("pick", self.out, *arguments).stdout.startswith(f"{said['cell']}  "))
            config = toy.parse(file.read_text(encoding="utf-8"))
            self.assertEqual(config, said["config"])
            self.assertFalse({"seed", "run_dir"} & set(config))
            shown = toy.parse(toy.run("config", "show", "--config", file, "--set", "run_dir=other").stdout)
            for where in (config, shown):
                self.assertEqual([where["attention"][name] for name in ("num_heads", "d_k")], [expected["point"][name] for name in ("h", "d_k")])
        self.assertEqual(len(within), 4)  # at the widest margin

    def test_a_picked_configuration_trains_as_the_cell_did(self):
        file = self.root / "picked.json"
        said = toy.parse(toy.run("pick", self.out, "--within", 100, "--out", file, "--json").stdout)
        toy.run("--config", file, "--run-dir", self.root / "picked", "--seed", 1)
        run = sweep_toy.runs(self.out)[f"{said['cell']} 1"]
        self.assertEqual(toy.losses(self.root / "picked"), toy.losses(sweep_toy.folder(self.out, run)))
        self.assertEqual(toy.report(self.root / "picked")["test"]["bleu"], self.reports[said["cell"]][0]["test"]["bleu"])

    def test_margins_of_pick_that_make_no_sense_are_refused(self):
        for margin in ("-1", "x", "5chrf", "nan"):
            self.assertIn("--within", toy.run("pick", self.out, f"--within={margin}", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
