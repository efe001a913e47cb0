"""JoeyNMT, by its command line."""
import pathlib
import re

from ..process import Command
from ..progress import Rates
from .peer import Decoding, Peer, search, write_json

TRAIN_LINE = re.compile(r"Step:\s+(\d+), .*Tokens per Sec:\s+(\d+)")
NEVER = 10**9


def progress(line):
    """(number of updates, target tokens per second since the last such line)."""
    found = TRAIN_LINE.search(line)
    return found and (int(found[1]), float(found[2]))


class JoeyNmt(Peer):
    name = "joeynmt"
    label = "JoeyNMT"
    packages = ("numpy==1.26.4", "setuptools<81", "pyyaml", "sacrebleu", "subword-nmt", "matplotlib", "plotly", "pandas", "tensorboard", "packaging",
                "importlib-metadata", "tqdm")
    without_dependencies = ("joeynmt==2.3.0",)
    shown_versions = ("joeynmt", "torch")
    sums = Rates
    differs = ("Batches are not sorted by length, and the sentence that reaches the limit of tokens is in the batch. Its lines say whole tokens a "
               "second, which are multiplied with the time between lines. Its search has no shortest length.")

    def prepare(self, place):
        """It wants validation data even if it never validates."""
        for suffix in ("src", "trg"):
            with (place.corpus.folder / f"test.{suffix}").open(encoding="utf-8") as lines:
                (place.folder / f"one.{suffix}").write_text(next(lines), encoding="utf-8")

    def train_command(self, place):
        return self.module("train", self.configuration(place, "train", {"dev": str(place.folder / "one")}, NEVER), "--skip-test")

    def progress(self, line):
        return progress(line)

    def configuration(self, place, name, data, updates, **testing):
        """`name`: of the file. All configurations of one model share the folder of it."""
        job, corpus = place.job, place.corpus
        stack = {"type": "transformer", "num_layers": job.layers, "num_heads": job.heads, "hidden_size": job.d_model, "ff_size": job.d_ff,
                 "embeddings": {"embedding_dim": job.d_model, "scale": True, "dropout": job.dropout}, "dropout": job.dropout,
                 "layer_norm": "post", "activation": "relu"}
        side = {"level": "word", "lowercase": False, "max_length": 1000, "voc_file": str(corpus.pieces), "normalize": False}
        return write_json(place.folder / f"{name}.yaml", {
            "name": name, "joeynmt_version": "2.3.0", "model_dir": str(self.model(place, updates)), "use_cuda": False, "random_seed": 1,
            "data": {"train": str(corpus.folder / "train"), "dataset_type": "plain", "src": {"lang": "src", **side},
                     "trg": {"lang": "trg", **side}, **data},
            "testing": {"batch_size": job.max_tokens, "batch_type": "token", "eval_metrics": [], "beam_alpha": 1.0, **testing},
            "training": {"optimizer": "adam", "adam_betas": [0.9, 0.98], "learning_rate": 5e-4, "learning_rate_min": 0.0,
                         "scheduling": "warmupinversesquareroot", "learning_rate_warmup": 4000, "loss": "crossentropy",
                         "label_smoothing": job.label_smoothing, "normalization": "tokens", "batch_size": job.max_tokens,
                         "batch_type": "token", "epochs": 10**4, "updates": updates, "logging_freq": 1, "validation_freq": NEVER,
                         "early_stopping_metric": "loss", "overwrite": True, "shuffle": True},
            "model": {"initializer": "xavier_uniform", "tied_embeddings": True, "tied_softmax": True, "encoder": stack, "decoder": stack}})

    def decode_ready(self, place):
        if not self.checkpoint(place).exists():
            self.prepare(place)
            configuration = self.configuration(place, "decode-model", {"dev": str(place.folder / "one")}, 2)
            self.run(place, "decode-model", self.module("train", configuration, "--skip-test"))

    def decode(self, place, beam, length):
        out = place.folder / f"out-{beam}"
        configuration = self.configuration(
            place, f"decode-{beam}", {"test": str(place.corpus.folder / "test")}, 2, load_model=str(self.checkpoint(place)),
            beam_size=beam, max_output_length=length)
        outcome = self.run(place, f"decode-{beam}", self.module("test", configuration, "-o", out))
        seconds = float(search(r"Generation took ([\d.]+)\[sec\]", outcome.lines, "how long it translated")[1])
        pieces = len(pathlib.Path(f"{out}.test").read_text(encoding="utf-8").split())
        return Decoding(place.corpus.test_sentences(), seconds, pieces, outcome.peak_bytes)

    @staticmethod
    def model(place, updates):
        return place.folder / f"model-{updates}"

    def checkpoint(self, place):
        return self.model(place, 2) / "2.ckpt"

    def module(self, *arguments):
        return Command([self.environment.python, "-m", "joeynmt", *arguments])
