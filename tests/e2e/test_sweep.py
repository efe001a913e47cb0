"""`mha-train sweep` from outside: every kind of end, restarts, signals, shards, and what each run measures of itself."""
import os
import pty
import resource
import select
import signal
import subprocess
import time
import unittest

import jsonschema

import sweep_toy
import toy

ENDLESS = {"train__max_update": 1000000}


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
            toy.wait_until(process, lambda: (cls.out / "sweep.json").exists(), "sweep.json")
            killed = sweep_toy.folder(cls.out, sweep_toy.runs(cls.out)["killed 7"])
            toy.wait_for_update(process, killed, 5)
            os.kill(sweep_toy.training_in(sweep_toy.children(process.pid), killed), signal.SIGKILL)
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

    def stop(self, name, *numbers, pause=0.3):
        """Signals to a sweep that trains two of its three runs; its exit code and the two folders."""
        config, out = self.grid(name, **ENDLESS), self.root / name
        with toy.started("sweep", "--config", config, "--out", out, "h=1,2,4", "d_k=4", "--jobs", 2) as process:
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


if __name__ == "__main__":
    unittest.main()
