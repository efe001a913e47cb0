"""`mha-train sweep` from outside: every kind of end, restarts, signals, shards, and what each run measures of itself."""
import csv
import io
import os
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import time
import unittest

import jsonschema

import sweep_toy
import toy

ENDLESS = {"train__max_update": 1000000}
FINITE = 400  # updates: about a second, long enough to be caught in the middle


class Ends(sweep_toy.SweepTest):
    """One failed cell does not end the others, and each is told with its reason."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        points = [{"name": "good", "h": 2}, {"name": "invalid", "h": 3}, {"name": "diverges", "lr": 1e30, "optimizer.warmup_updates": 0},
                  {"name": "huge", "d_model": 4096, "d_ff": 16384}, {"name": "killed", **{"train.max_update": 1000000}}, {"name": "other", "h": 4}]
        cls.path = cls.grid("ends", {"points": points})
        cls.out = cls.root / "ends"
        limit = 1500 << 20  # of address space: less than the parameters of one cell
        with toy.started("sweep", "--config", cls.path, "--out", cls.out, "--jobs", 2,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))) as process:
            sweep_toy.kill_run(process, cls.out, "killed 7", 5)
            cls.code = process.wait(toy.TIMEOUT)
            cls.messages = process.messages()
        cls.runs = sweep_toy.runs(cls.out)

    def test_the_others_are_finished_and_the_exit_code_tells(self):
        self.assertEqual(self.code, 4, self.messages)
        expected = {"good 7": "done", "invalid 7": "invalid", "diverges 7": "diverged", "huge 7": "out_of_memory", "killed 7": "failed", "other 7": "done"}
        self.assertEqual(sweep_toy.statuses(self.out), expected)

    def test_each_has_its_reason_exit_code_and_log(self):
        for label, reason, code in (("invalid 7", "16.*3|3.*16", None), ("diverges 7", "not finite", 3), ("huge 7", "memory", 1), ("killed 7", "killed by signal 9", 137)):
            self.assertRegex(self.runs[label]["reason"], reason)
            self.assertEqual(self.runs[label]["exit_code"], code)
        for label in ("diverges 7", "huge 7"):
            self.assertIn("error", (self.out / self.runs[label]["log"]).read_text(encoding="utf-8"))

    def test_messages_are_whole_lines_without_control_codes(self):
        for line in self.messages.splitlines():
            self.assertRegex(line, r"^\d\d:\d\d:\d\d (info|warning|error) \S")
        self.assertRegex(self.messages, r"good seed 7: done \(\d/5\): BLEU")
        self.assertRegex(self.messages, r"killed seed 7: failed .*killed by signal 9")

    def test_sweep_json_fits_its_schema(self):
        schema = toy.parse(toy.run("report", "schema", "sweep").stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(sweep_toy.read(self.out), schema)

    def test_the_command_is_kept(self):
        self.assertRegex(sweep_toy.read(self.out)["command"], r"^mha-train sweep .*--out ")

    def test_failed_runs_are_tried_again_only_if_asked_for(self):
        before = sweep_toy.reports(self.out)
        done = self.sweep(self.path, self.out, "--jobs", 2, code=4)
        self.assertIn("killed by signal 9", done.stdout)
        self.assertIn(f"sweep: {self.out / 'sweep.json'}", done.stdout)
        self.assertEqual(sweep_toy.runs(self.out), self.runs)
        self.assertEqual(sweep_toy.reports(self.out), before)

    def test_the_table_tells_what_came_to_nothing(self):
        words = {"invalid": "invalid", "diverges": "diverged", "huge": "out of memory", "killed": "failed"}
        table, text = sweep_toy.table(self.out), toy.run("table", self.out).stdout
        cells = {cell["cell"]: cell for cell in table["cells"]}
        self.assertEqual(len(cells), 6)
        for cell, status in words.items():
            run, (said,) = self.runs[f"{cell} 7"], cells[cell]["unfinished"]
            self.assertEqual((said["seed"], said["status"], said["reason"]), (7, run["status"], run["reason"]))
            row, = [line for line in text.splitlines() if re.match(rf"{cell} +7 +{status} ", line)]
            self.assertIn(" ".join(run["reason"].split()), " ".join(row.split()))
            self.assertRegex(text, rf"\n{cell} .* {status}\n")
            if cell != "invalid":  # which was never started
                self.assertEqual(said["log"], run["log"])
                self.assertTrue(row.endswith(run["log"]), row)
        for cell in ("good", "other"):
            self.assertEqual((cells[cell]["status"], cells[cell]["unfinished"]), ("done", []))
        for said in (table["head_line"], text):
            counts, = re.findall(r"Runs without a result: ([^.]*)\.", said)
            self.assertEqual(sorted(counts.split(", ")), sorted(f"1 {status}" for status in words.values()))
        rows = list(csv.DictReader(io.StringIO(toy.run("table", self.out, "--format", "csv").stdout)))
        self.assertEqual({row["cell"]: row["status"] for row in rows}, {**words, "good": "done", "other": "done"})
        self.assertEqual(len(rows), 6)

    def test_an_invalid_cell_alone_counts_each_time(self):
        config, out = self.grid("one invalid"), self.root / "one invalid"
        self.sweep(config, out, "h=2,3", code=4)
        self.assertEqual(sweep_toy.statuses(out), {"h=2 7": "done", "h=3 7": "invalid"})
        before = toy.hashes(out / "runs")
        self.sweep(config, out, "h=2,3", code=4)
        self.assertEqual(toy.hashes(out / "runs"), before)
        self.assertEqual(sweep_toy.statuses(out), {"h=2 7": "done", "h=3 7": "invalid"})

    def test_what_is_excluded_is_no_failure(self):
        config, out = self.grid("excluding", {"exclude": [{"h": 4}]}, train__max_update=2), self.root / "excluding"
        self.sweep(config, out, "h=2,4")
        self.assertEqual(sweep_toy.statuses(out), {"h=2 7": "done", "h=4 7": "excluded"})
        self.assertIn("sweep.exclude", sweep_toy.runs(out)["h=4 7"]["reason"])


class Grids(sweep_toy.SweepTest):
    def test_a_value_more_is_new_runs_and_a_changed_base_is_refused(self):
        config, out = self.grid("grow"), self.root / "grow"
        self.sweep(config, out, "h=1,2,2", "d_k=4", "--jobs", 2)
        self.assertEqual(sweep_toy.statuses(out), {"h=1,d_k=4 7": "done", "h=2,d_k=4 7": "done"})
        before = toy.hashes(out / "runs")
        done = self.sweep(config, out, "h=1,2,4", "d_k=4", "--jobs", 2, "--json")
        self.assertEqual(toy.parse(done.stdout), sweep_toy.read(out))
        after = toy.hashes(out / "runs")
        self.assertEqual({path: after[path] for path in before if path.parts[0] != "cache"}, {path: before[path] for path in before if path.parts[0] != "cache"})
        self.assertEqual(set(sweep_toy.statuses(out).values()), {"done"})
        self.assertEqual([run["attempts"] for run in sweep_toy.read(out)["runs"]], [1, 1, 1])
        refused = self.sweep(config, out, "h=1,2,4", "d_k=4", "--set", "optimizer.lr=0.5", code=2)
        self.assertIn("optimizer.lr: 0.01 there, 0.5 now", refused.stderr)
        self.assertEqual(toy.hashes(out / "runs"), after)

    def test_bad_input_leaves_nothing(self):
        config = self.grid("bad")
        for arguments, message in ((["h=1", "--shard", "3/2"], "--shard"), (["q=1"], "q"), (["h=1", "--partition", "x"], "slurm"),
                                   (["h=1", "--shard", "1/2", "--launcher", "slurm"], "--shard"), (["h=1", "--dry-run", "--shard", "9/2"], "--shard"),
                                   (["h=1", "--print-commands", "--jobs", 2], "--jobs"), (["h=1", "--dry-run", "--max-memory", ""], "--max-memory"), (["h=1", "--dry-run", "--time", "1:00"], "slurm"),
                                   (["h=1,2,4", "--halving", "--set", "train.validate_interval_updates=0"], "validate_interval_updates")):
            done = self.sweep(config, self.root / "bad", *arguments, code=2)
            self.assertIn(message, done.stderr)
            self.assertFalse((self.root / "bad" / "runs").exists() and list((self.root / "bad" / "runs").iterdir()))
            self.assertEqual(done.stdout, "")

    def test_dry_run_does_nothing(self):
        before = toy.hashes(self.root)
        plan = toy.parse(self.sweep(self.grid("bad"), self.root / "dry", "h=1,2", "d_k=4,8", "--dry-run", "--json").stdout)
        self.assertEqual(len(plan["runs"]), 4)
        self.assertFalse((self.root / "dry").exists())
        self.assertLessEqual(set(before), set(toy.hashes(self.root)))

    def test_printed_commands_are_the_runs(self):
        config, out = self.grid("printed"), self.root / "printed by 'hand'"
        commands = self.sweep(config, out, "h=1,2", "d_k=4", "--print-commands").stdout.splitlines()
        self.assertEqual(len(commands), 2)
        for command in commands:
            subprocess.run(command, shell=True, check=True, capture_output=True, timeout=toy.TIMEOUT)
        self.sweep(config, out, "h=1,2", "d_k=4")
        self.assertEqual(set(sweep_toy.statuses(out).values()), {"done"})
        self.assertEqual([run["attempts"] for run in sweep_toy.read(out)["runs"]], [0, 0])

    def test_shards_at_once_share_the_folder_and_the_data(self):
        config, out = self.grid("shards"), self.root / "shards"
        axes = ["h=1,2", "d_k=4,8", "seed=1"]
        processes = [toy.started("sweep", "--config", config, "--out", out, *axes, "--jobs", 1, "--threads", 1, "--shard", f"{i}/3") for i in (1, 2, 3)]
        codes = [process.wait(toy.TIMEOUT) for process in processes]
        messages = [process.messages() for process in processes]
        for process in processes:
            process.__exit__(None, None, None)
        self.assertEqual(codes, [0, 0, 0], messages)
        self.assertEqual([(run["status"], run["attempts"]) for run in sweep_toy.read(out)["runs"]], [("done", 1)] * 4)
        logs = "".join(path.read_text(encoding="utf-8") for path in out.glob("logs/*.log"))
        self.assertEqual(logs.count("training a bpe vocabulary"), 1)

    def test_halving_cuts_all_but_the_best(self):
        config, out = self.grid("halved", train__validate_interval_updates=5), self.root / "halved"
        self.sweep(config, out, "h=1,2", "d_k=2,4,8", "--jobs", 2, "--halving")
        runs = sweep_toy.runs(out).values()
        self.assertEqual(sorted(run["status"] for run in runs), ["cut"] * 4 + ["done"] * 2)
        for run in runs:
            updates = [event["num_updates"] for event in toy.events(sweep_toy.folder(out, run), "train")]
            self.assertEqual(updates[-1], 10 if run["status"] == "cut" else 30)
            self.assertEqual(updates, list(range(1, updates[-1] + 1)))
            if run["status"] == "cut":
                self.assertIn("cut at update 10", run["reason"])
        again = self.sweep(config, out, "h=1,2", "d_k=2,4,8", "--jobs", 2)  # without it, what was cut goes on
        self.assertEqual(set(sweep_toy.statuses(out).values()), {"done"}, again.stderr)

    def test_a_paused_and_resumed_run_is_one_that_was_not(self):
        config, out = self.grid("paused"), self.root / "paused"
        self.sweep(config, out, "h=2,4", "--jobs", 2)
        for run in sweep_toy.runs(out).values():
            resolved = next((out / "configs").glob(f"{run['id']}.json"))
            stepwise = self.root / f"stepwise{run['id']}"
            for stop in (7, 7, 20):
                toy.run("--config", resolved, "--run-dir", stepwise, "--resume", "--stop-after-updates", stop)
                self.assertEqual(toy.report(stepwise)["training"]["num_updates"], stop)
            toy.run("--config", resolved, "--run-dir", stepwise, "--resume")
            self.assertEqual(toy.losses(stepwise), toy.losses(sweep_toy.folder(out, run)))

    def test_a_terminal_shows_how_far_each_cell_is(self):
        terminal, inside = pty.openpty()
        shown = b""
        with subprocess.Popen([toy.BINARY, "sweep", "--config", self.grid("shown", train__max_update=400), "--out", self.root / "shown", "h=1,2", "--jobs", "2"],
                              stdout=subprocess.DEVNULL, stderr=inside) as process:
            os.close(inside)
            while select.select([terminal], [], [], toy.TIMEOUT)[0]:
                try:
                    shown += os.read(terminal, 65536)
                except OSError:  # closed by its last writer
                    break
            self.assertEqual(process.wait(toy.TIMEOUT), 0)
        os.close(terminal)
        self.assertRegex(shown.decode(), r"h=1 seed 7 +update \d+/400")
        self.assertRegex(shown.decode(), r"\[#*\.*\] \d/2 done")
        self.assertIn("\x1b[J", shown.decode())


class Memory(sweep_toy.SweepTest):
    def test_a_small_cell_s_peak_is_its_own_in_either_order(self):
        peaks = []
        for name, widths in (("big_first", "65536,32"), ("small_first", "32,65536")):
            config, out = self.grid("memory", train__max_update=2, train__save_interval_updates=0), self.root / name
            self.sweep(config, out, f"d_ff={widths}", "--jobs", 1, "--threads", 1)
            runs = sweep_toy.runs(out)
            peak = {cell: toy.report(sweep_toy.folder(out, runs[f"d_ff={cell} 7"]))["memory"]["peak_resident_bytes"] for cell in (32, 65536)}
            self.assertGreater(peak[65536], 1.2 * peak[32])
            peaks.append(peak[32])
        self.assertLess(abs(peaks[0] - peaks[1]), 0.1 * peaks[0], peaks)


class Signals(sweep_toy.SweepTest):
    SECONDS = 20  # to save and to end; the machine may be busy
    AXES = ["h=1,2,4", "d_k=4", "--jobs", 2]

    def stop(self, name, *numbers, pause=0.3, **changes):
        """Signals to a sweep that trains two of its three runs; its exit code, its folder and those of the two."""
        config, out = self.grid(name, **{**ENDLESS, **changes}), self.root / name
        with toy.started("sweep", "--config", config, "--out", out, *self.AXES) as process:
            toy.wait_until(process, lambda: (out / "sweep.json").exists(), "sweep.json")
            folders = [sweep_toy.folder(out, run) for run in list(sweep_toy.runs(out).values())[:2]]
            for each in folders:
                toy.wait_for_update(process, each, 5)
            trainers = sweep_toy.children(process.pid)
            for number in numbers:
                process.send_signal(number)
                time.sleep(pause)
            code = process.wait(self.SECONDS)
            deadline = time.monotonic() + self.SECONDS
            while any(map(sweep_toy.parent_of, trainers)) and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertFalse([pid for pid in trainers if sweep_toy.parent_of(pid)])
        return code, out, folders

    def test_a_signal_stops_it_and_what_runs_saves(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            got, out, folders = self.stop(f"signal{number}", number)
            self.assertEqual(got, code)
            self.assertEqual(list(sweep_toy.statuses(out).values()), ["interrupted", "interrupted", "pending"])
            for each in folders:
                report = toy.report(each)
                self.assertEqual((report["status"], report["exit_code"]), ("interrupted", code))
                self.assertEqual(int(max(each.glob("checkpoints/state-*")).stem.split("-")[1]), report["training"]["num_updates"])

    def test_the_same_command_goes_on(self):
        code, out, _ = self.stop("on", signal.SIGTERM, train__max_update=FINITE)
        self.assertEqual(code, 143)
        self.assertEqual(list(sweep_toy.statuses(out).values()), ["interrupted", "interrupted", "pending"])
        self.sweep(self.root / "on.json", out, *self.AXES)
        self.assertEqual([run["attempts"] for run in sweep_toy.read(out)["runs"]], [2, 2, 1])
        restarts = [toy.report(sweep_toy.folder(out, run))["provenance"]["restarts"] for run in sweep_toy.read(out)["runs"]]
        self.assertEqual(restarts, [1, 1, 0])
        self.sweep(self.root / "on.json", self.root / "not stopped", *self.AXES)
        self.assert_same_trainings(out, self.root / "not stopped")

    def test_a_second_signal_ends_all_at_once(self):
        code, out, folders = self.stop("twice", signal.SIGTERM, signal.SIGINT, pause=0)
        self.assertIn(code, (130, 143))
        for each in folders:  # what it saved before is whole
            toy.run("--config", each / "config.json", "--resume", "--stop-after-updates", 1)
            self.assertEqual(toy.report(each)["status"], "interrupted")

    def test_if_the_sweep_is_killed_what_runs_saves(self):
        code, out, folders = self.stop("killed", signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        for each in folders:
            self.assertEqual(toy.report(each)["status"], "interrupted")
        self.assertEqual(list(sweep_toy.statuses(out).values()), ["running", "running", "pending"])


class Retries(sweep_toy.SweepTest):
    def test_a_killed_run_goes_on_from_its_checkpoint(self):
        config, out, axes = self.grid("retry", train__max_update=FINITE), self.root / "retry", ["h=1,2", "--jobs", 2]
        with toy.started("sweep", "--config", config, "--out", out, *axes) as process:
            killed = sweep_toy.kill_run(process, out, "h=2 7", 20)
            self.assertEqual(process.wait(toy.TIMEOUT), 4, process.messages())
        self.assertEqual(sweep_toy.statuses(out), {"h=1 7": "done", "h=2 7": "failed"})
        finished = sweep_toy.folder(out, sweep_toy.runs(out)["h=1 7"])
        before = toy.hashes(finished)
        self.sweep(config, out, *axes, "--retry-failed")
        runs = sweep_toy.runs(out)
        self.assertEqual({label: run["attempts"] for label, run in runs.items()}, {"h=1 7": 1, "h=2 7": 2})
        self.assertEqual(toy.hashes(finished), before)
        self.assertEqual(toy.report(killed)["provenance"]["restarts"], 1)
        resumed, = re.findall(r" resuming after update (\d+)\n", (out / runs["h=2 7"]["log"]).read_text(encoding="utf-8"))
        self.assertGreater(int(resumed), 0)
        self.sweep(config, self.root / "not killed", *axes)
        self.assert_same_trainings(out, self.root / "not killed")


class Disk(sweep_toy.SweepTest):
    """Disks that are full and a sweep.json that is damaged: told, and nothing is lost."""

    AXES = ["h=1,2", "--jobs", 2]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path, cls.straight = cls.grid("disk", train__max_update=200), cls.root / "straight"
        cls.sweep(cls.path, cls.straight, *cls.AXES)

    def test_full_for_what_the_runs_write(self):
        state = min(self.straight.glob("runs/*/checkpoints/state-*"), key=lambda path: path.stat().st_size)
        limit, out = state.stat().st_size - 1000, self.root / "full for runs"
        self.assertLess((self.straight / "sweep.json").stat().st_size, limit)
        self.sweep(self.path, out, *self.AXES, code=4, preexec_fn=toy.limit_file_size(limit))
        for run in sweep_toy.read(out)["runs"]:
            self.assertEqual(run["status"], "failed")
            self.assertRegex(run["reason"], "cannot write .*: File too large")
        self.sweep(self.path, out, *self.AXES, "--retry-failed")
        self.assert_same_trainings(out, self.straight)

    def test_full_from_the_beginning(self):
        out = self.root / "full"
        done = self.sweep(self.path, out, *self.AXES, code=2, preexec_fn=toy.limit_file_size(100))
        self.assertRegex(done.stderr, "error cannot write .*/sweep.json: File too large")
        self.assertEqual([path for path in out.rglob("*") if path.is_file() and path.stat().st_size > 0], [])
        self.sweep(self.path, out, *self.AXES)
        self.assert_same_trainings(out, self.straight)

    def test_full_in_the_middle(self):
        out = self.root / "full later"
        with toy.started("sweep", "--config", self.path, "--out", out, *self.AXES,
                         preexec_fn=toy.limit_file_size(resource.RLIM_INFINITY)) as process:
            toy.wait_until(process, lambda: (out / "sweep.json").exists(), "sweep.json")
            toy.wait_for_update(process, sweep_toy.folder(out, sweep_toy.runs(out)["h=1 7"]), 5)
            # For the sweep alone: no more for its own file, enough for its messages.
            limit = (out / "sweep.json").stat().st_size // 2
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            self.assertEqual(process.wait(toy.TIMEOUT), 2, process.messages())
            self.assertRegex(process.messages(), "error cannot write .*/sweep.json: File too large")
        self.assertNotIn("done", sweep_toy.statuses(out).values())
        self.sweep(self.path, out, *self.AXES)
        self.assert_same_trainings(out, self.straight)

    def test_a_cut_sweep_json_is_refused(self):
        out = self.root / "cut"
        shutil.copytree(self.straight, out)
        file, before = out / "sweep.json", toy.hashes(out / "runs")
        whole = file.read_bytes()
        file.write_bytes(whole[:len(whole) // 2])
        for command in (["sweep", "--config", self.path, "--out", out, *self.AXES], ["table", out], ["pick", out]):
            done = toy.run(*command, code=2)
            self.assertIn(str(file), done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual(toy.hashes(out / "runs"), before)
        self.assertEqual(file.read_bytes(), whole[:len(whole) // 2])


if __name__ == "__main__":
    unittest.main()
