"""mha-train config from outside: the schema agrees with the reader about good and bad files, show prints what was set where."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema

import toy

SOURCE = pathlib.Path(os.environ["MHA_SOURCE_DIR"])
CONFIGS = sorted((SOURCE / "configs").rglob("*.json"))
RUNNABLE = [path for path in CONFIGS if path.name != "base.json"]
QUICKSTART = SOURCE / "configs/quickstart.json"


def config(*arguments, code=0):
    done = subprocess.run([os.environ["MHA_TRAIN"], "config", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"exit code {done.returncode}, not {code}: {done.stderr}"
    return done


class Config(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads(config("schema").stdout)
        jsonschema.Draft202012Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft202012Validator(cls.schema)

    def test_every_file_in_configs_resolves_and_fits_the_schema(self):
        self.assertGreaterEqual(len(RUNNABLE), 10)
        for path in RUNNABLE:
            resolved = json.loads(config("show", path).stdout)
            self.assertEqual(list(self.validator.iter_errors(resolved)), [], path)

    def test_schema_and_reader_agree(self):
        good = [("model.d_model", "256"), ("seed", "4294967295"), ("seed", "1e3"), ("attention.d_k", '"ceil"'), ("attention.d_k", "null"),
                ("attention.cross", '{"num_heads": 2, "layers": {"1": {"num_heads": 1}}}'), ("attention.cross", "null"),
                ("data.train.source", '["a.en"]'), ("data.train.source", '"a.en"'), ("device", '"cpu"'), ("model.dropout", "0"),
                ("sweep.axes", '{"h": [1, 2], "d_k": "16..64+16", "lr": null}'), ("sweep.points", '[{"h": 1, "name": "x"}]')]
        bad = [("model.d_modle", "32"), ("attention.num_heads", "3.7"), ("attention.num_heads", "true"), ("attention.num_heads", "-1"),
               ("attention.num_heads", '"4"'), ("seed", "5000000000"), ("optimizer.lr", "0"), ("model.dropout", "1"), ("device", '"gpu"'),
               ("attention.d_k", '"floor"'), ("attention.cross", '{"layers": {"0": {}}}'), ("attention.cross", '{"layers": {"1": {"x": 1}}}'),
               ("attention.layers", "{}"), ("optimizer.betas", '["a"]'), ("train", "null"), ("model", "[]"),
               ("sweep.axes", '{"h": []}'), ("sweep.axes", '{"h": 4}'), ("sweep.axes", '{"": [1]}'), ("sweep.points", "[{}]"), ("sweep.hold", '"d_k"')]
        for verdict, cases in ((True, good), (False, bad)):
            for path, text in cases:
                piece = json.loads(text)
                for key in reversed(path.split(".")):
                    piece = {key: piece}
                self.assertEqual(self.validator.is_valid(piece), verdict, (path, text))
                with tempfile.TemporaryDirectory() as folder:
                    file = pathlib.Path(folder, "case.json")
                    file.write_text(json.dumps({"extends": str(QUICKSTART), **piece}))
                    config("show", file, code=0 if verdict else 2)

    def test_grids_are_plans_of_nine_cells_and_two_seeds(self):
        grids = [path for path in RUNNABLE if path.name.startswith("sweep_")]
        self.assertGreaterEqual(len(grids), 1)
        for path in grids:
            plan = toy.parse(toy.run("sweep", "--config", path, "--dry-run", "--json", "--threads", 1).stdout)
            self.assertEqual([plan["totals"][key] for key in ("cells", "runs", "to_train", "invalid_cells", "excluded_cells")], [9, 18, 18, 0, 0], path)
            self.assertIn(plan["baseline"], {run["cell"] for run in plan["runs"]})

    def test_resolved_configuration_reads_back_the_same(self):
        first = config("show", QUICKSTART).stdout
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "resolved.json")
            file.write_text(first)
            self.assertEqual(config("show", "--config", file).stdout, first)

    def test_origins(self):
        shown = json.loads(config("show", QUICKSTART, "--origins", "--set", "model.d_model=256").stdout)
        self.assertEqual(shown["model.d_model"], {"value": 256, "origin": "--set"})
        self.assertEqual(shown["model.d_ff"], {"value": 512, "origin": str(QUICKSTART)})
        self.assertEqual(shown["decode.beam"], {"value": 5, "origin": str(QUICKSTART.parent / "base.json")})
        self.assertEqual(shown["decode.nbest"], {"value": 1, "origin": "the defaults"})

    def test_problems_go_to_stderr_all_at_once(self):
        done = config("show", QUICKSTART, "--set", "model.d_modle=32", "--set", "attention.num_heads=3.7", code=2)
        self.assertEqual(done.stdout, "")
        self.assertIn("model.d_modle (--set): unknown key; did you mean d_model?", done.stderr)
        self.assertIn("attention.num_heads (--set): must be an integer from 1 to 1024, not 3.7", done.stderr)
        self.assertIn("KEY=VALUE", config("show", QUICKSTART, "--set", "model", code=2).stderr)

    def test_kinds_have_a_name_and_a_summary(self):
        lines = config("kinds").stdout.splitlines()
        self.assertIn("scaled_dot", [line.split("\t")[0] for line in lines])
        for line in lines:
            self.assertRegex(line, r"^\w+\t\S")


if __name__ == "__main__":
    unittest.main()
