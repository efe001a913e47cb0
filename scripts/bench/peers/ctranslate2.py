"""CTranslate2, which translates only: with the weights that mha-train trained for its own decoding."""
import json
import pathlib

from ..process import Command, Failed
from .mha_train import MhaTrain
from .peer import LOOPS, Decoding, Peer, search

CONVERTER = pathlib.Path(__file__).parent.parent / "ctranslate2_model.py"


class CTranslate2(Peer):
    packages = ("ctranslate2==4.8.5", "safetensors")
    shown_versions = ("ctranslate2",)
    environment_name = "ctranslate2"
    trains = False
    differs = "Two workers of one thread each."

    def __init__(self, compute_type):
        self.compute_type = compute_type
        self.precision = "fp32" if compute_type == "float32" else compute_type
        self.name = "ctranslate2" if compute_type == "float32" else f"ctranslate2-{compute_type}"
        self.label = "CTranslate2"

    def decode_ready(self, place):
        run_dir = MhaTrain.decode_run(place)
        if not (run_dir / "report.json").exists():
            raise Failed("needs the weights that mha-train makes for its decoding; let mha-train take part")
        if not (self.model(place) / "model.bin").exists():
            self.run(place, "convert", Command([self.environment.python, CONVERTER, run_dir, self.model(place)]))

    def decode(self, place, beam, length):
        outcome = self.run(place, f"decode-{beam}", Command(
            [self.environment.python, LOOPS / "ctranslate2_decode.py", "--model", self.model(place), "--source", place.corpus.test[0],
             "--output", place.folder / f"out-{beam}", "--beam", beam, "--length", length, "--compute-type", self.compute_type,
             "--max-tokens", place.job.max_tokens]))
        values = json.loads(search(r"^\{.*\}$", outcome.lines, "how fast it translated")[0])
        return Decoding(values["sentences"], values["seconds"], values["pieces"], outcome.peak_bytes)

    @staticmethod
    def model(place):
        return place.folder / "model"
