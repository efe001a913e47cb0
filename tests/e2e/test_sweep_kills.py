"""A sweep whose processes are killed again and again ends with the table of one that was left alone."""
import os
import random
import signal
import time
import unittest

import sweep_toy
import toy

KILLS = 30
MEASURED = ("wps", "wall", "latency", "peak_resident_bytes", "measured_on", "fronts", "comparable")


def told(out):
    """The table of a sweep without what differs from one time to the next: measurements, and what tells of them."""
    table = sweep_toy.table(out)
    table["cells"] = [{key: value for key, value in cell.items() if key not in MEASURED} for cell in table["cells"]]
    return {key: value for key, value in table.items() if key not in ("command", "notes")}


class Kills(sweep_toy.SweepTest):
    def test_thirty_kills_change_nothing(self):
        # Some seconds of training in all, saved often, so that kills fall into every phase.
        config = self.grid("kills", train__max_update=700, train__validate_interval_updates=100)
        axes = ["h=1,2", "d_k=4,8", "seed=1,2", "--jobs", 2]
        straight, broken = self.root / "straight", self.root / "broken"
        began = time.monotonic()
        self.sweep(config, straight, *axes)
        # So that all the kills together leave the sweep time for about half of its work, on any machine.
        longest = 0.4 + 1.2 * (time.monotonic() - began) / (KILLS / 1.7)
        numbers = random.Random(5)
        finished, killed = {}, {"sweep": 0, "run": 0}
        while sum(killed.values()) < KILLS:
            with toy.started("sweep", "--config", config, "--out", broken, *axes, "--retry-failed") as process:
                time.sleep(numbers.uniform(0.2, longest))
                trainers = sweep_toy.children(process.pid)
                if trainers and numbers.random() < 0.7:
                    os.kill(numbers.choice(trainers), signal.SIGKILL)
                    killed["run"] += 1
                    time.sleep(numbers.uniform(0, 0.2))
                process.kill()
                killed["sweep"] += 1
            for name, report in sweep_toy.reports(broken).items():
                self.assertEqual(finished.setdefault(name, report), report, "a finished run was run again")
        self.assertGreater(killed["run"], 7)
        self.assertIn("pending", sweep_toy.statuses(broken).values(), "all was done before the last kill")
        self.sweep(config, broken, *axes, "--retry-failed")
        self.assertEqual(sweep_toy.scores(broken), sweep_toy.scores(straight))
        self.assertEqual({name: report for name, report in sweep_toy.reports(broken).items() if name in finished}, finished)
        self.assert_same_trainings(broken, straight)
        table = told(straight)
        self.assertEqual(told(broken), table)
        self.assertEqual(sum(cell["against_baseline"]["p"] is not None for cell in table["cells"]), 3)  # of four, against the fourth
        planned = {run["run_dir"] for run in sweep_toy.read(straight)["runs"]}
        self.assertEqual(len(planned), 8)
        self.assertEqual({f"runs/{path.name}" for path in (broken / "runs").iterdir()} - {"runs/cache"}, planned)


if __name__ == "__main__":
    unittest.main()
