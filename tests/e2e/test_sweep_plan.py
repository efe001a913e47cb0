"""`mha-train sweep --dry-run` from outside: what it expects is what `cost` says and what runs then are; what is held fixed, and what is left out."""
import unittest

import sweep_toy
import toy

SHORT = {"train__max_update": 2, "train__save_interval_updates": 0}
FULL = {"vocab__size": 40}  # the toy text has at least so many pieces


class Plans(sweep_toy.SweepTest):
    def plan(self, config, *arguments):
        """The plan as JSON; its runs by cell."""
        plan = toy.parse(self.sweep(config, self.root / "never made", *arguments, "--dry-run", "--json").stdout)
        return plan, {run["cell"]: run for run in plan["runs"]}

    def report(self, out, label):
        return toy.report(sweep_toy.folder(out, sweep_toy.runs(out)[label]))

    def test_costs_are_those_of_cost_and_of_the_runs(self):
        config, out, axes = self.grid("costs", **SHORT, **FULL), self.root / "costs", ["h=1,2", "d_k=4"]
        _, cells = self.plan(config, *axes)
        self.sweep(config, out, *axes)
        for cell, run in cells.items():
            bill = toy.parse(toy.run("cost", "--config", config, *cell.split(","), "--json", "--no-time").stdout)["configured"]
            expected = {key: bill[key] for key in ("train_flops_per_token", "decode_flops_per_token", "memory_bytes")}
            self.assertEqual({key: run["cost"][key] for key in expected}, expected)
            self.assertEqual(run["cost"]["parameters"], bill["num_params"])
            self.assertGreater(run["cost"]["seconds"], 0)
            report = self.report(out, f"{cell} 7")
            self.assertEqual(report["vocabulary"]["source_size"], FULL["vocab__size"])
            self.assertEqual(report["parameters"]["num_params"], run["cost"]["parameters"])
        self.assertLess(cells["h=1,d_k=4"]["cost"]["parameters"], cells["h=2,d_k=4"]["cost"]["parameters"])

    def test_held_sizes_are_reached_by_the_width(self):
        config, wide = self.grid("held", **SHORT, **FULL, model__d_ff=128), ["h=1,8", "d_k=4"]
        for hold, key in (("params", "parameters"), ("flops", "train_flops_per_token")):
            plan, cells = self.plan(config, *wide, "--hold", hold)
            base = toy.parse(toy.run("cost", "--config", config, "--json", "--no-time").stdout)["configured"]
            self.assertEqual((plan["hold"], plan["held"]), (hold, base["num_params" if hold == "params" else key]))
            for run in cells.values():
                self.assertEqual((run["status"], run["held"]), ("pending", run["cost"][key]))
                self.assertLess(abs(run["held"] / plan["held"] - 1), 0.01)
            self.assertGreater(cells["h=1,d_k=4"]["d_ff"], 128)
            self.assertLess(cells["h=8,d_k=4"]["d_ff"], 128)
            out = self.root / f"held {hold}"
            self.sweep(config, out, "h=8", "d_k=4", "--hold", hold)
            report, run = self.report(out, "h=8,d_k=4 7"), cells["h=8,d_k=4"]
            self.assertEqual((report["parameters"]["num_params"], report["config"]["model"]["d_ff"]), (run["cost"]["parameters"], run["d_ff"]))
            self.assertEqual(sweep_toy.read(out)["hold"], hold)

    def test_a_cell_beyond_this_machine_is_planned_without_being_built(self):
        plan, cells = self.plan(self.grid("beyond", **SHORT, **FULL), "d_model=16384,16", "--set", "model.encoder_layers=64", "--max-memory", "1GB")
        huge, small = cells["d_model=16384"], cells["d_model=16"]
        self.assertEqual((huge["status"], small["status"]), ("excluded", "pending"))
        self.assertIsNone(huge["cost"]["seconds"])
        self.assertGreater(small["cost"]["seconds"], 0)

    def test_a_held_budget_divides_the_width(self):
        config = self.grid("budget", **SHORT, **FULL)
        plan, cells = self.plan(config, "h=1,3,8", "--hold", "h*d_k")
        self.assertEqual((plan["hold"], plan["held"]), ("h*d_k", 16))
        self.assertEqual({cell: run["held"] for cell, run in cells.items()}, {"h=1": 16, "h=3": None, "h=8": 16})
        self.assertEqual(cells["h=1"]["cost"]["parameters"], cells["h=8"]["cost"]["parameters"])
        self.assertEqual(cells["h=3"]["status"], "invalid")
        self.assertIn("cannot be divided", cells["h=3"]["reason"])
        out = self.root / "budget"
        self.sweep(config, out, "h=8", "--hold", "h*d_k")
        report = self.report(out, "h=8 7")
        self.assertEqual({(block["num_heads"], block["d_k"]) for block in report["attention"]}, {(8, 2)})
        self.assertEqual(report["parameters"]["num_params"], cells["h=8"]["cost"]["parameters"])
        refused = self.sweep(config, self.root / "never made", "h=1,8", "d_k=4", "--hold", "h*d_k", "--dry-run", code=2)
        self.assertIn("h 1 * d_k 4 is 4", refused.stderr)

    def test_what_needs_more_memory_is_left_out(self):
        config, out, axes = self.grid("memory", **SHORT), self.root / "memory", ["d_ff=32,65536"]
        _, cells = self.plan(config, *axes)
        small, large = (cells[f"d_ff={width}"]["cost"]["memory_bytes"] for width in (32, 65536))
        self.assertLess(small, large)
        axes += ["--max-memory", f"{(small + large) // 2}B"]
        text = self.sweep(config, self.root / "never made", *axes, "--dry-run").stdout
        self.assertRegex(text, r"\ncell +status +runs +parameters +FLOPs/token +memory +time/run\n")
        self.assertRegex(text, r"\nd_ff=32 \* +pending +1 +[\d,]+ +[\d.]+ [kM] +[\d.]+ MiB +\d+:\d\d\n")
        reason = r"expected to need [\d.]+ [MG]iB of memory, more than --max-memory, [\d.]+ [MG]iB"
        self.assertRegex(text, rf"\nd_ff=65536 is excluded: {reason}\n")
        self.assertRegex(text, r"\n2 cells, 2 runs; 1 to train, 1 cell excluded; at most [\d.]+ MiB of memory a run; \d+:\d\d one after another\n")
        done = self.sweep(config, out, *axes)
        self.assertEqual(sweep_toy.statuses(out), {"d_ff=32 7": "done", "d_ff=65536 7": "excluded"})
        self.assertRegex(done.stdout, rf"\nd_ff=65536 +7 +excluded +{reason}")
        self.assertEqual(len([path for path in (out / "runs").iterdir() if path.name != "cache"]), 1)


if __name__ == "__main__":
    unittest.main()
