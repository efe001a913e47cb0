"""A plain PyTorch loop over nn.Transformer, and what it shares with other loops written here."""
import dataclasses
import json

from ..process import Command
from .peer import LOOPS, Peer


def progress(line):
    if not line.startswith('{"update"'):
        return None
    values = json.loads(line)
    return values["update"], values["target_tokens"]


class LoopPeer(Peer):
    """A training script of ours over somebody else's model; bf16 is torch's autocast."""
    script = ""
    decodes = False

    def __init__(self, precision, name, label):
        self.precision = precision
        self.name = name if precision == "fp32" else f"{name}-{precision}"
        self.label = label
        self.differs = "" if precision == "fp32" else "bf16 is torch's autocast; parameters and loss are fp32."

    def train_command(self, place):
        job = json.dumps(dataclasses.asdict(place.job))
        return Command([self.environment.python, LOOPS / self.script, "--data", place.corpus.folder, "--precision", self.precision, "--job", job])

    def progress(self, line):
        return progress(line)


class TorchLoop(LoopPeer):
    shown_versions = ("torch",)
    script = "torch_loop.py"

    def __init__(self, precision):
        super().__init__(precision, "torch", "PyTorch, nn.Transformer, plain loop")

    def install(self, environments):
        self.environment = environments.base()
