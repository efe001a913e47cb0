"""Checkpoints that were cut, disks that are full, folders that take no files: the previous state is used or the message says why not."""
import os
import resource
import shutil
import signal
import unittest

import toy


class Damage(toy.ToyTest):
    """One half-finished run, copied for each test, and the same run made without a stop."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        settings = {"train__max_update": 120, "train__save_interval_updates": 4, "train__log_interval": 5}
        cls.straight, _ = cls.train("straight", **settings)
        cls.half, cls.settings = cls.root / "half", cls.root / "straight.json"
        with toy.started("--config", cls.settings, "--run-dir", cls.half) as process:
            toy.wait_for_update(process, cls.half, 15)
            process.send_signal(signal.SIGTERM)
            assert process.wait(toy.TIMEOUT) == 143

    def half_done(self):
        """A copy of the half-finished run; its states, oldest first."""
        run_dir = self.root / self._testMethodName
        shutil.copytree(self.half, run_dir)
        states = sorted((run_dir / "checkpoints").glob("state-*"))
        self.assertEqual(len(states), 2)
        return run_dir, states

    def resume(self, run_dir, code=0, **options):
        return toy.run("--config", self.settings, "--run-dir", run_dir, "--resume", code=code, **options)

    def assert_ends_as_if_never_stopped(self, run_dir):
        self.assertEqual(toy.losses(run_dir), toy.losses(self.straight))
        for name in ("checkpoints/best.safetensors", "checkpoints/last.safetensors", "hypotheses/test.txt"):
            self.assertEqual(toy.sha256(run_dir / name), toy.sha256(self.straight / name), name)

    def test_the_last_weights_stand_in_for_best_ones_that_are_gone(self):
        run_dir = self.root / "gone"
        shutil.copytree(self.straight, run_dir)
        (run_dir / "report.json").unlink()  # as if it was killed during its test
        best = run_dir / "checkpoints/best.safetensors"
        for damage in (best.unlink, lambda: best.write_bytes(b"nothing")):
            damage()
            (run_dir / "report.json").unlink(missing_ok=True)
            done = self.resume(run_dir)
            self.assertRegex(done.stderr, "warning .*best.safetensors.*; the last weights are scored instead")
            self.assertEqual(toy.report(run_dir)["test"]["weights"], "last")

    def test_damaged_newest_state_is_passed_over(self):
        def cut(content):
            return content[:1000]

        def cut_by_a_byte(content):
            return content[:-1]

        def change_a_bit(content):
            return content[:-100] + bytes([content[-100] ^ 1]) + content[-99:]

        def empty(_):
            return b""

        run_dir, states = self.half_done()
        good = states[-1].read_bytes()
        for damage in (cut, cut_by_a_byte, change_a_bit, empty):
            with self.subTest(damage.__name__):
                copy = self.root / damage.__name__
                shutil.copytree(run_dir, copy)
                (copy / "checkpoints" / states[-1].name).write_bytes(damage(good))
                done = self.resume(copy)
                self.assertRegex(done.stderr, f"warning .*{states[-1].name}.*; trying the state before it")
                self.assertIn(f"resuming after update {int(states[0].stem.split('-')[1])}\n", done.stderr)
                self.assert_ends_as_if_never_stopped(copy)

    def test_all_states_damaged(self):
        run_dir, states = self.half_done()
        for state in states:
            os.truncate(state, 1000)
        done = self.resume(run_dir, code=2)
        self.assertRegex(done.stderr, f"error no training state can be loaded.*{states[0].name}")
        self.assertEqual([s.stat().st_size for s in states], [1000, 1000])
        report = toy.report(run_dir)
        self.assertEqual((report["status"], report["exit_code"]), ("failed", 2))

    def test_left_over_temporary_files_are_removed(self):
        run_dir, states = self.half_done()
        for name in ("state-0000099.safetensors.tmp4711", "best.safetensors.tmp1", "snapshot-0000001.safetensors.tmp1"):
            (run_dir / "checkpoints" / name).write_bytes(states[-1].read_bytes()[:500])
        (run_dir / "report.json.tmp3").write_text("{", encoding="utf-8")
        done = self.resume(run_dir)
        self.assertNotIn("warning", done.stderr)
        self.assertEqual([path for path in run_dir.rglob("*") if ".tmp" in path.name], [])
        self.assert_ends_as_if_never_stopped(run_dir)

    def test_half_written_event_is_cut_off(self):
        run_dir, _ = self.half_done()
        with (run_dir / "events.jsonl").open("a", encoding="utf-8") as events:
            events.write('{"event":"train","num_up')
        self.resume(run_dir)
        self.assert_ends_as_if_never_stopped(run_dir)

    def test_disk_full_while_saving(self):
        run_dir, states = self.half_done()
        before = [state.read_bytes() for state in states]
        # Enough for the report and the weights, too little for a training state.
        limit = len(before[0]) - 10000
        done = self.resume(run_dir, code=2, preexec_fn=toy.limit_file_size(limit))
        self.assertRegex(done.stderr, r"error cannot write .*/checkpoints/state-\d+\.safetensors: File too large")
        self.assertEqual([state.read_bytes() for state in states], before)
        self.assertEqual([p.name for p in (run_dir / "checkpoints").iterdir() if ".tmp" in p.name], [])
        report = toy.report(run_dir)
        self.assertEqual((report["status"], report["exit_code"]), ("failed", 2))
        self.assertIn("File too large", report["reason"])
        self.resume(run_dir)
        self.assert_ends_as_if_never_stopped(run_dir)

    def test_disk_full_for_everything(self):
        run_dir, states = self.half_done()
        before = [state.read_bytes() for state in states]
        done = self.resume(run_dir, code=2, preexec_fn=toy.limit_file_size(100))
        self.assertRegex(done.stderr, "error cannot write .*File too large")
        self.assertNotIn("internal", done.stderr)
        self.assertEqual([state.read_bytes() for state in states], before)
        self.resume(run_dir)
        self.assert_ends_as_if_never_stopped(run_dir)

    def test_no_place_for_a_new_run(self):
        for limit in (100, 5000, 30000):
            with self.subTest(limit=limit):
                run_dir = self.root / f"full{limit}"
                arguments = ["--set", f"data.cache_dir={self.root / f'cache{limit}'}"]
                done = toy.run("--config", self.settings, "--run-dir", run_dir, *arguments, code=2, preexec_fn=toy.limit_file_size(limit))
                self.assertRegex(done.stderr, "error cannot write .*File too large")
                toy.run("--config", self.settings, "--run-dir", run_dir, *arguments, "--resume")
                self.assert_ends_as_if_never_stopped(run_dir)

    def test_out_of_memory(self):
        huge = self.config("huge", model__d_model=4096, model__d_ff=16384)
        limit = 1500 << 20  # bytes of address space; the parameters alone are more
        done = toy.run("--config", huge, "--run-dir", self.root / "huge", code=1,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertIn("memory", done.stderr)
        report = toy.report(self.root / "huge")
        self.assertEqual((report["status"], report["exit_code"]), ("failed", 1))
        self.assertRegex(report["reason"], r"\A[^\n]*memory[^\n]*\Z")

    def test_folder_that_takes_no_files(self):
        locked = self.root / "locked"
        locked.mkdir(mode=0o500)
        # Root may write there all the same, but not below a file, nor into /proc.
        places = [self.settings / "run", "/proc/run"] + ([locked / "run"] if os.geteuid() != 0 else [])
        for place in places:
            done = toy.run("--config", self.settings, "--run-dir", place, code=2)
            self.assertRegex(done.stderr, f"error cannot make the folder {place}: ")
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
