"""mha-train itself, by its command line."""
import json
import shutil
import subprocess

from ..process import Command, Failed, Run
from ..progress import Clock, Point
from .peer import Decoding, Peer, search, time_limit, write_json

NEVER = 10**6
LOG_INTERVAL = 5


def points(text):
    """Points of progress in the text of an events.jsonl; half a line at its end is left out. The clock is train_wall."""
    for line in text.split("\n")[:-1]:
        event = json.loads(line)
        if event["event"] == "train":
            yield Point(event["train_wall"], event["num_updates"], event["target_tokens"])


class MhaTrain(Peer):
    differs = "Packed batches: no padding outside the attention. Its clock is train_wall, which has waiting for batches in it."
    decode_updates = 600  # of the training that makes the weights for decoding

    def __init__(self, precision, binary, settings):
        self.precision, self.binary, self.settings = precision, binary, settings
        self.name = "mha-train" if precision == "bf16" else f"mha-train-{precision}"
        self.label = "mha-train"
        self.trains = precision != "int8"

    def install(self, environments):
        if not self.binary.exists():
            raise Failed(f"there is no {self.binary.name}: build it, or name it with --mha-train")

    def versions(self):
        said = subprocess.run([self.binary, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()
        return {"mha-train": said[0].removeprefix("mha-train "), "LibTorch": said[1].partition(",")[0].removeprefix("LibTorch ")}

    def train(self, place, plan):
        run_dir = place.folder / "run"
        shutil.rmtree(run_dir, ignore_errors=True)
        clock, seen = Clock(plan), 0
        events = run_dir / "events.jsonl"

        def on_poll():
            nonlocal seen
            found = list(points(events.read_text(encoding="utf-8"))) if events.exists() else []
            fresh, seen = found[seen:], len(found)
            return any([clock.add(point) for point in fresh])

        outcome = Run(self.command(self.configuration(place, NEVER, self.precision), run_dir), place.log("train"), time_limit(plan), on_poll=on_poll)()
        return self.training(clock, outcome, place)

    def configuration(self, place, updates, precision, **optimizer):
        job, corpus = place.job, place.corpus
        source, target = corpus.train
        return write_json(place.folder / f"train-{updates}.json", {
            "data": {"train": {"source": str(source), "target": str(target)}, "max_tokens": job.max_tokens,
                     "cache_dir": str(corpus.folder / "mha-train")},
            "vocab": {"type": "file", "model": str(corpus.pieces)},
            "model": {"encoder_layers": job.layers, "decoder_layers": job.layers, "d_model": job.d_model, "d_ff": job.d_ff,
                      "dropout": job.dropout, "activation_dropout": job.dropout, "norm": "post", "share_all_embeddings": True},
            "attention": {"num_heads": job.heads, "attention_dropout": job.dropout},
            "optimizer": {"name": "adam", "betas": [0.9, 0.98], "lr": 5e-4, "warmup_updates": 4000, **optimizer},
            "train": {"label_smoothing": job.label_smoothing, "precision": precision, "log_interval": LOG_INTERVAL,
                      "max_update": updates, "validate_interval_updates": 0, "validation_bleu": "none", "final_weights": "last"}})

    def command(self, configuration, run_dir):
        more = [word for setting in self.settings for word in ("--set", setting)]
        return Command([self.binary, "--config", configuration, "--run-dir", run_dir, *more])

    def decode_ready(self, place):
        run_dir = self.decode_run(place)
        if not (run_dir / "report.json").exists():
            shutil.rmtree(run_dir, ignore_errors=True)
            configuration = self.configuration(place, self.decode_updates, "auto", lr=3e-3, warmup_updates=200)
            self.run(place, "decode-model", self.command(configuration, run_dir))

    def decode(self, place, beam, length):
        output = place.folder / f"out-{beam}"
        steps = length + 1  # EOS is counted
        outcome = self.run(place, f"decode-{beam}", Command(
            [self.binary, "translate", self.decode_run(place), "--weights", "last", "--beam", beam, "--precision", self.precision,
             "--min-len", steps, "--max-len-a", 0, "--max-len-b", steps, "-i", place.corpus.test[0], "-o", output]))
        found = search(r"translated ([\d,]+) lines in ([\d.]+) s", outcome.lines, "how fast it translated")
        pieces = len(output.read_text(encoding="utf-8").split())
        return Decoding(int(found[1].replace(",", "")), float(found[2]), pieces, outcome.peak_bytes)

    @classmethod
    def decode_run(cls, place):
        return place.corpus.folder / f"decode-{place.job.name}-{cls.decode_updates}"
