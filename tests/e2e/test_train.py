"""A whole training of the built binary: what it prints, what it leaves, what it refuses, and whether the numbers mean what they say."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import jsonschema

import toy

LOG_LINE = r"^(\d\d:\d\d:\d\d (info|warning|error) \S|update \d+/)"
MIB = 1 << 20


class Results(toy.ToyTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_dir, cls.done = cls.train("whole")
        cls.report = toy.report(cls.run_dir)

    def test_report_fits_its_schema(self):
        schema = toy.parse(toy.run("report", "schema").stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(self.report, schema)
        self.assertEqual((self.report["status"], self.report["exit_code"]), ("completed", 0))
        self.assertEqual(self.report["training"]["stop_reason"], "max_update")

    def test_loss_fell(self):
        curve = self.report["training"]["curve"]
        self.assertLess(curve[-1]["loss"], 0.9 * curve[0]["loss"])
        validations = [v["nll_loss"] for v in self.report["training"]["validations"]]
        self.assertEqual(len(validations), 3)
        self.assertLess(validations[-1], validations[0])

    def test_output_is_results_and_stderr_is_logs(self):
        self.assertRegex(self.done.stdout, r"^status +completed\n")
        self.assertIn(f"report: {self.run_dir / 'report.json'}", self.done.stdout)
        for line in self.done.stderr.splitlines():
            self.assertRegex(line, LOG_LINE)
        for text in (self.done.stdout, self.done.stderr):
            self.assertEqual([c for c in text if ord(c) < 32 and c != "\n"], [])

    def test_json_prints_the_report(self):
        run_dir, done = self.train("as_json", "--json")
        self.assertEqual(toy.parse(done.stdout), toy.report(run_dir))

    def test_report_show_prints_the_same(self):
        self.assertEqual(toy.parse(toy.run("report", "show", self.run_dir, "--json").stdout), self.report)
        self.assertTrue(self.done.stdout.startswith(toy.run("report", "show", self.run_dir).stdout))

    def test_events_are_the_report_s_curve(self):
        strip = [{key: value for key, value in event.items() if key not in ("event", "time")} for event in toy.events(self.run_dir, "train")]
        self.assertEqual(strip, self.report["training"]["curve"])
        self.assertEqual([e["status"] for e in toy.events(self.run_dir, "run_end")], ["completed"])

    def test_files_named_in_the_report_are_there(self):
        for checkpoint in self.report["training"]["checkpoints"]:
            self.assertEqual((self.run_dir / checkpoint["file"]).stat().st_size, checkpoint["bytes"])
        lines = (self.run_dir / self.report["test"]["hypotheses"]).read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), self.report["data"]["test"]["read"])

    def test_dry_run_writes_nothing(self):
        before = toy.hashes(self.root)
        done = toy.run("--config", self.root / "whole.json", "--run-dir", self.root / "dry", "--dry-run", "--set", "model.d_model=32", cwd=self.root)
        self.assertEqual(toy.parse(done.stdout)["model"]["d_model"], 32)
        self.assertEqual(toy.hashes(self.root), before)
        self.assertFalse((self.root / "dry").exists())

    def test_config_alone_trains_in_a_folder_named_by_name_and_hash(self):
        with tempfile.TemporaryDirectory() as folder:
            toy.run("--config", self.config("alone", train__max_update=3), cwd=folder)
            runs = [p for p in pathlib.Path(folder, "runs").iterdir() if p.name != "cache"]
            self.assertEqual([p.name for p in runs], ["alone-" + toy.report(runs[0])["provenance"]["config_hash"][:8]])


class SameFolder(toy.ToyTest):
    """What happens in a run folder that is not new."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.endless = cls.config("endless", train__max_update=1000000, train__save_interval_updates=5, train__log_interval=5)
        cls.half = cls.root / "half"
        cls.interrupt(cls.half)

    @classmethod
    def interrupt(cls, run_dir):
        with toy.started("--config", cls.endless, "--run-dir", run_dir) as process:
            toy.wait_for_update(process, run_dir, 5)
            process.send_signal(signal.SIGTERM)
            assert process.wait(toy.TIMEOUT) == 143

    def test_finished_run_is_left_alone(self):
        run_dir, _ = self.train("finished")
        before = toy.hashes(run_dir)
        for arguments in ([], ["--resume"]):
            done = toy.run("--config", self.root / "finished.json", "--run-dir", run_dir, *arguments)
            self.assertIn("is finished", done.stdout)
            self.assertIn("report.json", done.stdout)
            self.assertEqual(toy.hashes(run_dir), before)

    def test_half_finished_run_needs_resume(self):
        before = toy.hashes(self.half)
        done = toy.run("--config", self.endless, "--run-dir", self.half, code=2)
        self.assertRegex(done.stderr, r"not finished.*--resume.*--run-dir")
        self.assertEqual(toy.hashes(self.half), before)

    def test_other_configuration_is_refused_naming_the_keys(self):
        before = toy.hashes(self.half)
        # The last one has parameters of the very same shapes.
        for key, there, now in (("optimizer.lr", "0.01", "0.02"), ("model.d_model", "16", "32"), ("seed", "7", "8"), ("attention.num_heads", "2", "4")):
            for resume in ([], ["--resume"]):
                done = toy.run("--config", self.endless, "--run-dir", self.half, "--set", f"{key}={now}", *resume, code=2)
                self.assertIn(f"\n  {key}: {there} there, {now} now\n", done.stderr)
                self.assertNotIn("threads", done.stderr)
        self.assertEqual(toy.hashes(self.half), before)

    def test_weights_of_another_model_are_refused_even_if_all_shapes_agree(self):
        moved = self.root / "moved"
        (moved / "checkpoints").mkdir(parents=True)
        for state in (self.half / "checkpoints").glob("state-*"):
            (moved / "checkpoints" / state.name).write_bytes(state.read_bytes())
        done = toy.run("--config", self.endless, "--run-dir", moved, "--resume", "--set", "attention.num_heads=4", code=2)
        self.assertRegex(done.stderr, "num_heads.*2.*4")

    def test_second_process_is_refused(self):
        run_dir = self.root / "busy"
        with toy.started("--config", self.endless, "--run-dir", run_dir) as process:
            toy.wait_for_update(process, run_dir, 5)
            for resume in ([], ["--resume"]):
                done = toy.run("--config", self.endless, "--run-dir", run_dir, *resume, code=2)
                self.assertIn(f"another process uses {run_dir}", done.stderr)
            self.assertIsNone(process.poll())

    def test_neutral_keys_may_change(self):
        run_dir, _ = self.train("neutral")
        done = toy.run("--config", self.root / "neutral.json", "--run-dir", run_dir, "--threads", 2, "--set", "train.log_interval=9")
        self.assertIn("is finished", done.stdout)


class Numbers(toy.ToyTest):
    def train_words(self, name, **changes):
        """A training on whole words, whose subwords can be counted without the tool."""
        words = self.root / "words.txt"
        toy.write_lines(words, toy.WORDS)
        run_dir, _ = self.train(name, vocab={"type": "file", "model": str(words)}, **changes)
        return run_dir

    def test_tokens_and_speed(self):
        run_dir = self.train_words("tokens", train__max_epoch=3, train__max_update=None)
        report, updates = toy.report(run_dir), toy.events(run_dir, "train")
        lines = pathlib.Path(self.data["train"]["target"]).read_text(encoding="utf-8").splitlines()
        words_and_ends = sum(len(line.split()) + 1 for line in lines)
        self.assertEqual(report["data"]["train"]["target_tokens"], words_and_ends)
        throughput = report["throughput"]
        self.assertEqual(throughput["target_tokens"], 3 * words_and_ends)
        self.assertEqual(sum(event["wpb"] for event in updates), 3 * words_and_ends)
        self.assertEqual(sum(event["bsz"] for event in updates), 3 * len(lines))
        seconds = throughput["seconds"]
        self.assertAlmostEqual(throughput["wps"], throughput["target_tokens"] / seconds["training"], delta=1e-6 * throughput["wps"])
        self.assertAlmostEqual(throughput["ups"], len(updates) / seconds["training"], delta=1e-6 * throughput["ups"])
        parts = sum(value for key, value in seconds.items() if key != "total")
        self.assertLessEqual(parts, seconds["total"])
        self.assertLess(seconds["total"], toy.TIMEOUT)

    def test_padding_and_source_tokens(self):
        pairs = {"source": toy.write_lines(self.root / "two.src", ["ba", "ba be bi"]), "target": toy.write_lines(self.root / "two.trg", ["be", "bi be ba"])}
        throughput = toy.report(self.train_words("padding", data__train=pairs, train__max_update=4))["throughput"]
        # One batch of sides of 2 and of 4 tokens, EOS counted: 12 tokens on 16 positions, four times.
        self.assertEqual((throughput["source_tokens"], throughput["target_tokens"], throughput["bsz"], throughput["wpb"]), (24, 24, 2, 6))
        self.assertAlmostEqual(throughput["padding_share"], 0.25, places=12)
        self.assertAlmostEqual(throughput["source_wps"], 24 / throughput["seconds"]["training"], delta=1e-6 * throughput["source_wps"])
        self.assertGreater(throughput["data_wait_share"], 0)
        self.assertLess(throughput["data_wait_share"], 1)

    def test_phenomena_compare_the_right_with_the_wrong_sentence(self):
        rights = pathlib.Path(self.data["test"]["target"]).read_text(encoding="utf-8").splitlines()
        wrongs = [" ".join([*words, "be" if last == "ba" else "ba"]) for *words, last in map(str.split, rights)]

        def annotations(name, others):
            contrasts = [[{"phenomenon": ("even", "odd")[i % 2], "target": other}] for i, other in enumerate(others)]
            return toy.write_lines(self.root / name, [json.dumps({"contrasts": contrast}) for contrast in contrasts])

        run_dir = self.train_words("phenomena", data__test={**self.data["test"], "annotations": annotations("right.jsonl", wrongs)})
        reported = toy.report(run_dir)["phenomena"]
        self.assertEqual([(p["name"], p["n"]) for p in reported], [("even", 6), ("odd", 6)])
        self.assertEqual([p["accuracy"] for p in reported], [p["correct"] / 6 for p in reported])
        self.assertEqual(toy.parse(toy.run("eval", run_dir, "--json").stdout)["phenomena"], reported)
        self.assertRegex(toy.run("eval", run_dir).stdout, r"\nphenomenon +n +accuracy.*\neven +6 ")
        # With right and wrong exchanged, exactly the others are found.
        exchanged = ["--source", self.data["test"]["source"], "--target", toy.write_lines(self.root / "wrong.trg", wrongs),
                     "--annotations", annotations("wrong.jsonl", rights)]
        others = toy.parse(toy.run("eval", run_dir, *exchanged, "--json").stdout)["phenomena"]
        self.assertEqual([p["correct"] + o["correct"] for p, o in zip(reported, others, strict=True)], [6, 6])

    def peak(self, name, small_start):
        """Peak memory as the report and as the kernel (wait4) tell it; `small_start` or from a parent of 400 MiB."""
        run_dir, before = self.root / name, "" if small_start else f"held = b'x' * {400 * MIB}; "
        command = [toy.BINARY, "--config", str(self.config("peak")), "--run-dir", str(run_dir)]
        script = before + ("import os, sys\n"
                           "child = os.fork()\n"
                           "if child == 0:\n"
                           "    os.dup2(os.open(os.devnull, os.O_WRONLY), 1), os.dup2(1, 2)\n"
                           "    os.execv(sys.argv[1], sys.argv[1:])\n"
                           "_, status, usage = os.wait4(child, 0)\n"
                           "print(usage.ru_maxrss * 1024) if status == 0 else sys.exit(1)\n")
        done = subprocess.run([sys.executable, "-c", script, *command], capture_output=True, text=True, check=True, timeout=toy.TIMEOUT)
        return toy.report(run_dir)["memory"]["peak_resident_bytes"], int(done.stdout)

    def test_peak_memory_is_the_process_s_own(self):
        reported, kernel = self.peak("small", small_start=True)
        self.assertAlmostEqual(reported, kernel, delta=0.1 * kernel)
        big_reported, big_kernel = self.peak("big", small_start=False)
        self.assertGreaterEqual(big_kernel, 400 * MIB)  # the figure that survives exec
        self.assertAlmostEqual(big_reported, reported, delta=0.1 * reported)

    def test_validating_does_not_change_the_training(self):
        dropout = {"model__dropout": 0.5, "attention__attention_dropout": 0.5, "model__activation_dropout": 0.5}
        curves = {}
        for interval in (1, 5, 7, 0):
            run_dir, _ = self.train(f"every{interval}", train__validate_interval_updates=interval, **dropout)
            curves[interval] = toy.losses(run_dir)
            self.assertEqual([n for n, _ in curves[interval]], list(range(1, 31)))
        for interval in (1, 5, 7):
            self.assertEqual(curves[interval], curves[0])

    def test_evaluating_twice_gives_the_same(self):
        run_dir, _ = self.train("twice", model__dropout=0.5, attention__attention_dropout=0.5)
        first, second = (toy.parse(toy.run("eval", run_dir, "--json").stdout)["test"] for _ in range(2))
        for scores in (first, second):
            del scores["seconds"], scores["decode_seconds"]
        self.assertEqual(first, second)

    def test_same_seed_same_run_other_seed_other_run(self):
        first, _ = self.train("first")
        second, _ = self.train("second")
        other, _ = self.train("other_seed", "--seed", 8)
        self.assertEqual(toy.losses(first), toy.losses(second))
        self.assertNotEqual(toy.losses(first), toy.losses(other))

    def test_both_attention_paths_learn_alike(self):
        """100 updates with every dropout on: the packed form and the one that any kind has, from the same masks."""
        curves = {}
        for path in ("auto", "generic"):
            run_dir, _ = self.train(f"path_{path}", attention__path=path, attention__attention_dropout=0.2, model__activation_dropout=0.1,
                                    model__dropout=0.3, train__max_update=100, train__validate_interval_updates=50)
            self.assertEqual({block["path"] for block in toy.report(run_dir)["attention"]}, {"packed" if path == "auto" else "padded"})
            curves[path] = toy.losses(run_dir)
        self.assertEqual(len(curves["auto"]), 100)
        for (update, packed), (_, padded) in zip(curves["auto"], curves["generic"]):
            self.assertAlmostEqual(packed, padded, delta=1e-4, msg=f"update {update}")

    def test_cuda_learns_as_the_processor_does(self):
        probe = subprocess.run([toy.BINARY, "--config", self.config("cuda_probe", train__max_update=1, device="cuda"), "--run-dir", self.root / "cuda_probe"],
                               capture_output=True, text=True, timeout=toy.TIMEOUT)
        if "no CUDA device" in probe.stderr:
            self.skipTest("there is no CUDA device")
        curves = {}
        for device in ("cpu", "cuda"):
            run_dir, _ = self.train(f"on_{device}", device=device, train__precision="fp32", model__dropout=0.2)
            self.assertEqual({block["path"] for block in toy.report(run_dir)["attention"]}, {"packed" if device == "cpu" else "fused"})
            curves[device] = toy.losses(run_dir)
        for (update, here), (_, there) in zip(curves["cpu"], curves["cuda"]):
            self.assertAlmostEqual(here, there, delta=1e-2, msg=f"update {update}")


class Terminal(toy.ToyTest):
    def test_progress_line_on_a_terminal(self):
        master, slave = os.openpty()
        path = self.config("terminal")
        process = subprocess.Popen([toy.BINARY, "--config", path, "--run-dir", self.root / "terminal"], stdout=subprocess.PIPE, stderr=slave)
        os.close(slave)
        shown = b""
        deadline = time.monotonic() + toy.TIMEOUT
        while time.monotonic() < deadline:
            try:
                shown += os.read(master, 65536)
            except OSError:  # the other end is closed
                break
        os.close(master)
        output = process.communicate(timeout=toy.TIMEOUT)[0]
        self.assertEqual(process.returncode, 0)
        self.assertIn(b"\r\x1b[K", shown)
        self.assertNotIn(b"\x1b", output)


if __name__ == "__main__":
    unittest.main()
