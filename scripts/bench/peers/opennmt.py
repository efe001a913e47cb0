"""OpenNMT-py, by its command line."""
import re

from ..process import Command
from .peer import Decoding, Peer, search, write_json

TRAIN_LINE = re.compile(r"Step\s+(\d+)/\s*\d+;.*; bsz:\s*\d+/\s*(\d+)/\s*\d+;")
UNTRUSTED = {"TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "1"}  # its checkpoints hold more than tensors, which torch refuses since 2.6
NEVER = 10**6


def progress(line):
    found = TRAIN_LINE.search(line)
    return found and (int(found[1]), float(found[2]))


class OpenNmt(Peer):
    name = "opennmt"
    label = "OpenNMT-py"
    packages = ("numpy==1.26.4", "setuptools<81", "configargparse", "pyyaml", "six", "sacrebleu", "rapidfuzz", "tqdm", "tensorboard",
                "ctranslate2==4.8.5", "pyonmttok", "pyahocorasick", "fasttext-wheel", "spacy")
    without_dependencies = ("OpenNMT-py==3.5.1",)
    shown_versions = ("OpenNMT-py", "torch")
    differs = "Pre-norm, the only order that it has; sentences are sorted by length within buckets of 8,192."

    def train_command(self, place):
        return self.module("train", "-config", self.configuration(place, NEVER))

    def progress(self, line):
        return progress(line)

    def configuration(self, place, steps):
        job = place.job
        pieces = str(place.corpus.pieces)
        source, target = place.corpus.train
        return write_json(place.folder / f"train-{steps}.yaml", {
            "data": {"corpus": {"path_src": str(source), "path_tgt": str(target), "transforms": []}},
            "src_vocab": pieces, "tgt_vocab": pieces, "share_vocab": True, "save_model": str(place.folder / "model"),
            "encoder_type": "transformer", "decoder_type": "transformer", "position_encoding": True, "enc_layers": job.layers,
            "dec_layers": job.layers, "heads": job.heads, "hidden_size": job.d_model, "word_vec_size": job.d_model,
            "transformer_ff": job.d_ff, "dropout": [job.dropout], "attention_dropout": [job.dropout],
            "share_embeddings": True, "share_decoder_embeddings": True, "param_init": 0, "param_init_glorot": True,
            "batch_type": "tokens", "batch_size": job.max_tokens, "batch_size_multiple": 1, "normalization": "tokens",
            "accum_count": [1], "bucket_size": 8192, "num_workers": 0, "optim": "adam", "adam_beta2": 0.98,
            "label_smoothing": job.label_smoothing, "decay_method": "noam", "learning_rate": 0.5, "warmup_steps": 4000,
            "max_grad_norm": 0, "model_dtype": "fp32", "train_steps": steps, "valid_steps": NEVER,
            "save_checkpoint_steps": min(steps, NEVER), "report_every": 1, "seed": 1})

    def decode_ready(self, place):
        if not self.checkpoint(place).exists():
            self.run(place, "decode-model", self.module("train", "-config", self.configuration(place, 2)))

    def decode(self, place, beam, length):
        outcome = self.run(place, f"decode-{beam}", self.module(
            "translate", "-model", self.checkpoint(place), "-src", place.corpus.test[0], "-output", place.folder / f"out-{beam}",
            "-beam_size", beam, "-batch_type", "tokens", "-batch_size", place.job.max_tokens,
            "-min_length", length, "-max_length", length, "-report_time"))
        seconds = float(search(r"Total translation time \(s\): ([\d.]+)", outcome.lines, "how long it translated")[1])
        pieces = len((place.folder / f"out-{beam}").read_text(encoding="utf-8").split())
        return Decoding(place.corpus.test_sentences(), seconds, pieces, outcome.peak_bytes)

    @staticmethod
    def checkpoint(place):
        return place.folder / "model_step_2.pt"

    def module(self, name, *arguments):
        return Command([self.environment.python, "-m", f"onmt.bin.{name}", *arguments], UNTRUSTED)
