"""Trainings that are stopped, by signals or killed, and resumed end as if they had never been stopped, bit for bit."""
import json
import pathlib
import random
import signal
import time
import unittest

import toy

# Everything that could go astray: dropout everywhere, accumulation, moments with decay rates of their own, an average, validations.
SETTINGS = {
    "model__dropout": 0.3, "attention__attention_dropout": 0.1, "train__update_freq": 2, "train__max_update": 40, "train__save_interval_updates": 3,
    "train__validate_interval_updates": 5, "train__average_last": 3, "train__final_weights": "best", "optimizer__betas": [0.5, 0.6],
    "optimizer__eps": 1e-6, "optimizer__weight_decay": 0.01, "optimizer__clip_norm": 1.0,
}
CHECKPOINTS = ["best", "average", "last"]


def newest_state(run_dir):
    return max((run_dir / "checkpoints").glob("state-*.safetensors"))


def tensors(path):
    """Header without the metadata, which tells times, and the bytes of all tensors."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8:8 + length])
    return {name: place for name, place in header.items() if name != "__metadata__"}, content[8 + length:]


def catches(process, signal_number):
    """Whether the process has a handler for the signal by now."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    [mask] = [line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:")]
    return int(mask, 16) >> (signal_number - 1) & 1 == 1


def without_times(event):
    return {key: value for key, value in event.items() if key not in ("time", "seconds", "wps", "ups", "train_wall")}


class StopAndResume(toy.ToyTest):
    """Runs one configuration straight and with stops, and compares all that it leaves."""

    def assert_same_run(self, straight, stopped):
        self.assertEqual(toy.losses(stopped), toy.losses(straight))
        for kind in ("train", "validation", "checkpoint"):
            self.assertEqual([without_times(e) for e in toy.events(stopped, kind)], [without_times(e) for e in toy.events(straight, kind)])
        for name in CHECKPOINTS:
            there, here = (run_dir / "checkpoints" / f"{name}.safetensors" for run_dir in (straight, stopped))
            self.assertEqual(there.exists(), here.exists())
            if there.exists():
                self.assertEqual(toy.sha256(here), toy.sha256(there), name)
        self.assertEqual(newest_state(stopped).name, newest_state(straight).name)
        self.assertEqual(tensors(newest_state(stopped)), tensors(newest_state(straight)))
        self.assertEqual((stopped / "hypotheses/test.txt").read_bytes(), (straight / "hypotheses/test.txt").read_bytes())
        reports = [toy.report(run_dir) for run_dir in (straight, stopped)]
        for report in reports:
            del report["test"]["seconds"], report["test"]["decode_seconds"]
        for section in ("status", "exit_code", "test", "data", "vocabulary"):
            self.assertEqual(reports[1][section], reports[0][section])
        for key in ("num_updates", "epoch", "stop_reason", "best", "skipped_updates"):
            self.assertEqual(reports[1]["training"][key], reports[0]["training"][key])
        for key in ("target_tokens", "source_tokens", "wpb", "bsz", "padding_share"):
            self.assertEqual(reports[1]["throughput"][key], reports[0]["throughput"][key])

    def stop_at_random(self, config, run_dir, signal_number, numbers, code):
        """One process of the run, stopped a few updates on, or early by chance. True if it got to the end before."""
        with toy.started("--config", config, "--run-dir", run_dir, "--resume") as process:
            if numbers.random() < 0.2:
                time.sleep(0.4 * numbers.random())
            else:
                goal = toy.last_update(run_dir) + numbers.randint(1, 7)
                while process.poll() is None and toy.last_update(run_dir) < goal:
                    time.sleep(0.001)
                time.sleep(0.005 * numbers.random())
            process.send_signal(signal_number)
            ended_with = process.wait(toy.TIMEOUT)
            # Before main() a signal ends the process in the system's own way.
            self.assertIn(ended_with, (code, -signal_number, 0), process.messages())
        return ended_with == 0

    def stop_until_done(self, name, stops, signals, seed):
        """Runs until at least so many processes were stopped, in as many folders as that takes; the folders."""
        numbers, stopped, folders = random.Random(seed), 0, []
        while stopped < stops:
            run_dir = self.root / f"{name}{len(folders)}"
            while True:
                signal_number, code = numbers.choice(signals)
                if self.stop_at_random(self.root / f"{name}.json", run_dir, signal_number, numbers, code):
                    break
                stopped += 1
                self.assertLess(stopped, 10 * stops, "no progress")
            folders.append(run_dir)
        return folders

    def check(self, name, stops, signals, **changes):
        straight, _ = self.train(name, **{**SETTINGS, **changes})
        for seed, run_dir in enumerate(self.stop_until_done(name, stops, signals, seed=len(name))):
            self.assert_same_run(straight, run_dir)
        return straight

    def test_interrupted(self):
        self.check("interrupted", 6, [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGUSR1, 138), (signal.SIGHUP, 129)])

    def test_killed(self):
        self.check("killed", 20, [(signal.SIGKILL, -9)])

    def test_killed_bf16(self):
        self.check("killed_bf16", 5, [(signal.SIGKILL, -9)], train__precision="bf16")

    def test_interrupted_two_threads(self):
        self.check("two_threads", 2, [(signal.SIGTERM, 143), (signal.SIGKILL, -9)], threads=2, train__max_update=20)

    def test_best_and_patience_survive(self):
        # The rate is far too high: an early validation stays the best one.
        straight = self.check("patience", 6, [(signal.SIGTERM, 143), (signal.SIGKILL, -9)], optimizer__lr=0.3, optimizer__lr_scheduler="constant",
                              optimizer__warmup_updates=10, train__patience=3, train__max_update=400, train__validate_interval_updates=4)
        training = toy.report(straight)["training"]
        self.assertEqual(training["stop_reason"], "patience")
        validations = training["validations"]
        self.assertEqual([v["best"] for v in validations[-4:]], [True, False, False, False])
        self.assertEqual(training["best"]["num_updates"], validations[-4]["num_updates"])


class ChangedData(toy.ToyTest):
    """Text that changes between stop and resume is refused, and what was saved stays good."""

    def test_refused_until_the_text_is_back(self):
        straight, _ = self.train("straight", train__max_update=300, train__validate_interval_updates=100)
        run_dir, source = self.root / "run", pathlib.Path(self.data["train"]["source"])
        config = self.config("run", train__max_update=300, train__validate_interval_updates=100)
        with toy.started("--config", config, "--run-dir", run_dir) as process:
            toy.wait_for_update(process, run_dir, 5)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(toy.TIMEOUT), 128 + signal.SIGTERM)
        saved = {path.name: toy.sha256(path) for path in [*run_dir.glob("vocab*"), *run_dir.glob("checkpoints/*")]}
        text = source.read_text(encoding="utf-8")
        source.write_text(text.replace("ba", "do", 1), encoding="utf-8")
        refused = toy.run("--config", config, "--run-dir", run_dir, "--resume", code=2)
        self.assertIn("training data", refused.stderr)
        source.write_text(text, encoding="utf-8")
        for path in [*run_dir.glob("vocab*"), *run_dir.glob("checkpoints/*")]:
            self.assertEqual(toy.sha256(path), saved[path.name])
        toy.run("--config", config, "--run-dir", run_dir, "--resume")
        self.assertEqual(toy.losses(run_dir), toy.losses(straight))


class Interruption(toy.ToyTest):
    """A signal in each phase: soon over, with what is documented, and the run can go on."""

    SECONDS = 3  # two and a step, on a machine that has other work

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.many = toy.write_split(cls.root / "corpus", "many", 800, 4, words=(10, 20))

    def interrupt(self, name, reached, what, signal_number=signal.SIGTERM, **changes):
        """Trains NAME until `reached`(process, run_dir), signals, checks end and report; the run folder."""
        run_dir = self.root / name
        with toy.started("--config", self.config(name, **changes), "--run-dir", run_dir) as process:
            toy.wait_until(process, lambda: reached(process, run_dir), what)
            process.send_signal(signal_number)
            before = time.monotonic()
            self.assertEqual(process.wait(toy.TIMEOUT), 128 + signal_number)
            self.assertLess(time.monotonic() - before, self.SECONDS)
            messages = process.messages()
        report = toy.report(run_dir)
        self.assertEqual((report["status"], report["exit_code"]), ("interrupted", 128 + signal_number))
        self.assertIn(report["reason"], messages)
        self.assertIsNone(report["test"])
        return run_dir

    def resume(self, run_dir):
        toy.run("--config", self.root / f"{run_dir.name}.json", "--run-dir", run_dir, "--resume")
        self.assertEqual(toy.report(run_dir)["status"], "completed")

    def test_while_the_vocabulary_is_trained(self):
        # 4 MB without spaces: seconds of unigram training.
        numbers = random.Random(5)
        lines = ["".join(numbers.choice("abcdefghij") for _ in range(400)) for _ in range(10000)]
        big = {side: toy.write_lines(self.root / f"big.{side}", lines) for side in ("source", "target")}
        run_dir = self.interrupt("vocabulary", lambda process, _: "training a unigram vocabulary" in process.messages(), "vocabulary",
                                 data__train=big, data__cache_dir=str(self.root / "empty"), vocab={"type": "unigram", "size": 8000})
        self.assertEqual(toy.report(run_dir)["training"]["num_updates"], 0)
        self.assertEqual(list((run_dir / "checkpoints").iterdir()), [])
        self.assertEqual(list(self.root.glob("empty/*.model")), [])

    def test_while_training(self):
        run_dir = self.interrupt("training", lambda _, run_dir: toy.last_update(run_dir) >= 3, "update 3", signal.SIGINT, train__max_update=2000)
        state = newest_state(run_dir)
        self.assertEqual(int(state.stem.split("-")[1]), toy.report(run_dir)["training"]["num_updates"])
        self.assertEqual(toy.events(run_dir, "run_end")[-1]["status"], "interrupted")
        # Once it goes on, the report of the interruption is no longer true.
        with toy.started("--config", self.root / "training.json", "--run-dir", run_dir, "--resume") as process:
            toy.wait_for_update(process, run_dir, toy.last_update(run_dir) + 3)
        self.assertIn("the run has not ended", toy.run("report", "show", run_dir, code=2).stderr)

    def test_while_a_validation_translates(self):
        run_dir = self.interrupt("validation", lambda _, run_dir: toy.last_update(run_dir) == 2, "update 2", signal.SIGHUP, data__valid=self.many,
                                 train__validate_interval_updates=2, train__max_update=2, train__validation_bleu="beam", decode__beam=10)
        self.assertEqual(toy.events(run_dir, "validation"), [])
        self.assertEqual(toy.report(run_dir)["training"]["num_updates"], 2)

    def test_while_the_test_is_translated(self):
        changes = {"data__test": self.many, "decode__beam": 10, "train__max_update": 5}
        run_dir = self.interrupt("testing", lambda process, _: "scoring the test split" in process.messages(), "test", signal.SIGINT, **changes)
        self.assertEqual(toy.events(run_dir, "train")[-1]["num_updates"], 5)
        self.resume(run_dir)
        straight, _ = self.train("straight", **changes)
        self.assertEqual((run_dir / "hypotheses/test.txt").read_bytes(), (straight / "hypotheses/test.txt").read_bytes())
        self.assertEqual(toy.report(run_dir)["provenance"]["restarts"], 1)
        self.assertEqual([e["kind"] for e in toy.events(run_dir, "checkpoint")], [e["kind"] for e in toy.events(straight, "checkpoint")])

    def test_while_translating(self):
        run_dir, _ = self.train("translator", train__max_update=2)
        out = self.root / "out.txt"
        with toy.started("translate", run_dir, "--beam", 50, "-i", self.many["source"], "-o", out, "--threads", 1) as process:
            toy.wait_until(process, lambda: catches(process, signal.SIGINT), "handler")
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            before = time.monotonic()
            self.assertEqual(process.wait(toy.TIMEOUT), 130)
            self.assertLess(time.monotonic() - before, self.SECONDS)
        self.assertFalse(out.exists())

    def test_while_a_state_is_saved(self):
        changes = {"model__d_model": 256, "model__d_ff": 1024, "train__max_update": 12}  # some twenty megabytes a state
        straight, _ = self.train("saved_seldom", **changes)

        def half_written(run_dir):
            return list(run_dir.glob("checkpoints/state-*.tmp*"))

        def stands_still_while_saving(process, run_dir):
            if toy.last_update(run_dir) < 2 or not half_written(run_dir):
                return False
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.02)
            if half_written(run_dir):
                return True
            process.send_signal(signal.SIGCONT)
            return False

        for name, signals, codes in (("saving", [signal.SIGTERM], [143]), ("saving_twice", [signal.SIGTERM, signal.SIGINT], [130, 143])):
            run_dir = self.root / name
            with toy.started("--config", self.config(name, train__save_interval_updates=1, **changes), "--run-dir", run_dir) as process:
                toy.wait_until(process, lambda: stands_still_while_saving(process, run_dir), "a state that is being written")
                for number in (*signals, signal.SIGCONT):
                    process.send_signal(number)
                before = time.monotonic()
                self.assertIn(process.wait(toy.TIMEOUT), codes)
                self.assertLess(time.monotonic() - before, self.SECONDS)
            if len(signals) == 1:  # the state was finished, and another one made where training stopped
                self.assertEqual(half_written(run_dir), [])
                report = toy.report(run_dir)
                self.assertEqual((report["status"], report["exit_code"]), ("interrupted", 143))
                self.assertEqual(int(newest_state(run_dir).stem.split("-")[1]), report["training"]["num_updates"])
            self.resume(run_dir)
            self.assertEqual(toy.losses(run_dir), toy.losses(straight))
            self.assertEqual(toy.sha256(run_dir / "checkpoints/last.safetensors"), toy.sha256(straight / "checkpoints/last.safetensors"))

    def test_second_signal_ends_at_once(self):
        run_dir = self.root / "twice"
        changes = {"train__max_update": 300, "train__save_interval_updates": 10}
        with toy.started("--config", self.config("twice", **changes), "--run-dir", run_dir) as process:
            toy.wait_for_update(process, run_dir, 20)
            process.send_signal(signal.SIGSTOP)  # so that both signals come between two steps
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGCONT)
            self.assertIn(process.wait(toy.TIMEOUT), (130, 143))
        self.assertFalse((run_dir / "report.json").exists())
        self.resume(run_dir)
        straight, _ = self.train("once", **changes)
        self.assertEqual(toy.losses(run_dir), toy.losses(straight))


if __name__ == "__main__":
    unittest.main()
