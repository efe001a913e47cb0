"""fairseq, by its command line."""
import json
import re

from ..process import Command
from .peer import Decoding, Peer, search

TRAIN_LINE = re.compile(r"\| train_inner \| (\{.*\})")
UNTRUSTED = {"TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "1"}  # its checkpoints hold more than tensors, which torch refuses since 2.6


def progress(line):
    found = TRAIN_LINE.search(line)
    if not found:
        return None
    values = json.loads(found[1])
    return int(values["num_updates"]), float(values["wpb"])


class Fairseq(Peer):
    name = "fairseq"
    label = "fairseq (fairseq-fixed)"
    packages = ("numpy==1.26.4", "setuptools<81", "wheel", "cython", "cffi", "hydra-core", "omegaconf", "regex", "sacrebleu", "tqdm", "bitarray",
                "scikit-learn", "packaging")
    without_dependencies = ("--no-build-isolation", "fairseq-fixed==0.12.3.1")  # its extensions are compiled against the torch of base
    shown_versions = ("fairseq-fixed", "torch")
    differs = "Data in one worker process, its default; the vocabulary is filled up to a multiple of 8."

    def prepare(self, place):
        data = self.data(place)
        if (data / "done").exists():
            return
        data.mkdir(parents=True, exist_ok=True)
        pieces = place.corpus.pieces.read_text(encoding="utf-8").split("\n")[:-1]
        (data / "pieces.txt").write_text("".join(f"{piece} 1\n" for piece in pieces), encoding="utf-8")
        prefix = place.corpus.folder
        self.run(place, "preprocess", self.module(
            "preprocess", "--source-lang", "src", "--target-lang", "trg", "--trainpref", prefix / "train", "--validpref", prefix / "test",
            "--testpref", prefix / "test", "--destdir", data / "bin", "--joined-dictionary", "--srcdict", data / "pieces.txt"))
        (data / "done").touch()

    def train_command(self, place):
        return self.training_command(place, "--max-update", 10**6, "--no-save")

    def progress(self, line):
        return progress(line)

    def training_command(self, place, *more):
        job = place.job
        shape = [option for side in ("encoder", "decoder") for option in (
            f"--{side}-layers", job.layers, f"--{side}-embed-dim", job.d_model, f"--{side}-ffn-embed-dim", job.d_ff,
            f"--{side}-attention-heads", job.heads)]
        return self.module(
            "train", self.data(place) / "bin", "--arch", "transformer", *shape, "--share-all-embeddings",
            "--dropout", job.dropout, "--attention-dropout", job.dropout, "--activation-dropout", job.dropout,
            "--criterion", "label_smoothed_cross_entropy", "--label-smoothing", job.label_smoothing, "--optimizer", "adam",
            "--adam-betas", "(0.9, 0.98)", "--lr", 5e-4, "--lr-scheduler", "inverse_sqrt", "--warmup-updates", 4000,
            "--max-tokens", job.max_tokens, "--disable-validation", "--cpu", "--log-format", "json", "--log-interval", 1, *more)

    def decode_ready(self, place):
        self.prepare(place)
        if not self.checkpoint(place).exists():
            self.run(place, "decode-model", self.training_command(
                place, "--max-update", 2, "--save-dir", self.checkpoint(place).parent, "--no-epoch-checkpoints"))

    def decode(self, place, beam, length):
        outcome = self.run(place, f"decode-{beam}", self.module(
            "generate", self.data(place) / "bin", "--path", self.checkpoint(place), "--gen-subset", "test", "--beam", beam,
            "--max-tokens", place.job.max_tokens, "--min-len", length, "--max-len-a", 0, "--max-len-b", length, "--cpu", "--quiet"))
        found = search(r"Translated ([\d,]+) sentences \(([\d,]+) tokens\) in .*\(([\d.]+) sentences/s", outcome.lines, "how fast it translated")
        sentences, tokens, rate = (float(text.replace(",", "")) for text in found.groups())
        return Decoding(int(sentences), sentences / rate, int(tokens - sentences), outcome.peak_bytes)

    @staticmethod
    def data(place):
        return place.corpus.folder / "fairseq"

    @staticmethod
    def checkpoint(place):
        return place.folder / "model/checkpoint_last.pt"

    def module(self, name, *arguments):
        return Command([self.environment.python, "-m", f"fairseq_cli.{name}", *arguments], UNTRUSTED)
