"""What the report layer writes is strict JSON for another parser and fits its own JSON Schema.

usage: test_report_json.py REPORT_SAMPLES
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def refuse_repeated(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError(f"a repeated key among {keys}")
    return dict(pairs)


def strict(text):
    return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=refuse_repeated)


class ReportJsonTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.folder = pathlib.Path(cls.holder.name)
        subprocess.run([SAMPLES, cls.folder], check=True)
        cls.schema = strict(cls.read("schema.json"))
        cls.validator = jsonschema.Draft202012Validator(cls.schema)

    @classmethod
    def read(cls, name):
        return (cls.folder / name).read_text(encoding="utf-8", errors="strict")

    def test_schema_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_reports_are_strict_json_and_fit_the_schema(self):
        for name in ("full.json", "empty.json"):
            with self.subTest(name):
                self.validator.validate(strict(self.read(name)))

    def test_numbers_that_are_not_finite_are_null(self):
        last = strict(self.read("full.json"))["training"]["curve"][-1]
        self.assertIsNone(last["ppl"])
        self.assertEqual(last["nll_loss"], 750.0)

    def test_bytes_that_are_not_utf8_are_replaced(self):
        self.assertEqual(strict(self.read("full.json"))["provenance"]["processor"], "caf\ufffd")

    def test_schema_refuses_what_is_not_a_report(self):
        for change in ({"status": "fine"}, {"exit_code": "0"}, {"format_version": 2}, {"extra": 1}):
            with self.subTest(change), self.assertRaises(jsonschema.ValidationError):
                self.validator.validate(strict(self.read("full.json")) | change)

    def test_every_field_is_described(self):
        def visit(node, path):
            for key, child in node.get("properties", {}).items():
                self.assertTrue(child.get("description"), f"{path}.{key}")
                visit(child, f"{path}.{key}")
            for part in [node.get("items"), node.get("additionalProperties"), *node.get("anyOf", [])]:
                if isinstance(part, dict):
                    visit(part, path)

        visit(self.schema, "report")

    def test_events_are_one_strict_object_a_line(self):
        lines = self.read("events.jsonl").split("\n")
        self.assertEqual(lines.pop(), "")
        events = [strict(line) for line in lines]
        self.assertEqual([e["event"] for e in events], ["run_start", "train", "train", "skipped_update", "run_end"])
        for event in events:
            self.assertRegex(event["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertIsNone(events[2]["ppl"])


if __name__ == "__main__":
    SAMPLES = sys.argv.pop(1)
    unittest.main()
