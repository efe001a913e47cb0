"""A sweep as an array of a real one-node SLURM: started, one element preempted, followed to its end, each run once.

Needs SLURM and root for a cluster of its own, and the script shared/tools/slurm_up.sh beside the project; skipped otherwise."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import sweep_toy
import toy

UP = toy.SOURCE.parent / "shared/tools/slurm_up.sh"
MISSING = [program for program in ("slurmctld", "slurmd", "munged", "sbatch") if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin") is None]
WHY_NOT = f"no {UP}" if not UP.exists() else f"SLURM is not installed: no {', '.join(MISSING)}" if MISSING else "needs root for a cluster of its own" if os.geteuid() != 0 else None


def take_down(cluster):
    subprocess.run(["bash", UP, cluster, "stop"], check=False)
    deadline = time.monotonic() + 10
    while any(cluster.glob("*.pid")) and time.monotonic() < deadline:  # they still write there
        time.sleep(0.1)
    shutil.rmtree(cluster, ignore_errors=True)


@unittest.skipIf(WHY_NOT is not None, WHY_NOT)
class Slurm(sweep_toy.SweepTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # The spool folder's sockets need a short path.
        cluster = tempfile.mkdtemp(prefix="slurm", dir="/tmp")
        cls.addClassCleanup(take_down, pathlib.Path(cluster))
        up = subprocess.run(["bash", UP, cluster], capture_output=True, text=True, timeout=60, check=False)
        if up.returncode != 0:
            raise unittest.SkipTest(f"SLURM does not come up here: {up.stderr}")
        os.environ["SLURM_CONF"] = str(pathlib.Path(cluster, "slurm.conf"))
        cls.addClassCleanup(os.environ.pop, "SLURM_CONF")

    def jobs(self, state):
        """Elements "17_3" in that state."""
        return subprocess.run(["squeue", "-h", "-r", "-t", state, "-o", "%F_%K"], capture_output=True, text=True, check=True).stdout.split()

    def test_an_array_with_a_preempted_element_ends_with_every_run_once(self):
        config, out = self.grid("array", train__max_update=1500, train__validate_interval_updates=500), self.root / "array"
        axes = ["h=1,2,4", "d_k=4", "seed=1,2"]
        with toy.started("sweep", "--config", config, "--out", out, *axes, "--launcher", "slurm", "--time", "10", "--partition", "main",
                         "--sbatch-arg=--comment=toy grid") as process:
            toy.wait_until(process, lambda: (out / "sweep.json").exists(), "sweep.json")
            runs = list(sweep_toy.runs(out).values())
            toy.wait_until(process, lambda: any(toy.last_update(sweep_toy.folder(out, run)) > 20 for run in runs), "a run that trains")
            array = toy.parse((out / "slurm.json").read_text(encoding="utf-8"))[0]
            self.assertEqual(array["runs"], [run["id"] for run in runs])
            element = next(name for name in self.jobs("RUNNING") if toy.last_update(sweep_toy.folder(out, runs[int(name.split("_")[1])])) > 20)
            preempted = runs[int(element.split("_")[1])]
            subprocess.run(["scontrol", "requeue", element], check=True)
            toy.wait_until(process, lambda: element in self.jobs("PENDING"), "the element back in the queue")
            subprocess.run(["scontrol", "update", f"JobId={element}", "StartTime=now"], check=True)  # it would wait two minutes
            self.assertEqual(process.wait(400), 0, process.messages())
        self.assertEqual([(run["status"], run["attempts"]) for run in sweep_toy.read(out)["runs"]], [("done", 1)] * 6)
        for run in sweep_toy.read(out)["runs"]:
            report = toy.report(sweep_toy.folder(out, run))
            self.assertEqual(report["training"]["num_updates"], 1500)
            self.assertEqual(report["provenance"]["restarts"], 1 if run["id"] == preempted["id"] else 0)
            self.assertEqual([update for update, _ in toy.losses(sweep_toy.folder(out, run))], list(range(1, 1501)))

    def test_a_killed_sweep_s_array_goes_on_and_is_followed_again(self):
        config, out = self.grid("followed", train__max_update=800, train__validate_interval_updates=400), self.root / "followed"
        arguments = ["--config", config, "--out", out, "h=1,2", "--launcher", "slurm"]
        with toy.started("sweep", *arguments) as process:
            toy.wait_until(process, lambda: (out / "slurm.json").exists(), "the array")
            process.kill()
        toy.run("sweep", *arguments)
        self.assertEqual(len(toy.parse((out / "slurm.json").read_text(encoding="utf-8"))), 1)
        self.assertEqual(set(sweep_toy.statuses(out).values()), {"done"})

    def test_a_signal_cancels_what_is_queued_and_saves_what_runs(self):
        config, out = self.grid("cancelled", train__max_update=1000000), self.root / "cancelled"
        with toy.started("sweep", "--config", config, "--out", out, "h=1,2,4", "d_k=4", "--launcher", "slurm") as process:
            toy.wait_until(process, lambda: (out / "sweep.json").exists(), "sweep.json")
            runs = list(sweep_toy.runs(out).values())
            toy.wait_until(process, lambda: any(toy.last_update(sweep_toy.folder(out, run)) > 5 for run in runs), "a run that trains")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(60), 143, process.messages())
        self.assertEqual(set(sweep_toy.statuses(out).values()), {"interrupted"})
        time.sleep(0.5)
        self.assertEqual(self.jobs("all") and self.jobs("PENDING,RUNNING"), [])
        begun = [run for run in runs if toy.last_update(sweep_toy.folder(out, run)) > 5]
        for run in begun:
            self.assertEqual(toy.report(sweep_toy.folder(out, run))["status"], "interrupted")

    def test_what_slurm_refuses_is_the_user_s(self):
        done = self.sweep(self.grid("refused"), self.root / "refused", "h=1,2", "--launcher", "slurm", "--partition", "nowhere", code=2)
        self.assertIn("partition", done.stderr)


if __name__ == "__main__":
    unittest.main()
