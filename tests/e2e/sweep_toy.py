"""What the tests of sweeps share: grids over the toy corpus, and readers of what a sweep leaves."""
import json
import os
import pathlib
import signal

import toy

# No validation translates, so that a run is mostly its training.
QUICK = {"train__validation_bleu": "none", "train__save_interval_updates": 5, "decode__beam": 1}


class SweepTest(toy.ToyTest):
    @classmethod
    def grid(cls, name, sweep=None, **changes):
        """Writes NAME.json with a section `sweep`; its path."""
        path = cls.config(name, **{**QUICK, **changes})
        config = json.loads(path.read_text(encoding="utf-8"))
        config["sweep"] = sweep or {}
        path.write_text(json.dumps(config), encoding="utf-8")
        return path

    @classmethod
    def sweep(cls, config, out, *arguments, code=0, **options):
        return toy.run("sweep", "--config", config, "--out", out, *arguments, code=code, **options)

    def assert_same_trainings(self, out, straight):
        """Every run of both sweeps is done, was trained with the same losses, and ended with the same weights."""
        self.assertEqual(set(statuses(out).values()) | set(statuses(straight).values()), {"done"})
        theirs = runs(straight)
        self.assertEqual(set(runs(out)), set(theirs))
        for label, run in runs(out).items():
            here, there = folder(out, run), folder(straight, theirs[label])
            self.assertEqual(toy.losses(here), toy.losses(there), label)
            for name in ("checkpoints/last.safetensors", "checkpoints/best.safetensors", "hypotheses/test.txt"):
                self.assertEqual(toy.sha256(here / name), toy.sha256(there / name), (label, name))


def read(out):
    return toy.parse((out / "sweep.json").read_text(encoding="utf-8"))


def runs(out):
    """By label "h=2 1": cell and seed."""
    return {f"{run['cell']} {run['seed']}": run for run in read(out)["runs"]}


def statuses(out):
    return {label: run["status"] for label, run in runs(out).items()}


def folder(out, run):
    return out / run["run_dir"]


def table(out, *arguments):
    """What `table --format json` says of a sweep."""
    return toy.parse(toy.run("table", out, "--format", "json", *arguments).stdout)


def scores(out):
    """Id, test loss and BLEU of every run: what its table is made of."""
    table = {}
    for run in read(out)["runs"]:
        report = toy.report(folder(out, run))
        table[run["id"]] = (report["status"], report["test"]["nll_loss"], report["test"]["bleu"]["score"], report["config"]["seed"])
    return table


def reports(out):
    """Hash of every report of a completed run, by its folder."""
    found = {}
    for path in sorted(out.glob("runs/*/report.json")):
        try:
            done = toy.parse(path.read_text(encoding="utf-8"))["status"] == "completed"
        except FileNotFoundError:  # a resumed run takes the old one away
            continue
        if done:
            found[path.parent.name] = toy.sha256(path)
    return found


def parent_of(pid):
    """None if the process has ended."""
    try:
        state, parent = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[:2]
    except OSError:
        return None
    return None if state == "Z" else int(parent)


def children(pid):
    """Processes that `pid` has started."""
    return [int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*") if parent_of(path.name) == pid]


def training_in(pids, run_dir):
    """Which of the processes trains in that folder."""
    for pid in pids:
        try:
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if "--config" in command:
            config = json.loads(pathlib.Path(command[command.index("--config") + 1]).read_text(encoding="utf-8"))
            if os.path.realpath(config["run_dir"]) == os.path.realpath(run_dir):
                return pid
    return None


def kill_run(process, out, label, update):
    """Ends the trainer of a run by SIGKILL once it has made so many updates; its folder."""
    toy.wait_until(process, lambda: (out / "sweep.json").exists(), "sweep.json")
    run_dir = folder(out, runs(out)[label])
    toy.wait_for_update(process, run_dir, update)
    os.kill(training_in(children(process.pid), run_dir), signal.SIGKILL)
    return run_dir
